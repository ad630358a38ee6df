"""C3D: marker positions as biomechanics programs read them (c3d.org), written by ezc3d."""

import errno
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.export.export_options import ExportOptions
from poselift.export.markers import place_markers
from poselift.kinematics import measure_gait, steps_with
from poselift.structures import FEET, Motion, Recording

_LONGEST = 255
"""Entries that a parameter can have; further ones are in parameters with 2, 3 and so on after their names."""

_EVENTS = {"strike": ("Foot Strike", 1), "toe-off": ("Foot Off", 2)}
"""Label and icon of each event, as Vicon's and most other programs have them."""

MOST_FRAMES = 65_535
"""Largest number of frames that the format itself can say."""
_BLOCK, _NUMBER = 512, 4
"""Bytes of a block of the format, and of a number."""


def write_c3d(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes joints as points: millimetres, a constant rate.

    The residual of a point is the radius that holds the joint in 90 % of cases, millimetres; 0 where it is unknown, and
    -1 in empty frames, as the format has it for points that are missing. The group SUBJECTS has USED, NAMES, and if all
    heights are known HEIGHTS, metres, and HEIGHT_ORIGINS, given or estimated. The group EVENT has the foot strikes and
    toe-offs of people who walk or run in the world frame; its seconds count from the first frame. Files of more than
    65,535 frames have POINT:LONG_FRAMES and TRIAL:ACTUAL_END_FIELD (https://c3d.org, "Reading the frame count"); some
    readers ignore both.

    Args:
        path: the file to write.
        recording: everybody in the file; see `place_markers`. The file starts with its clock.
        options: the axis that points up, and the names of the points.

    Raises:
        InputError: ezc3d is not installed, the file cannot be written, or as of `place_markers`.
    """
    ezc3d = require("ezc3d", "c3d")
    motions = recording.people
    found = place_markers(motions, options.up, recording.clock.span[0], names_of=options.markers)
    file = ezc3d.c3d()
    point = file["parameters"]["POINT"]
    point["RATE"]["value"] = [found.rate]
    point["LABELS"]["value"] = found.names
    point["UNITS"]["value"] = ["mm"]
    file.add_parameter("POINT", "X_SCREEN", ["+X"])
    file.add_parameter("POINT", "Y_SCREEN", [f"+{options.up.upper()}"])
    file.add_parameter("SUBJECTS", "USED", [len(motions)])
    file.add_parameter("SUBJECTS", "NAMES", [f"person_{motion.keypoints.person}" for motion in motions])
    heights = [motion.height for motion in motions if motion.height is not None]
    if len(heights) == len(motions):
        file.add_parameter("SUBJECTS", "HEIGHTS", [height.metres for height in heights])
        file.add_parameter("SUBJECTS", "HEIGHT_ORIGINS", [height.origin for height in heights])
    for name, values in _list_events(motions, found.start).items():
        file.add_parameter("EVENT", name, values)
    if (frames := len(found.positions)) > MOST_FRAMES:
        # POINT:FRAMES has 16 bits; readers that know one of these find the others.
        file.add_parameter("POINT", "LONG_FRAMES", [float(frames)])
        file.add_parameter("TRIAL", "ACTUAL_START_FIELD", [1, 0])
        file.add_parameter("TRIAL", "ACTUAL_END_FIELD", [frames % (1 << 16), frames >> 16])
    missing = np.isnan(found.positions).any(-1).T
    points = np.ones((4, *missing.shape))
    points[:3] = found.positions.transpose(2, 1, 0)
    points[:3, missing] = np.nan
    file["data"]["points"] = points
    residuals = np.where(missing, -1.0, np.nan_to_num(found.uncertainty.T))
    file["data"]["meta_points"] = {
        "residuals": residuals[None],
        "camera_masks": np.zeros((7, *missing.shape), dtype=bool),
    }
    # By way of another folder, because ezc3d takes no path that is not UTF-8.
    with atomic_path(path) as temporary, tempfile.TemporaryDirectory() as folder:
        file.write(f"{folder}/motion.c3d")
        content = Path(folder, "motion.c3d").read_bytes()
        # Word 9 of the header is the first block of the data. ezc3d says nothing where the disk is full.
        if len(content) < (int.from_bytes(content[16:18], "little") - 1) * _BLOCK + points.size * _NUMBER:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        temporary.write_bytes(content)


def _list_events(motions: Sequence[Motion], start: float) -> dict[str, list[int] | list[str] | np.ndarray]:
    """The parameters of the group EVENT; none without events.

    Args:
        motions: everybody.
        start: seconds of the file's first frame.
    """
    found = [
        (time - start, foot, *_EVENTS[name], f"person_{motion.keypoints.person}")
        for motion in motions
        if motion.frame == "world" and steps_with(motion.skeleton)
        for time, foot, name in measure_gait(motion).events
    ]
    parameters: dict[str, list[int] | list[str] | np.ndarray] = {"USED": [len(found)]} if found else {}
    found.sort()
    for part, first in enumerate(range(0, len(found), _LONGEST), 1):
        rows = found[first : first + _LONGEST]
        times, feet, labels, icons, subjects = zip(*rows, strict=True)
        end = str(part) if part > 1 else ""
        parameters |= {
            f"CONTEXTS{end}": [FEET[foot].removesuffix("_foot").capitalize() for foot in feet],
            f"ICON_IDS{end}": list(icons),
            f"LABELS{end}": list(labels),
            f"SUBJECTS{end}": list(subjects),
            f"TIMES{end}": np.array([np.array(times) // 60, np.array(times) % 60]),  # minutes, seconds
        }
    return parameters
