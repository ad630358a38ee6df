"""Who is who, where the file says so."""

from dataclasses import dataclass

import numpy as np

from poselift.structures import Detections, Keypoints2D


@dataclass(frozen=True)
class NamedDetections(Detections):
    """The people in one frame, and who they are.

    Attributes:
        people: their numbers, from 1; None where the file does not say.
    """

    people: tuple[int, ...] | None = None


class NamedTracks:
    """Puts together what a file says is one person's, in the place of `poselift.tracking.Tracker`.

    Args:
        image_size: (width, height) of the frames in pixels.
    """

    def __init__(self, image_size: tuple[int, int]) -> None:
        self._image_size = image_size
        self._timestamps: list[float] = []
        self._frames: list[NamedDetections] = []

    def update(self, detections: Detections, timestamp: float) -> list[int]:
        """Takes the next frame, at a time in seconds; the number of each person in it."""
        assert isinstance(detections, NamedDetections)
        assert detections.people is not None
        self._frames.append(detections)
        self._timestamps.append(timestamp)
        return list(detections.people)

    def tracks(self) -> list[Keypoints2D]:
        """Everybody who was seen, by number.

        Returns:
            One `Keypoints2D` a person, from the first to the last frame in which a joint of theirs was seen; frames
            in between in which none was are NaN with score 0.
        """
        rows: dict[int, dict[int, int]] = {}
        for index, frame in enumerate(self._frames):
            for row, person in enumerate(frame.people or ()):
                if (frame.scores[row] > 0).any():
                    rows.setdefault(person, {})[index] = row
        return [self._track(person, rows[person]) for person in sorted(rows)]

    def _track(self, person: int, rows: dict[int, int]) -> Keypoints2D:
        """One person, who is in these rows of these frames."""
        first, end = min(rows), max(rows) + 1
        skeleton = self._frames[first].skeleton
        keypoints = np.full((end - first, len(skeleton), 2), np.nan)
        scores = np.zeros(keypoints.shape[:2])
        for index, row in rows.items():
            keypoints[index - first] = self._frames[index].keypoints[row]
            scores[index - first] = self._frames[index].scores[row]
        times = np.array(self._timestamps[first:end], float)
        return Keypoints2D(keypoints, scores, times, skeleton, self._image_size, person)
