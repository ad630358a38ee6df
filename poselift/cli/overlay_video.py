"""The video with bodies drawn, for `poselift lift` and `poselift figure`."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from poselift.core.prefetch import prefetch
from poselift.finding.video_clip import PREFETCHED
from poselift.kinematics import legs_as_seen, measure_joint_angles
from poselift.lifting.run import Progress
from poselift.structures import Recording, see_from_camera
from poselift.video import VideoWriter
from poselift.video.reader import Frame
from poselift.viz import OverlayRenderer

_X264 = {"preset": "ultrafast", "crf": "22", "x264-params": "bframes=3:b-adapt=0:no-deblock=0:deblock=0,0"}
"""Of the overlay, to look at: a third of the time of `VideoWriter`'s own setting, for a file 40 % larger. B-frames at
fixed places cost no search, and make up for what the preset leaves out."""


def write_overlay(
    path: Path,
    frames: Iterable[Frame],
    recording: Recording,
    angles: bool = False,
    report: Progress = lambda stage, done: None,
) -> None:
    """Writes the pictures with the people on them, beside the 3D scene.

    Args:
        path: of the video to write.
        frames: of the recording's span, with its times.
        recording: with at least one person and a camera.
        angles: whether to write the joint angles beside the people.
        report: receives the progress.

    Raises:
        InputError: a frame cannot be read, or the video cannot be written.
    """
    camera = recording.camera
    people = [see_from_camera(motion, camera) for motion in recording.people]
    K: np.ndarray | list[np.ndarray] = camera.K.astype(float)
    if camera.K.ndim == 3:
        K = [camera.at(motion.timestamps).K.astype(float) for motion in people]
    bodies = legs_as_seen(recording).people if angles else ()
    renderer = OverlayRenderer(
        camera.image_size,
        people,
        K=K,
        lens=camera.lens,
        angles=[measure_joint_angles(motion) if motion.posed.any() else None for motion in bodies],
    )
    # Frames are decoded, drawn and encoded side by side.
    drawn = ((renderer.render(frame.image, frame.timestamp), frame.timestamp) for frame in prefetch(frames, PREFETCHED))
    with VideoWriter(path, *renderer.size, x264=_X264) as writer:
        for done, (picture, timestamp) in enumerate(prefetch(drawn, PREFETCHED), start=1):
            writer.write(picture, timestamp)
            report("Drawing", min(done / recording.clock.frames, 1.0))
