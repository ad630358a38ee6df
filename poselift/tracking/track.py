"""One person's observations so far, and the prediction of the next."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

_DAMPING = 1.0
"""Time constant of a predicted velocity, seconds: people turn and stop."""
_SMOOTHING = 0.2
"""Time constant of averaged velocities, seconds: long enough for detector noise, short enough for a jump."""
_FROZEN, _LONGEST = 0.0005, 1.0
"""Displacement, as a share of the person, of a pose that does not change at all, as in a picture that freezes; and the
longest time, seconds, that such a picture hides."""
_TELLING = 0.25
"""Least extent of the common joints of two poses, as a share of the person, for comparing their sizes."""


@dataclass(frozen=True)
class PoseDifference:
    """Difference of two poses, in lengths of the larger one's bounding box.

    Attributes:
        shift: displacement of the whole pose.
        shape: mean distance of the joints without the shift.
        size: absolute logarithm of the ratio of sizes.
    """

    shift: float
    shape: float
    size: float


def size_of(keypoints: Float[np.ndarray, "j 2"]) -> float:
    """Longer side of the seen joints' bounding box, pixels, at least 1."""
    seen = keypoints[np.isfinite(keypoints).all(-1)]
    return max(1.0, float(np.ptp(seen, axis=0).max())) if len(seen) else 1.0


def displacement(
    start: Float[np.ndarray, "j 2"],
    start_scores: Float[np.ndarray, " j"],
    end: Float[np.ndarray, "j 2"],
    end_scores: Float[np.ndarray, " j"],
) -> tuple[Float[np.ndarray, "2"], float] | None:
    """Displacement between two poses: a mean weighted by both scores.

    Returns:
        The displacement, and the mean distance of the joints from it, in pixels; None without a common joint.
    """
    apart = end - start
    both = np.isfinite(apart).all(-1)
    weights = (start_scores * end_scores)[both]
    if weights.sum() <= 0:
        return None
    weights = weights / weights.sum()
    shift = weights @ apart[both]
    return shift, float(weights @ np.linalg.norm(apart[both] - shift, axis=-1))


@dataclass
class Track:
    """The observations of one person so far.

    Attributes:
        frames: indices of the frames with the person.
        keypoints: in each of these frames, pixels.
        scores: likewise.
        timestamps: likewise, seconds.
        first_velocity: at the beginning of the track, pixels per second.
        velocity: at the end of the track, pixels per second.
        number: of the person, once the track is confirmed; 0 before.
        changed: when the pose last changed, seconds; before the last observation where the picture froze since.
    """

    frames: list[int] = field(default_factory=list)
    keypoints: list[Float[np.ndarray, "j 2"]] = field(default_factory=list)
    scores: list[Float[np.ndarray, " j"]] = field(default_factory=list)
    timestamps: list[float] = field(default_factory=list)
    first_velocity: Float[np.ndarray, "2"] = field(default_factory=lambda: np.zeros(2))
    velocity: Float[np.ndarray, "2"] = field(default_factory=lambda: np.zeros(2))
    number: int = 0
    changed: float = -np.inf

    def add(
        self, frame: int, timestamp: float, keypoints: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"]
    ) -> None:
        """Adds an observation, and updates the velocity."""
        frozen = False
        if self.frames:
            moved = displacement(self.keypoints[-1], self.scores[-1], keypoints, scores)
            elapsed = timestamp - self.changed
            if moved is not None:
                frozen = float(np.linalg.norm(moved[0])) + moved[1] < _FROZEN * size_of(keypoints)
            if moved is not None and not frozen:
                share = 1 - np.exp(-elapsed / _SMOOTHING)
                self.velocity = self.velocity + share * (moved[0] / elapsed - self.velocity)
            if timestamp - self.timestamps[0] <= 2 * _SMOOTHING:
                self.first_velocity = self.velocity
        self.changed = max(self.changed, timestamp - _LONGEST) if frozen else timestamp
        self.frames.append(frame)
        self.timestamps.append(timestamp)
        self.keypoints.append(keypoints)
        self.scores.append(scores)

    def shorten(self) -> None:
        """Forgets all but the last observation and the first timestamp."""
        del self.timestamps[1:-1]
        for values in (self.frames, self.keypoints, self.scores):
            del values[:-1]

    def difference(
        self, timestamp: float, keypoints: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"]
    ) -> PoseDifference | None:
        """Difference of a pose from the prediction; None without common joints.

        The velocity decays as v exp(-t / 1 s), so the prediction moves by at most one second of it.
        """
        ahead = self.velocity * _fade(timestamp - self.changed)
        return _difference(self.keypoints[-1] + ahead, self.scores[-1], keypoints, scores)

    def difference_backwards(self, earlier: "Track") -> PoseDifference | None:
        """Difference of an earlier track's end from this start, predicted backwards."""
        behind = self.first_velocity * _fade(self.timestamps[0] - earlier.timestamps[-1])
        return _difference(earlier.keypoints[-1], earlier.scores[-1], self.keypoints[0] - behind, self.scores[0])


def _fade(elapsed: float) -> float:
    """Integral of exp(-t / damping) from 0 to `elapsed`."""
    return _DAMPING * (1 - np.exp(-elapsed / _DAMPING))


def _difference(
    start: Float[np.ndarray, "j 2"],
    start_scores: Float[np.ndarray, " j"],
    end: Float[np.ndarray, "j 2"],
    end_scores: Float[np.ndarray, " j"],
) -> PoseDifference | None:
    moved = displacement(start, start_scores, end, end_scores)
    if moved is None:
        return None
    shift, spread = moved
    length = max(size_of(start), size_of(end))
    # Sizes are compared by the joints that both have, as far as both are sure of them: a pose does not shrink when its
    # feet are not seen, or guessed.
    both = np.isfinite(end - start).all(-1)
    weights = (start_scores * end_scores)[both]
    sizes = _extent(start[both], weights), _extent(end[both], weights)
    ratio = sizes[0] / sizes[1] if max(sizes) > _TELLING * length else 1.0
    return PoseDifference(float(np.linalg.norm(shift)) / length, spread / length, abs(float(np.log(ratio))))


def _extent(points: Float[np.ndarray, "j 2"], weights: Float[np.ndarray, " j"]) -> float:
    """Extent of points along the longer side, pixels, at least 1.

    It is the extent of an even bar with their weighted deviation.
    """
    weights = weights / weights.sum()
    return max(1.0, float(np.sqrt(12 * weights @ (points - weights @ points) ** 2).max()))
