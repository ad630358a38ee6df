"""One zero of time for a run's files: its first frame."""

from collections.abc import Sequence
from dataclasses import replace

from poselift.structures import Motion, Recording


def count_from_zero(motions: Sequence[Motion], start: float | None = None) -> list[Motion]:
    """The motions with their times counted from the start of the run.

    Args:
        motions: of one run.
        start: time of the run's first frame by the clock of the motions, seconds; their own first frame if None.
    """
    first = min(float(motion.timestamps[0]) for motion in motions) if start is None else start
    return [
        replace(
            motion,
            timestamps=motion.timestamps - first,
            keypoints=replace(motion.keypoints, timestamps=motion.keypoints.timestamps - first),
        )
        for motion in motions
    ]


def start_at_zero(recording: Recording) -> Recording:
    """The recording with its clock counted from its first frame."""
    start = min(recording.clock.span[0], *(float(motion.timestamps[0]) for motion in recording.people))
    cameras = tuple(
        camera if camera.times is None else replace(camera, times=camera.times - start) for camera in recording.cameras
    )
    clock = replace(recording.clock, span=(0.0, recording.clock.span[1] - start))
    return replace(recording, people=tuple(count_from_zero(recording.people, start)), cameras=cameras, clock=clock)
