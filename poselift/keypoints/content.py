"""What files of 2D keypoints hold, whatever their format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.keypoints.people import NamedDetections
from poselift.skeleton import Skeleton

_SMALLEST = 4.0
"""People whose longer side is less than this are not measured in pixels."""
_INSIDE = 0.5
"""Share of the points that must lie in the picture."""
_FARTHEST = 100.0
"""Pictures away that a point may be: farther, the file is damaged, and numbers that large end in infinity."""


@dataclass(frozen=True)
class Observation:
    """One person in one frame, as the file has it.

    Attributes:
        points: in pixels, or from 0 to 1 where the format knows such; whatever stands there where the score is 0.
        scores: of each point; 0 where it was not found.
        person: whose they are, where the file says; None where it does not.
        box: x0, y0, x1, y1, where the file has one.
        box_score: how sure the detector was of the person, where the file says.
    """

    points: Float[np.ndarray, "j 2"]
    scores: Float[np.ndarray, " j"]
    person: str | None = None
    box: Float[np.ndarray, "4"] | None = None
    box_score: float | None = None

    @property
    def seen(self) -> np.ndarray:
        """Which joints were found."""
        return np.isfinite(self.points).all(-1) & (self.scores > 0)


@dataclass(frozen=True)
class KeypointFile:
    """2D keypoints that were made elsewhere.

    Attributes:
        path: the file or folder.
        format: as in `poselift.keypoints.READERS`.
        skeleton: the joint set of what it holds.
        frames: the people in each frame, by the frame's number; a frame that is not there has nobody.
        image_size: (width, height) of the pictures in pixels, where the file says.
        timestamps: of each frame, seconds, where the file says.
    """

    path: Path
    format: str
    skeleton: Skeleton
    frames: dict[int, list[Observation]]
    image_size: tuple[int, int] | None = None
    timestamps: dict[int, float] | None = None

    @cached_property
    def people(self) -> dict[str, int] | None:
        """The number of each person, by the file's name; None where the file does not say who is who.

        It does where everybody has a name and nobody is in one frame twice. Names that are numbers from 1 up are
        kept; other people are numbered from 1 as they appear.
        """
        names: dict[str, None] = {}
        for number in sorted(self.frames):
            there = [observation.person for observation in self.frames[number]]
            if None in there or len(set(there)) < len(there):
                return None
            names.update((name, None) for name in there if name is not None)
        if all(name.isdecimal() and int(name) > 0 for name in names):
            return {name: int(name) for name in names}
        return {name: number for number, name in enumerate(names, start=1)}

    def detections(self, image_size: tuple[int, int]) -> dict[int, NamedDetections]:
        """The people in each frame, in pixels, in the file's order.

        A joint that scores 0 or is not finite is unseen: NaN with score 0. Scores above 1, as some detectors give,
        count as 1. A box that the file lacks is that of the joints, and a person's score the mean of theirs.

        Args:
            image_size: (width, height) in pixels.

        Raises:
            InputError: the coordinates are not pixels of such a picture.
        """
        scale = self._scale(image_size)
        return {number: self._detections(observations, scale) for number, observations in self.frames.items()}

    def _scale(self, image_size: tuple[int, int]) -> Float[np.ndarray, "2"]:
        """From the file's coordinates to pixels, after making sure that these can be meant."""
        people = [
            points
            for observations in self.frames.values()
            for observation in observations
            if len(points := _seen(observation))
        ]
        if not people:
            return np.ones(2)
        points = np.concatenate(people)
        scale = np.ones(2)
        if np.median([np.ptp(person, axis=0).max() for person in people if len(person) > 1] or [_SMALLEST]) < _SMALLEST:
            if self.format != "openpose" or points.min() < 0 or points.max() > 1.5:
                raise InputError(
                    f"{self.path}: coordinates lie between {points.min():.2f} and {points.max():.2f} and are no "
                    "pixels; write them in pixels (OpenPose: --keypoint_scale 0; Sports2D: the file with _px_)"
                )
            # OpenPose's keypoint_scale 3: (0, 0) is the first pixel and (1, 1) the last.
            scale = np.array(image_size, float) - 1
        inside = np.all((points * scale >= -0.5) & (points * scale <= np.array(image_size) - 0.5), axis=-1)
        if inside.mean() < _INSIDE:
            far = " x ".join(f"{value:.0f}" for value in (points * scale).max(0))
            raise InputError(
                f"{self.path}: most points lie outside a picture of {image_size[0]} x {image_size[1]} (they reach to "
                f"{far}); give the size or the video that the keypoints were found in"
            )
        if (farthest := np.abs(points * scale).max()) > _FARTHEST * max(image_size):
            raise InputError(
                f"{self.path}: a point is {farthest:.3g} pixels away, which cannot be meant; a joint that was not "
                "found is empty or has the score 0"
            )
        return scale

    def _detections(self, observations: list[Observation], scale: Float[np.ndarray, "2"]) -> NamedDetections:
        boxes, box_scores, keypoints, scores = [], [], [], []
        for observation in observations:
            points = np.where(observation.seen[:, None], observation.points * scale, np.nan)
            values = np.where(observation.seen, np.clip(observation.scores, 0, 1), 0.0)
            corners = points[observation.seen] if observation.seen.any() else np.zeros((1, 2))
            own = float(values[observation.seen].mean()) if observation.seen.any() else 0.0
            boxes.append(
                np.concatenate([corners.min(0), corners.max(0)]) if observation.box is None else observation.box
            )
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
    """The frames of files that have one person each, from everybody's time stamps and observations.

    Args:
        people: by name.

    Returns:
        What `KeypointFile` has as `frames` and `timestamps`.
    """
    times = sorted({round(float(time), 6) for timestamps, _ in people.values() for time in timestamps})
    numbers = {time: number for number, time in enumerate(times)}
    frames: dict[int, list[Observation]] = {number: [] for number in range(len(times))}
    for timestamps, observations in people.values():
        for time, observation in zip(timestamps, observations, strict=True):
            if observation.seen.any():
                frames[numbers[round(float(time), 6)]].append(observation)
    return frames, dict(enumerate(times))


def _seen(observation: Observation) -> Float[np.ndarray, "n 2"]:
    return observation.points[observation.seen]
