"""Somebody whom a finder looks at again and again."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from poselift.structures import Detections

_SMOOTHING = 0.1
"""Time constant of the velocity of the whole body, seconds."""
_TRUSTED = 0.25
"""Longest time for which this velocity moves somebody on, seconds."""
_CLEAR = 0.2
"""Least score of joints that tell how somebody moves."""
_LEAST, _COLLAPSE = 0.2, 0.5
"""A person is lost where the mean joint score is below the first, or below the second times its average."""
_ADAPTED = 0.2
"""Share by which each look changes the average score."""
_MISSES = 3
"""Searches in a row without a person who is followed, after which it was none."""


@dataclass
class Followed:
    """Somebody whom a finder looks at again and again.

    Attributes:
        box: around the joints at the last look, pixels.
        keypoints: at the last look, pixels; NaN for joints that were not seen.
        time: of the last look, seconds.
        score: average of the mean joint scores.
        box_score: of the last search that found this person.
        surprise: mean distance of the joints from where they were expected at the last look, as a share of the body;
            infinite until there is an expectation.
        misses: searches in a row that should have found this person, and did not.
    """

    box: Float[np.ndarray, "4"]
    keypoints: Float[np.ndarray, "j 2"]
    time: float
    score: float
    box_score: float
    surprise: float = np.inf
    misses: int = 0
    _velocity: Float[np.ndarray, "2"] = field(default_factory=lambda: np.zeros(2))
    _joint_velocities: Float[np.ndarray, "j 2"] | None = None

    @classmethod
    def begun(cls, found: Detections, row: int, box_score: float, time: float) -> "Followed":
        """Somebody who is looked at for the first time."""
        return cls(found.boxes[row], found.keypoints[row], time, float(found.box_scores[row]), box_score)

    @property
    def size(self) -> float:
        """Longer side of the box, pixels, at least 1."""
        return max(1.0, float((self.box[2:] - self.box[:2]).max()))

    def expected_box(self, time: float) -> Float[np.ndarray, "4"]:
        """Where this person is expected, moved on with the velocity of the whole body."""
        return self.box + np.tile(self._velocity * min(time - self.time, _TRUSTED), 2)

    def recognised(self, score: float) -> bool:
        """Whether a look with this mean joint score shows this person still."""
        return score >= max(_LEAST, _COLLAPSE * self.score) and self.misses < _MISSES

    def update(self, found: Detections, row: int, time: float) -> None:
        """Takes over a row of a look."""
        elapsed = time - self.time
        moved = (found.keypoints[row] - self.keypoints) / elapsed
        clear = np.isfinite(moved).all(-1) & (found.scores[row] > _CLEAR)
        if self._joint_velocities is not None:
            known = clear & np.isfinite(self._joint_velocities).all(-1)
            wrong = np.linalg.norm(moved - self._joint_velocities, axis=-1)[known] * elapsed
            self.surprise = float(wrong.mean()) / self.size if known.any() else np.inf
        if clear.any():
            trust = 1 - np.exp(-elapsed / _SMOOTHING)
            self._velocity = self._velocity + trust * (np.median(moved[clear], axis=0) - self._velocity)
        self._joint_velocities = moved
        self.box, self.keypoints, self.time = found.boxes[row], found.keypoints[row], time
        self.score += _ADAPTED * (float(found.box_scores[row]) - self.score)
