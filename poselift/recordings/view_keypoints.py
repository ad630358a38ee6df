"""Everybody's keypoints in each video, beside the motion of all videos."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.npz import npz_arrays
from poselift.core.publishing import find_published
from poselift.recordings.names import VIEW_KEYPOINTS
from poselift.structures import Keypoints2D, Motion

ViewKeypoints = Mapping[int, Float[np.ndarray, "t j 3"]]
"""Pixels and scores in one video, at the times of each person's motion, by the number of the person."""

_HELP = "remove it, or run poselift multiview again"


def write_view_keypoints(folder: Path, views: Sequence[Mapping[int, Keypoints2D]]) -> str:
    """Writes the keypoints of all views; returns the name of the file.

    Args:
        folder: of the result.
        views: for each video the keypoints of each person, at the times of the person's motion.
    """
    arrays = {
        _name(view, person): np.concatenate([own.keypoints, own.scores[..., None]], -1).astype(np.float32)
        for view, people in enumerate(views)
        for person, own in people.items()
    }
    # An open file, because numpy appends ".npz" to a path with another ending.
    with atomic_path(folder / VIEW_KEYPOINTS) as unfinished, open(unfinished, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    return VIEW_KEYPOINTS


def read_view_keypoints(folder: Path, motions: Sequence[Motion], views: int) -> list[ViewKeypoints]:
    """The keypoints in each view.

    There are none of a motion that has changed its length since.

    Args:
        folder: of a result; one of a single video has none.
        motions: the people.
        views: number of videos.

    Raises:
        InputError: the file is damaged.
    """
    if not find_published(folder / VIEW_KEYPOINTS).is_file():
        return [{}] * views
    arrays = npz_arrays(folder / VIEW_KEYPOINTS, help_text=_HELP)
    if any(values.dtype.kind != "f" for values in arrays.values()):
        raise InputError(f"{folder / VIEW_KEYPOINTS} has other values than numbers; {_HELP}")
    found: list[ViewKeypoints] = []
    for view in range(views):
        own = {}
        for motion in motions:
            values = arrays.get(_name(view, motion.keypoints.person))
            if values is not None and values.shape == (*motion.keypoints.scores.shape, 3):
                own[motion.keypoints.person] = values
        found.append(own)
    return found


def _name(view: int, person: int) -> str:
    return f"view_{view + 1}_person_{person}"
