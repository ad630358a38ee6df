"""The parts that all npz files of VideoPose3D share.

Poses are {subject: {clip: (T, joints, 3)}}; 2D is {subject: {clip: [(T or more, joints, 2) for each camera]}} in
pixels, with metadata that names the skeleton (https://github.com/facebookresearch/VideoPose3D, DATASETS.md).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.reading import load_object_npz, numbers
from poselift.skeleton import Skeleton


def load_keypoints(path: Path, layouts: Mapping[str | int, Skeleton]) -> tuple[Skeleton, Any]:
    """Skeleton and content of a file of 2D keypoints.

    Args:
        path: the npz.
        layouts: possible skeletons by `layout_name`, or by `num_joints` for files without a name.

    Raises:
        InputError: the file has another skeleton, or cannot be read.
    """
    metadata = load_object_npz(path, "metadata")
    facts = metadata if isinstance(metadata, dict) else {}
    key = next((key for key in ("layout_name", "num_joints") if facts.get(key) is not None), "layout_name")
    layout = facts.get(key)
    known = [name for name in layouts if isinstance(name, int) == (key == "num_joints")]
    if layout not in known:
        raise InputError(
            f"{path}: 'metadata' has {key} {layout!r}, expected one of {', '.join(map(str, known))}; name the joints "
            "by layout_name there"
        )
    return layouts[layout], load_object_npz(path, "positions_2d")


def clips_of(path: Path, key: str, data: Any, subject: str) -> dict[str, Any]:
    """The clips of one subject, by name.

    Raises:
        InputError: the data is no dict of subjects, or lacks this one.
    """
    clips = data.get(subject) if isinstance(data, dict) else None
    if not isinstance(clips, dict) or not all(isinstance(name, str) for name in clips):
        raise InputError(f"{path}: {key!r} has no clips of {subject}; expected a dict of clips by name")
    return clips


def pixels_of(
    path: Path, data: Any, subject: str, clip: str, skeleton: Skeleton, frames: int, cameras: int
) -> list[Float[np.ndarray, "t j 2"]]:
    """One clip's pixels in each camera.

    They are cut to the number of poses.

    Some videos are longer than their poses.

    Raises:
        InputError: the clip, a camera or frames are missing, or the number of joints differs.
    """
    what = f"positions_2d {subject} {clip}"
    found = clips_of(path, "positions_2d", data, subject).get(clip)
    if not isinstance(found, list | tuple | np.ndarray) or len(found) != cameras:
        raise InputError(f"{path}: {what!r} is not a list of {cameras} cameras")
    views = [numbers(path, what, pixels, (None, len(skeleton), 2)) for pixels in found]
    for pixels in views:
        if len(pixels) < frames:
            raise InputError(f"{path}: {what!r} has {len(pixels)} frames, fewer than its {frames} poses")
    return [pixels[:frames] for pixels in views]
