"""People that the input file has already identified."""

from dataclasses import dataclass

import numpy as np

from poselift.structures import Detections, Keypoints2D


@dataclass(frozen=True)
class NamedDetections(Detections):
    """The people in one frame, with their numbers.

    Attributes:
        people: numbers from 1; None if the file does not identify people.
    """

    people: tuple[int, ...] | None = None


class NamedTracker:
    """Collects the keypoints of each person by number, in place of `poselift.tracking.Tracker`.

    Args:
        image_size: (width, height) of the frames in pixels.
    """

    def __init__(self, image_size: tuple[int, int]) -> None:
        self._image_size = image_size
        self._timestamps: list[float] = []
        self._frames: list[NamedDetections] = []

    def update(self, detections: Detections | None, timestamp: float) -> list[int]:
        """Each person's number in the next frame; timestamps are in seconds."""
        assert isinstance(detections, NamedDetections)
        assert detections.people is not None
        self._frames.append(detections)
        self._timestamps.append(timestamp)
        return list(detections.people)

    def tracks(self) -> list[Keypoints2D]:
        """The keypoints of each person, ordered by number.

        Returns:
            One `Keypoints2D` per person, from the first to the last frame with a visible joint; frames in between
            without one are NaN with score 0.
        """
        rows: dict[int, dict[int, int]] = {}
        for index, frame in enumerate(self._frames):
            for row, person in enumerate(frame.people or ()):
                if (frame.scores[row] > 0).any():
                    rows.setdefault(person, {})[index] = row
        times = np.array(self._timestamps, float)
        return [
            Keypoints2D.from_frames(
                list(seen),
                [self._frames[index].keypoints[row] for index, row in seen.items()],
                [self._frames[index].scores[row] for index, row in seen.items()],
                times,
                self._frames[0].skeleton,
                self._image_size,
                person,
            )
            for person, seen in sorted(rows.items())
        ]
