"""What the npz files of VideoPose3D have in common, whichever the dataset.

Poses are {subject: {clip: (T, joints, 3)}}; 2D is {subject: {clip: [(T or more, joints, 2) for each camera]}} in
pixels, with metadata that names its joint set (https://github.com/facebookresearch/VideoPose3D, DATASETS.md).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.reading import check_shape, load_object_npz
from poselift.skeleton import Skeleton


def load_keypoints(path: Path, layouts: Mapping[str | None, Skeleton]) -> tuple[Skeleton, Any]:
    """The joint set of a file of 2D, and what it holds.

    Args:
        path: the npz, which is there.
        layouts: the joint sets that it may have, by `layout_name`; None is for files without one.

    Raises:
        InputError: it has another joint set, or cannot be read.
    """
    metadata = load_object_npz(path, "metadata")
    layout = metadata.get("layout_name") if isinstance(metadata, dict) else None
    if layout not in layouts:
        known = ", ".join(str(name) for name in layouts if name)
        raise InputError(f"{path}: 'metadata' has layout_name {layout!r}, expected one of {known}")
    return layouts[layout], load_object_npz(path, "positions_2d")


def clips_of(path: Path, key: str, data: Any, subject: str) -> dict[str, Any]:
    """What a file has of one subject, by clip.

    Raises:
        InputError: it is not a dict of subjects, or has nothing of this one.
    """
    clips = data.get(subject) if isinstance(data, dict) else None
    if not isinstance(clips, dict) or not all(isinstance(name, str) for name in clips):
        raise InputError(f"{path}: {key!r} holds no clips of {subject}; expected a dict of them by name")
    return clips


def pixels_of(
    path: Path, data: Any, subject: str, clip: str, skeleton: Skeleton, frames: int, cameras: int
) -> list[Float[np.ndarray, "t j 2"]]:
    """The pixels of one clip in each camera, cut to as many frames as there are poses: some videos are longer.

    Raises:
        InputError: a camera, the clip or frames of it are missing, or have another number of joints.
    """
    what = f"positions_2d {subject} {clip}"
    found = clips_of(path, "positions_2d", data, subject).get(clip)
    if not isinstance(found, list | tuple | np.ndarray) or len(found) != cameras:
        raise InputError(f"{path}: {what!r} is not a list of {cameras} cameras")
    for pixels in found:
        check_shape(path, what, pixels, (None, len(skeleton), 2))
        if len(pixels) < frames:
            raise InputError(f"{path}: {what!r} has {len(pixels)} frames, fewer than the {frames} of its poses")
    return [np.asarray(pixels[:frames], np.float64) for pixels in found]
