"""Who is who from frame to frame."""

import numpy as np

from poselift.core.times import usual_interval
from poselift.skeleton import Skeleton
from poselift.structures import Detections, Keypoints2D
from poselift.tracking.matching import assign, cost
from poselift.tracking.stitching import stitch
from poselift.tracking.track import Track

_START_SCORE = 0.3
"""A detection below this box score can carry a track on, but not begin one."""
_PATIENCE = 2.0
"""Seconds for which somebody who is not seen is still looked for; what reappears later is left to stitching."""
_CONFIRM = 0.1
"""Seconds for which somebody must have been seen to get a number."""
_MIN_SEEN = 0.25
"""Seconds that a track must be seen for in all to be kept, or half the clip if that is less."""
_MIN_SHARE = 0.3
"""Share of the frames between its first and last in which a kept fragment is seen."""
_MIN_SCORE = 0.2
"""Mean score of the joints of a kept track."""


class Tracker:
    """Follows people through a video, one frame at a time.

    Each person is looked for where the last pose would be at the person's velocity, which fades over a
    second. Detections are given to tracks by the Hungarian method, at a cost of displacement, difference of
    pose and difference of size, all in lengths of the person, behind gates that open with the time since the
    person was last seen. All times are seconds, so that frame rates may be any and vary.

    In made crowds this keeps to people better than ByteTrack and OC-SORT, which know boxes only: see
    benchmarks/tracking.md. Only keypoints, scores and time stamps are kept.

    Args:
        image_size: (width, height) of the frames in pixels.
    """

    def __init__(self, image_size: tuple[int, int]) -> None:
        self._image_size = image_size
        self._timestamps: list[float] = []
        self._tracks: list[Track] = []
        self._numbers = 0
        self._skeleton: Skeleton | None = None

    def update(self, detections: Detections, timestamp: float) -> list[int]:
        """Takes the next frame.

        Args:
            detections: the people in it.
            timestamp: its time in seconds.

        Returns:
            For each detection the number of its person, counted from 1 in the order in which they were
            confirmed; 0 where somebody has not been seen for 0.1 s yet. `tracks` counts anew, as it knows the
            whole clip: it drops what was spurious and joins what belongs together.

        Raises:
            ValueError: the time is not later than that of the frame before.
        """
        if self._timestamps and timestamp <= self._timestamps[-1]:
            raise ValueError(f"frame at {timestamp} s follows one at {self._timestamps[-1]} s; frames go in by time")
        frame = len(self._timestamps)
        self._timestamps.append(timestamp)
        self._skeleton = detections.skeleton
        people = range(len(detections))
        alive = [track for track in self._tracks if timestamp - track.timestamps[-1] <= _PATIENCE]
        costs = [
            [
                cost(
                    track.difference(timestamp, detections.keypoints[person], detections.scores[person]),
                    timestamp - track.timestamps[-1],
                )
                for person in people
            ]
            for track in alive
        ]
        found = {person: alive[row] for row, person in assign(costs)}
        numbers = []
        for person in people:
            keypoints, scores = detections.keypoints[person], detections.scores[person]
            track = found.get(person)
            if track is None:
                if detections.box_scores[person] < _START_SCORE or not np.isfinite(keypoints).any():
                    numbers.append(0)
                    continue
                track = Track()
                self._tracks.append(track)
            track.add(frame, timestamp, keypoints, scores)
            if track.number == 0 and timestamp - track.timestamps[0] >= _CONFIRM:
                self._numbers += 1
                track.number = self._numbers
            numbers.append(track.number)
        return numbers

    def tracks(self) -> list[Keypoints2D]:
        """Everybody in the frames so far, numbered from 1 in order of first appearance.

        Fragments of one person with up to four seconds between them are joined where prediction forwards and
        backwards agree. Dropped are fragments seen in less than 30 % of the frames between their first and last, and
        then who is seen for less than 0.25 s in all (or half the clip, if that is less), or with a mean score of the
        joints below 0.2.

        Returns:
            One `Keypoints2D` a person, from the first to the last frame in which the person was seen; frames
            in between in which the person was not are NaN with score 0.
        """
        if self._skeleton is None:
            return []
        times = np.array(self._timestamps, dtype=float)
        interval = usual_interval(times)
        needed = min(_MIN_SEEN, 0.5 * interval * len(times))
        # The share is asked of fragments: a person may be hidden for long between two of them.
        steady = [
            track
            for track in self._tracks
            if len(track.frames) >= _MIN_SHARE * (track.frames[-1] - track.frames[0] + 1)
        ]
        kept = [
            track
            for track in stitch(steady)
            if len(track.frames) * interval >= needed - 1e-9 and np.mean(track.scores) >= _MIN_SCORE
        ]
        kept.sort(key=lambda track: track.frames[0])
        return [
            Keypoints2D.from_frames(
                track.frames, track.keypoints, track.scores, times, self._skeleton, self._image_size, person
            )
            for person, track in enumerate(kept, start=1)
        ]
