"""Everybody in a clip, followed from frame to frame."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.stopwatch import Stopwatch
from poselift.finding.video_clip import Clip, ReadShare
from poselift.numerics.times import median_interval
from poselift.structures import Clock, Keypoints2D


@dataclass(frozen=True)
class TrackedPeople:
    """The people of a clip in 2D.

    Attributes:
        tracks: of each person.
        times: of all frames, seconds.
        best_scores: the highest joint score of each frame in which the detector ran; 0 where it found nobody.
    """

    tracks: list[Keypoints2D]
    times: Float[np.ndarray, " t"]
    best_scores: list[float]

    @property
    def interval(self) -> float:
        """The median time between two frames, seconds; 0 for a single one."""
        return median_interval(self.times)

    @property
    def span(self) -> tuple[float, float]:
        """Timestamps of the first and the last frame, seconds."""
        return float(self.times[0]), float(self.times[-1])

    def clock(self, clip: Clip) -> Clock:
        """The clock of a recording of the clip."""
        return Clock(1 / self.interval if self.interval else clip.fps, len(self.times), self.span, clip.video_fps)


def track_people(clip: Clip, named: Iterable[int], watch: Stopwatch, progress: ReadShare) -> TrackedPeople:
    """Finds and follows everybody in a clip.

    Args:
        clip: frames, people and a tracker.
        named: numbers of people who must be there, if anybody is.
        watch: counts the time to "read", "detect" and "track".
        progress: receives the share of the frames that were read.

    Raises:
        InputError: the clip has no frame in its span or cannot be read, or somebody is not in it.
    """
    tracker = clip.tracker()
    times: list[float] = []
    best: list[float] = []
    for detections, timestamp in clip.people(watch, progress):
        with watch.time("track"):
            tracker.update(detections, timestamp)
        times.append(timestamp)
        if detections is not None:
            best.append(float(detections.scores.max(initial=0.0)))
    progress(1.0)
    with watch.time("track"):
        tracks = tracker.tracks()
    present = sorted(track.person for track in tracks)
    absent = [str(number) for number in dict.fromkeys(named) if number not in present]
    if absent and present:
        raise InputError(f"no person {', '.join(absent)} in {clip.path}; choose from {', '.join(map(str, present))}")
    return TrackedPeople(tracks, np.array(times), best)
