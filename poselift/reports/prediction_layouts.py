"""The layouts of VideoPose3D's and MotionBERT's predictions.

VideoPose3D (https://github.com/facebookresearch/VideoPose3D, run.py) writes one clip, (t, 17, 3) in metres, camera
frame, with `--viz-export`. Tools around it keep whole test sets in the layout of its data files, {subject: {action:
[a clip a camera]}}. MotionBERT (https://github.com/Walter0807/MotionBERT, train.py `evaluate`) has its test set as
clips of one length, (n, 243, 17, 3), in mm after the factors of its data file. It cuts each video into whole clips in
the order of the file and drops the rest at the end of each video.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.data.views import View


def tree_by_view(path: Path, tree: Mapping[str, Any], views: Sequence[View]) -> dict[str, np.ndarray]:
    """The clip of each view in {subject: {action: [a clip a camera]}}.

    Views are named "subject/action/camera"; the cameras of an action are in the order of its views. HumanEva's
    subjects may be called "Validate/S1" in the tree.

    Raises:
        InputError: the tree has another form, or another number of cameras than the views.
    """
    found: dict[str, np.ndarray] = {}
    together: dict[tuple[str, str], list[View]] = {}
    for view in views:
        subject, _, rest = view.name.partition("/")
        together.setdefault((subject, rest.rpartition("/")[0]), []).append(view)
    for (subject, action), own in together.items():
        actions = tree.get(subject, tree.get(f"Validate/{subject}", {}))
        clips = actions.get(action, []) if isinstance(actions, Mapping) else None
        if clips is None or not isinstance(clips, Sequence | np.ndarray):
            raise InputError(f"{path}: {subject!r} is not {{action: [a clip a camera]}}")
        if len(clips) not in (0, len(own)):
            raise InputError(
                f"{path}: {subject} {action} has {len(clips)} cameras, the data has {len(own)}; use equal ones"
            )
        found |= {view.name: np.asarray(clip) for view, clip in zip(own, clips, strict=False)}
    return found


def clips_by_view(path: Path, clips: np.ndarray, views: Sequence[View]) -> dict[str, np.ndarray]:
    """Each view's poses from clips of one length, end to end.

    Frames after a view's last clip are NaN.

    Raises:
        InputError: the views have room for another number of clips, or a view is shorter than a clip (MotionBERT
            stretches those at random).
    """
    count, frames, joints, channels = clips.shape
    room = [len(view) // frames for view in views]
    short = [view.name for view, whole in zip(views, room, strict=True) if whole == 0]
    if short:
        raise InputError(f"{path} has clips of {frames} frames, but {len(short)} views are shorter, e.g. {short[0]}")
    if sum(room) != count:
        raise InputError(
            f"{path} has {count} clips of {frames} frames, but the {len(views)} views have room for {sum(room)}; they "
            "must be the views of the data file that the clips were cut from, in its order"
        )
    found, first = {}, 0
    for view, whole in zip(views, room, strict=True):
        pose = np.full((len(view), joints, channels), np.nan, np.float64)
        pose[: whole * frames] = clips[first : first + whole].reshape(whole * frames, joints, channels)
        found[view.name], first = pose, first + whole
    return found
