"""The content of keypoint files, independent of their format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.keypoints.file_hands import FileHands
from poselift.keypoints.people import NamedDetections
from poselift.keypoints.picture_fit import PictureFit, fit_picture
from poselift.skeleton import Skeleton
from poselift.structures import Hands

_SMALLEST = 4.0
"""Least longer side of people in pixels: smaller ones have other units."""
_FARTHEST = 100.0
"""Largest distance of a point in sizes of the picture: beyond it, the file is damaged, and numbers overflow."""

_DIGITS = 9
"""Most digits of a person's number: the results take no larger ones."""


@dataclass(frozen=True)
class Observation:
    """One person in one frame, as in the file.

    Attributes:
        points: pixels, or shares of the picture's sides; any value for undetected joints.
        scores: of each point; 0 for undetected joints.
        person: name of the person; None if the file has none.
        box: x0, y0, x1, y1; None if the file has none.
        box_score: confidence of the person; None if the file has none.
        hands: the person's hands, in the units of `points`; None if the file has none.
    """

    points: Float[np.ndarray, "j 2"]
    scores: Float[np.ndarray, " j"]
    person: str | None = None
    box: Float[np.ndarray, "4"] | None = None
    box_score: float | None = None
    hands: FileHands | None = None

    def __post_init__(self) -> None:
        """Checks the shapes, because a reader may be somebody's own."""
        points, scores = self.points, self.scores
        arrays = isinstance(points, np.ndarray) and isinstance(scores, np.ndarray)
        if not arrays or points.shape[1:] != (2,) or scores.shape != points.shape[:1]:
            found = [str(x.shape) if isinstance(x, np.ndarray) else f"a {type(x).__name__}" for x in (points, scores)]
            raise InputError(f"points and scores are {' and '.join(found)}; give arrays of (joints, 2) and (joints,)")

    @property
    def seen(self) -> np.ndarray:
        """The detected joints."""
        return np.isfinite(self.points).all(-1) & (self.scores > 0)


@dataclass(frozen=True)
class KeypointFile:
    """2D keypoints of another program.

    Attributes:
        path: the file or folder.
        format: name of the format in `poselift.keypoints.READERS`.
        skeleton: skeleton of the keypoints.
        frames: the people in each frame, by frame number; missing frames are empty.
        image_size: (width, height) of the pictures in pixels; None if unknown.
        timestamps: of each frame, seconds; None if unknown.
        normalised: whether coordinates are shares of the picture's width and height instead of pixels.
        mirrored_back: whether the video shows a mirror image, but the coordinates do not: of a result of one.
        placed_hands: hands of earlier results, in the camera frame and smoothed, with their timestamps in seconds, by
            the person's name.
    """

    path: Path
    format: str
    skeleton: Skeleton
    frames: dict[int, list[Observation]]
    image_size: tuple[int, int] | None = None
    timestamps: dict[int, float] | None = None
    normalised: bool = False
    mirrored_back: bool = False
    placed_hands: Mapping[str, tuple[Float[np.ndarray, " t"], Hands]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Checks that everybody has the joints of the skeleton."""
        for number, there in self.frames.items():
            if not isinstance(number, int | np.integer) or isinstance(number, bool):
                raise InputError(f"{self.path}: a frame has the number {number!r:.40}; give a whole number")
            for person in there:
                if len(person.points) != len(self.skeleton):
                    raise InputError(
                        f"{self.path}: somebody in frame {number} has {len(person.points)} joints, but "
                        f"{self.skeleton.name} has {len(self.skeleton)}; write the file again"
                    )

    def drop_unseen_people(self) -> "KeypointFile":
        """The file without observations that have no detected joint.

        Raises:
            InputError: a coordinate is infinite, or all scores of the file are 0, though it has coordinates.
        """
        everybody = [person for there in self.frames.values() for person in there]
        for number, there in self.frames.items():
            if any(np.isinf(person.points).any() for person in there):
                raise InputError(
                    f"{self.path}: a coordinate in frame {number} is infinite; leave undetected joints empty, or give "
                    "them the score 0"
                )
        placed = any(np.nan_to_num(person.points).any() for person in everybody)
        if placed and not any(person.seen.any() for person in everybody):
            raise InputError(
                f"{self.path}: all scores are 0, so no joint counts as detected; write the file with its scores, or "
                "with the score 1"
            )
        seen = {n: [person for person in there if person.seen.any()] for n, there in self.frames.items()}
        return replace(self, frames=seen)

    @cached_property
    def people(self) -> dict[str, int] | None:
        """Each person's number by name; None if people are not identified.

        It does if everybody has a name, and nobody is in one frame twice. Names that are different positive numbers of
        at most 9 digits are kept; otherwise people are numbered from 1 in order of appearance.
        """
        names: dict[str, None] = {}
        for number in sorted(self.frames):
            there = [observation.person for observation in self.frames[number]]
            if None in there or len(set(there)) < len(there):
                return None
            names.update((name, None) for name in there if name is not None)
        kept = {name: int(name) for name in names if name.isdecimal() and len(name) <= _DIGITS}
        if len({number for number in kept.values() if number > 0}) == len(names):
            return kept
        return {name: number for number, name in enumerate(names, start=1)}

    def fit(self, image_size: tuple[int, int], rotation: int = 0) -> PictureFit:
        """How the coordinates become pixels of the upright picture.

        Args:
            image_size: (width, height) of the upright picture in pixels.
            rotation: of the video's stored picture to the upright one, degrees clockwise.

        Raises:
            InputError: the coordinates are not pixels of such a picture.
        """
        scale = self._scale(image_size)
        people = [
            (person.points, np.where(person.seen, person.scores, 0.0))
            for there in self.frames.values()
            for person in there
        ]
        return fit_picture(self.path, people, self.skeleton, image_size, scale, rotation)

    def detections(self, fit: PictureFit) -> dict[int, NamedDetections]:
        """The people in each frame, in pixels, in the file's order.

        Joints with score 0 or without finite coordinates become NaN with score 0. Scores above 1 become 1. A missing
        box is that of the joints, and a missing box score the mean of the joint scores.

        Args:
            fit: from `fit`.
        """
        return {number: self.detect(observations, fit) for number, observations in self.frames.items()}

    def _scale(self, image_size: tuple[int, int]) -> Float[np.ndarray, "2"]:
        """Checked factor from the file's coordinates to pixels."""
        people = [person.points[person.seen] for there in self.frames.values() for person in there if person.seen.any()]
        if not people:
            return np.ones(2)
        points = np.concatenate(people)
        scale = np.array(image_size, float) if self.normalised else np.ones(2)
        if (
            not self.normalised
            and np.median([np.ptp(person, axis=0).max() for person in people if len(person) > 1] or [_SMALLEST])
            < _SMALLEST
        ):
            if self.format != "openpose" or points.min() < 0 or points.max() > 1.5:
                raise InputError(
                    f"{self.path}: coordinates lie between {points.min():.4g} and {points.max():.4g} and are not "
                    "pixels; write them in pixels (OpenPose: --keypoint_scale 0; Sports2D: the file with _px_)"
                )
            # OpenPose's keypoint_scale 3: (0, 0) is the first pixel and (1, 1) the last.
            scale = np.array(image_size, float) - 1
        if (farthest := np.abs(points * scale).max()) > _FARTHEST * max(image_size):
            raise InputError(
                f"{self.path}: a point is {farthest:.3g} pixels away; leave undetected joints empty, or give "
                "them the score 0"
            )
        return scale

    def detect(self, observations: list[Observation], fit: PictureFit) -> NamedDetections:
        """The people of one frame."""
        boxes, box_scores, keypoints, scores = [], [], [], []
        for observation in observations:
            points = np.where(observation.seen[:, None], fit.to_pixels(observation.points), np.nan)
            values = np.where(observation.seen, np.clip(observation.scores, 0, 1), 0.0)
            corners = points[observation.seen] if observation.seen.any() else np.zeros((1, 2))
            own = float(values[observation.seen].mean()) if observation.seen.any() else 0.0
            own_box = observation.box is None or fit.turns
            boxes.append(np.concatenate([corners.min(0), corners.max(0)]) if own_box else observation.box)
            box_scores.append(own if observation.box_score is None else min(max(observation.box_score, 0.0), 1.0))
            keypoints.append(points)
            scores.append(values)
        numbers = self.people
        return NamedDetections(
            np.array(boxes, float).reshape(-1, 4),
            np.array(box_scores, float),
            np.array(keypoints, float).reshape(-1, len(self.skeleton), 2),
            np.array(scores, float).reshape(-1, len(self.skeleton)),
            self.skeleton,
            None if numbers is None else tuple(numbers[str(observation.person)] for observation in observations),
        )


def frames_by_time(
    people: Mapping[str, tuple[Float[np.ndarray, " t"], Sequence[Observation]]],
) -> tuple[dict[int, list[Observation]], dict[int, float]]:
    """`frames` and `timestamps` of a `KeypointFile`, from one file per person.

    Args:
        people: timestamps and observations by name.
    """
    times = sorted({round(float(time), 6) for timestamps, _ in people.values() for time in timestamps})
    numbers = {time: number for number, time in enumerate(times)}
    frames: dict[int, list[Observation]] = {number: [] for number in range(len(times))}
    for timestamps, observations in people.values():
        for time, observation in zip(timestamps, observations, strict=True):
            if observation.seen.any():
                frames[numbers[round(float(time), 6)]].append(observation)
    return frames, dict(enumerate(times))
