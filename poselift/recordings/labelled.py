"""A recording as an xarray dataset with named axes."""

from typing import TYPE_CHECKING

import numpy as np

from poselift.core.errors import InputError
from poselift.core.optional import require
from poselift.structures import Recording

if TYPE_CHECKING:
    import xarray


def label_recording(recording: Recording) -> "xarray.Dataset":
    """Everybody's places as a dataset; NaN in frames without the person.

    Variables: `position` (time, person, joint, space), metres, in the frame of the recording, and `uncertainty` (time,
    person, joint), metres. Joints of hands, if there are any, come last; their uncertainty is not known. Times are
    those of all people, seconds.

    Raises:
        InputError: xarray is not installed, or there is nobody.
    """
    xr = require("xarray", "tables")
    if not recording.people:
        raise InputError("the recording has nobody; lift a video in which somebody is found")
    times = np.unique(np.concatenate([motion.timestamps for motion in recording.people]))
    fingered = [motion.with_fingers() for motion in recording.people]
    joints = max((skeleton.joints for _, skeleton in fingered), key=len)
    position = np.full((len(times), len(recording.people), len(joints), 3), np.nan, np.float32)
    uncertainty = np.full(position.shape[:3], np.nan, np.float32)
    for column, (motion, (placed, skeleton)) in enumerate(zip(recording.people, fingered, strict=True)):
        rows = np.searchsorted(times, motion.timestamps)
        position[rows, column, : len(skeleton)] = placed + motion.root[:, None]
        if motion.uncertainty is not None:
            uncertainty[rows, column, : len(motion.skeleton)] = motion.uncertainty
    return xr.Dataset(
        {
            "position": (("time", "person", "joint", "space"), position, {"units": "m"}),
            "uncertainty": (("time", "person", "joint"), uncertainty, {"units": "m", "meaning": "holds 90 %"}),
        },
        {
            "time": ("time", times, {"units": "s"}),
            "person": [motion.keypoints.person for motion in recording.people],
            "joint": list(joints),
            "space": ["x", "y", "z"],
        },
        {"frame": recording.people[0].frame},
    )
