"""The tracker: assigns detections to people by their poses."""

import numpy as np

from poselift.core.errors import InputError
from poselift.core.safe_parsing import real_number
from poselift.geometry.camera import check_image_size
from poselift.numerics.times import median_interval
from poselift.skeleton import Skeleton
from poselift.structures import Detections, Keypoints2D
from poselift.tracking.matching import assign, cost
from poselift.tracking.stitching import stitch
from poselift.tracking.track import Track

_START_SCORE = 0.3
"""Least box score of a detection that starts a track."""
_PATIENCE = 2.0
"""Seconds for which an unseen person is still searched; stitching joins what reappears later."""
_CONFIRM = 0.1
"""Seconds of observation after which a person gets a number."""
_MIN_SEEN = 0.25
"""Least observed time of a track that is kept, seconds, or half the clip if that is less."""
_MIN_SHARE = 0.3
"""A fragment is kept if the person was detected in at least this share of its frames in which the detector ran."""
_BLINK = 0.1
"""Longest time between two observations of somebody who is observed all the time, seconds."""
_MIN_SCORE = 0.2
"""Least mean joint score of a track that is kept."""


class Tracker:
    """Tracks people through a video, one frame at a time.

    Each track predicts its next pose by a velocity that decays within a second. The Hungarian method assigns detections
    to tracks. The cost is a sum of displacement, difference of pose and difference of size, in lengths of the person;
    gates open with the time since the person was last seen to move. All times are seconds, so frame rates may vary.

    In synthetic crowds it confuses fewer people than ByteTrack and OC-SORT, which compare boxes only: see
    benchmarks/tracking.md. It stores keypoints, scores and timestamps, but no pictures.

    Args:
        image_size: (width, height) of the frames in pixels.
        history: keep all observations, for `tracks`. Without, memory does not grow, as a live stream needs.
    """

    def __init__(self, image_size: tuple[int, int], *, history: bool = True) -> None:
        self._image_size = check_image_size(image_size)
        self._history = history
        self._timestamps: list[float] = []
        self._detected = [0]  # frames in which the detector ran, before each frame
        self._tracks: list[Track] = []  # all of the clip
        self._alive: list[Track] = []  # those that are still searched
        self._numbers = 0
        self._skeleton: Skeleton | None = None

    def update(self, detections: Detections | None, timestamp: float) -> list[int]:
        """The number of each person in the next frame.

        Args:
            detections: the people in the frame; None if no detector looked at it.
            timestamp: of the frame, seconds.

        Returns:
            For each detection the number of its person, from 1 in order of confirmation; 0 for people who were observed
            for less than 0.1 s. `tracks` assigns new numbers, because it knows the whole clip.

        Raises:
            InputError: the timestamp is no finite number, or not later than the previous one.
        """
        seconds = real_number(timestamp)
        if seconds is None or not np.isfinite(seconds):
            raise InputError(f"the timestamp {timestamp!r:.40} is not a finite number; give seconds")
        timestamp = seconds
        if self._timestamps and timestamp <= self._timestamps[-1]:
            raise InputError(
                f"the frame at {timestamp} s follows one at {self._timestamps[-1]} s; give frames in order of time"
            )
        alive = self._alive = [track for track in self._alive if timestamp - track.timestamps[-1] <= _PATIENCE]
        if not self._history:
            self._forget()
        frame = len(self._timestamps)
        self._timestamps.append(timestamp)
        self._detected.append(self._detected[-1] + (detections is not None))
        if detections is None:
            return []
        self._skeleton = detections.skeleton
        people = range(len(detections))
        costs = [
            [
                cost(
                    track.difference(timestamp, detections.keypoints[person], detections.scores[person]),
                    timestamp - track.changed,
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
                self._alive.append(track)
                if self._history:
                    self._tracks.append(track)
            track.add(frame, timestamp, keypoints, scores)
            if track.number == 0 and timestamp - track.timestamps[0] >= _CONFIRM:
                self._numbers += 1
                track.number = self._numbers
            numbers.append(track.number)
        return numbers

    def tracks(self) -> list[Keypoints2D]:
        """Everybody's keypoints so far, numbered from 1 by first appearance.

        First, fragments with observations in less than 30 % of the frames in which the detector ran are dropped. Then
        fragments of one person are joined over up to four seconds. At last, people who were observed for less than
        0.25 s (or half the clip, if that is less), or whose mean joint score is below 0.2, are dropped.

        Returns:
            One `Keypoints2D` per person, from the first to the last frame with the person; frames in between without
            an observation are NaN with score 0.

        Raises:
            InputError: the tracker has no history.
        """
        if not self._history:
            raise InputError("this tracker keeps no history; build it with history=True")
        if self._skeleton is None:
            return []
        times = np.array(self._timestamps, dtype=float)
        interval = median_interval(times)
        needed = min(_MIN_SEEN, 0.5 * interval * len(times))
        # For each fragment, because a person may be hidden for long between two of them.
        dense = [
            track
            for track in self._tracks
            if len(track.frames)
            >= _MIN_SHARE * (self._detected[track.frames[-1] + 1] - self._detected[track.frames[0]])
        ]
        kept = [
            track
            for track in stitch(dense)
            if _count_seconds(track, interval) >= needed - 1e-9 and np.mean(track.scores) >= _MIN_SCORE
        ]
        kept.sort(key=lambda track: track.frames[0])
        return [
            Keypoints2D.from_frames(
                track.frames, track.keypoints, track.scores, times, self._skeleton, self._image_size, person
            )
            for person, track in enumerate(kept, start=1)
        ]

    def _forget(self) -> None:
        """Forgets what `update` does not need. The last observation of those who are still searched stays."""
        for track in self._alive:
            track.shorten()
        del self._timestamps[:-1]
        del self._detected[:-1]


def _count_seconds(track: Track, interval: float) -> float:
    """Seconds for which somebody was observed."""
    between = np.diff(track.timestamps)
    # Frames in bursts are nearer to each other than the usual interval.
    return max(len(track.frames) * interval, float(between[between <= _BLINK].sum()) + interval)
