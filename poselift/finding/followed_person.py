"""Somebody whom a finder looks at again and again."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Float

from poselift.detection.orientation import LEANING, body_angle, box_along
from poselift.structures import Detections

_SMOOTHING = 0.1
"""Time constant of the velocity of the whole body, seconds."""
_TRUSTED = 0.25
"""Longest time for which this velocity moves somebody on, seconds."""
_TRACED = 0.2
"""Scores of joints that tell how somebody moves are above this. `body_angle` has its own limit."""
_LEAST, _COLLAPSE = 0.2, 0.5
"""A person is lost where the mean joint score is below the first, or below the second times its average."""
_ADAPTED = 0.2
"""Share by which each detection changes the average score."""
_MISSES = 3
"""Searches in a row without a person who is followed, after which it was none."""
_UPRIGHT = math.radians(20)
"""Angle up to which a turned body is looked at in the upright picture again."""
_WEAK = 0.7
"""Share of the average score below which other angles are tried."""
_COMPARED = 0.2
"""Least time between crop detections at several angles, seconds."""


@dataclass(frozen=True)
class Place:
    """Where somebody is expected.

    Attributes:
        box: of the joints, pixels; with an angle, before it is turned about its own middle.
        angle: of the body, clockwise from upright, radians.
        points: the joints, pixels; NaN for joints that were not seen.
        scores: of the joints, at the last crop detection or search.
    """

    box: Float[np.ndarray, "4"]
    angle: float
    points: Float[np.ndarray, "j 2"]
    scores: Float[np.ndarray, " j"]

    def turn(self, angle: float) -> "Place":
        """The same joints, for a crop at another body angle."""
        seen = self.points[np.isfinite(self.points).all(-1)]
        return replace(self, box=box_along(seen, angle), angle=angle) if len(seen) else self

    @property
    def size(self) -> float:
        """Longer side of the box, pixels, at least 1."""
        return max(1.0, float((self.box[2:] - self.box[:2]).max()))

    def move(self, by: Float[np.ndarray, "2"]) -> "Place":
        """The same place, moved by some pixels."""
        return replace(self, box=self.box + np.tile(by, 2), points=self.points + by)


@dataclass(eq=False)
class Followed:
    """Somebody whom a finder looks at again and again. Each is equal to itself only.

    Attributes:
        box: around the joints at the last detection, pixels.
        keypoints: at the last detection, pixels; NaN for joints that were not seen.
        scores: of the joints at the last detection.
        time: of the last detection, seconds.
        score: average of the mean joint scores.
        box_score: of the last search that found this person.
        surprise: mean distance of the joints from where they were expected, at the last detection, as a share of the
            body; infinite until there is an expectation.
        misses: searches in a row that should have found this person, and did not.
        angle: of the body at the last detection, clockwise from upright, radians.
        turned: whether crops are turned with the body, or upright.
        compared: time of the last crop detections at several angles, seconds.
        begun: time of the first detection, seconds.
    """

    box: Float[np.ndarray, "4"]
    keypoints: Float[np.ndarray, "j 2"]
    scores: Float[np.ndarray, " j"]
    time: float
    score: float
    box_score: float
    surprise: float = np.inf
    misses: int = 0
    angle: float = 0.0
    turned: bool = False
    compared: float = -np.inf
    begun: float = np.inf
    _velocity: Float[np.ndarray, "2"] = field(default_factory=lambda: np.zeros(2))
    _joint_velocities: Float[np.ndarray, "j 2"] | None = None
    _spin: float = 0.0

    @classmethod
    def start(cls, found: Detections, row: int, box_score: float, time: float, turned: bool) -> "Followed":
        """Somebody who is looked at for the first time."""
        angle = body_angle(found.keypoints[row], found.scores[row], found.skeleton) or 0.0
        score = float(found.box_scores[row])
        if turned:  # to a search of the upright picture a turned body scores low
            box_score = max(box_score, score)
        points, scores = found.keypoints[row], found.scores[row]
        return cls(found.boxes[row], points, scores, time, score, box_score, angle=angle, turned=turned, begun=time)

    @property
    def size(self) -> float:
        """Longer side of the box, pixels, at least 1."""
        return max(1.0, float((self.box[2:] - self.box[:2]).max()))

    @property
    def quarter(self) -> int:
        """Quarter turns, 0 to 3, after which the body is nearly upright."""
        return round(self.angle / (np.pi / 2)) % 4

    def expected(self, time: float) -> Place:
        """Where this person is expected, by the whole body's velocity."""
        ahead = self._ahead(time)
        place = Place(self.expected_box(time), 0.0, self.keypoints + self._velocity * ahead, self.scores)
        return place.turn(self.angle + self._spin * ahead) if self.turned else place

    def expected_box(self, time: float) -> Float[np.ndarray, "4"]:
        """The box around the joints, moved on likewise, pixels."""
        return self.box + np.tile(self._velocity * self._ahead(time), 2)

    def _ahead(self, time: float) -> float:
        """Seconds for which the velocity moves this person on."""
        return min(time - self.time, _TRUSTED)

    def is_doubtful(self, score: float, angle: float, time: float) -> bool:
        """Whether a crop at another angle may show this person better.

        Args:
            score: mean joint score of a detection.
            angle: of the body that it shows, radians.
            time: of the detection, seconds.
        """
        if not self.recognises(score):  # the last try before this person is lost
            return True
        leaning = not self.turned and abs(angle) > LEANING
        return time - self.compared >= _COMPARED and (leaning or score < _WEAK * self.score)

    def recognises(self, score: float) -> bool:
        """Whether a detection with this mean joint score shows this person still."""
        return score >= max(_LEAST, _COLLAPSE * self.score) and self.is_person

    @property
    def is_person(self) -> bool:
        """Whether the searches agree that there is somebody."""
        return self.misses < _MISSES

    def update(self, found: Detections, row: int, time: float, turned: bool, hidden: Bool[np.ndarray, " j"]) -> None:
        """Takes over a row of a crop detection.

        Args:
            found: the people detected.
            row: of this person.
            time: of the detection, seconds.
            turned: whether it was at the turned body, or at the upright picture.
            hidden: joints that somebody else hides; they go on with the body.
        """
        elapsed, expected = time - self.time, self.expected(time).points
        moved = (found.keypoints[row] - self.keypoints) / elapsed
        clear = np.isfinite(moved).all(-1) & (found.scores[row] > _TRACED)
        if self._joint_velocities is not None:
            known = clear & np.isfinite(self._joint_velocities).all(-1)
            wrong = np.linalg.norm(moved - self._joint_velocities, axis=-1)[known] * elapsed
            self.surprise = float(wrong.mean()) / self.size if known.any() else np.inf
        share = 1 - np.exp(-elapsed / _SMOOTHING)
        if clear.any():
            self._velocity = self._velocity + share * (np.median(moved[clear], axis=0) - self._velocity)
        self._joint_velocities = moved
        self.box, self.keypoints, self.time = found.boxes[row], found.keypoints[row], time
        self.scores = found.scores[row]
        if hidden.any():
            self.keypoints = np.where(hidden[:, None], expected, self.keypoints)
            self.box = np.concatenate([np.nanmin(self.keypoints, 0), np.nanmax(self.keypoints, 0)])
        self.score += _ADAPTED * (float(found.box_scores[row]) - self.score)
        self._turn(body_angle(found.keypoints[row], found.scores[row], found.skeleton), elapsed, share, turned)

    def _turn(self, angle: float | None, elapsed: float, share: float, turned: bool) -> None:
        """Takes over the angle of the body."""
        if angle is not None:
            by = float(np.remainder(angle - self.angle + np.pi, 2 * np.pi) - np.pi)
            self._spin += share * (by / elapsed - self._spin)
            self.angle = angle
        self.turned = turned and abs(self.angle) > _UPRIGHT
