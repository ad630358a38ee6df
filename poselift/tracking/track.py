"""One person followed through the frames, and where they are to be looked for next."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

_DAMPING = 1.0
"""Seconds over which a velocity is trusted to last: people turn and stop."""
_SMOOTHING = 0.2
"""Seconds over which velocities are averaged: long enough for the detector's noise, short enough for a jump."""
_TELLING = 0.25
"""Extent of the joints that two poses have in common, as a share of the person, that tells their sizes apart."""


@dataclass(frozen=True)
class Difference:
    """How two poses differ, in lengths of the larger one's bounding box.

    Attributes:
        shift: by how far the whole is displaced.
        shape: mean distance of the joints once the shift is taken out.
        size: absolute logarithm of the ratio of sizes.
    """

    shift: float
    shape: float
    size: float


def size_of(keypoints: Float[np.ndarray, "j 2"]) -> float:
    """Longer side of the bounding box of the joints that were seen, in pixels, 1 at least."""
    seen = keypoints[np.isfinite(keypoints).all(-1)]
    return max(1.0, float(np.ptp(seen, axis=0).max())) if len(seen) else 1.0


def displacement(
    start: Float[np.ndarray, "j 2"],
    start_scores: Float[np.ndarray, " j"],
    end: Float[np.ndarray, "j 2"],
    end_scores: Float[np.ndarray, " j"],
) -> tuple[Float[np.ndarray, "2"], float] | None:
    """How far one pose lies from another, as a mean over joints weighted by both scores.

    Returns:
        The displacement, and the mean distance of the joints from it, both in pixels; None where the two have no
        joint in common.
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
    """What was seen of one person so far.

    Attributes:
        frames: indices of the frames in which the person was seen.
        keypoints: in each of them, pixels.
        scores: likewise.
        timestamps: likewise, seconds.
        first_velocity: in pixels a second, soon after the person was first seen.
        velocity: where the person was last seen.
        number: given when the track is confirmed, 0 before.
    """

    frames: list[int] = field(default_factory=list)
    keypoints: list[Float[np.ndarray, "j 2"]] = field(default_factory=list)
    scores: list[Float[np.ndarray, " j"]] = field(default_factory=list)
    timestamps: list[float] = field(default_factory=list)
    first_velocity: Float[np.ndarray, "2"] = field(default_factory=lambda: np.zeros(2))
    velocity: Float[np.ndarray, "2"] = field(default_factory=lambda: np.zeros(2))
    number: int = 0

    def add(
        self, frame: int, timestamp: float, keypoints: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"]
    ) -> None:
        """Takes one more sight of the person, and learns the velocity from it."""
        if self.frames:
            moved = displacement(self.keypoints[-1], self.scores[-1], keypoints, scores)
            elapsed = timestamp - self.timestamps[-1]
            if moved is not None:
                trust = 1 - np.exp(-elapsed / _SMOOTHING)
                self.velocity = self.velocity + trust * (moved[0] / elapsed - self.velocity)
            if timestamp - self.timestamps[0] <= 2 * _SMOOTHING:
                self.first_velocity = self.velocity
        self.frames.append(frame)
        self.timestamps.append(timestamp)
        self.keypoints.append(keypoints)
        self.scores.append(scores)

    def difference(
        self, timestamp: float, keypoints: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"]
    ) -> Difference | None:
        """How a pose differs from the last one seen, moved on to the pose's time; None with no joint in common.

        The velocity fades, v exp(-t / 1 s), so that the person is never thought to be more than a second's way ahead.
        """
        ahead = self.velocity * _faded(timestamp - self.timestamps[-1])
        return _difference(self.keypoints[-1] + ahead, self.scores[-1], keypoints, scores)

    def difference_backwards(self, earlier: "Track") -> Difference | None:
        """How the end of an earlier track differs from this one's start, moved back to the earlier one's time."""
        behind = self.first_velocity * _faded(self.timestamps[0] - earlier.timestamps[-1])
        return _difference(earlier.keypoints[-1], earlier.scores[-1], self.keypoints[0] - behind, self.scores[0])


def _faded(elapsed: float) -> float:
    """Integral of exp(-t / damping) from 0 to `elapsed`."""
    return _DAMPING * (1 - np.exp(-elapsed / _DAMPING))


def _difference(
    start: Float[np.ndarray, "j 2"],
    start_scores: Float[np.ndarray, " j"],
    end: Float[np.ndarray, "j 2"],
    end_scores: Float[np.ndarray, " j"],
) -> Difference | None:
    moved = displacement(start, start_scores, end, end_scores)
    if moved is None:
        return None
    shift, spread = moved
    length = max(size_of(start), size_of(end))
    # Sizes are compared by the joints that both have: a pose does not shrink when its feet are not seen.
    both = np.isfinite(end - start).all(-1)
    sizes = size_of(start[both]), size_of(end[both])
    ratio = sizes[0] / sizes[1] if max(sizes) > _TELLING * length else 1.0
    return Difference(float(np.linalg.norm(shift)) / length, spread / length, abs(float(np.log(ratio))))
