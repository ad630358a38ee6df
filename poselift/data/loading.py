"""Steps from file contents to a View.

The loaders of recorded datasets share them.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
import torch
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.data.views import View
from poselift.skeleton import Skeleton

INCH = 0.0254
"""Metres."""

TRAIN_VAL_TEST = {split: split for split in ("train", "val", "test")}
"""The splits of datasets that name them so."""

T = TypeVar("T")


def recorded_view(
    name: str,
    subject: str,
    keypoints: Float[np.ndarray, "t j_in 2"],
    points: Float[np.ndarray, "t j 3"],
    *,
    fps: float,
    K: Float[np.ndarray, "3 3"],
    image_size: tuple[int, int],
    skeleton: Skeleton,
    keypoint_skeleton: Skeleton | None = None,
    scores: Float[np.ndarray, "t j_in"] | None = None,
    counted: Bool[np.ndarray, " t"] | None = None,
    action: str = "",
    camera: str = "",
    distortion: Float[np.ndarray, " 5"] | None = None,
) -> View:
    """A View of joints that were recorded at a constant frame rate.

    Args:
        name: name of the view.
        subject: the person.
        keypoints: pixels; NaN where missing.
        points: joints in the camera frame, metres; NaN where unknown.
        fps: frames per second.
        K: intrinsics.
        image_size: width and height, pixels.
        skeleton: skeleton of `points`.
        keypoint_skeleton: skeleton of `keypoints`; `skeleton` by default.
        scores: 0 to 1, 0 where missing; 1 for every finite keypoint by default.
        counted: False for frames that the dataset excludes; all True by default.
        action: the dataset's name of the action.
        camera: the dataset's name of the camera.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order.
    """
    pelvis = ["pelvis"] if "pelvis" in skeleton.joints else ["left_hip", "right_hip"]
    root = points[:, skeleton.indices(pelvis)].mean(1)
    if counted is not None:
        root = np.where(counted[:, None], root, np.nan)
    found = np.isfinite(keypoints).all(-1)
    if scores is None:
        scores = np.ones(found.shape)
    found &= scores > 0
    return View(
        name=name,
        subject=subject,
        keypoints=_tensor(np.where(found[..., None], keypoints, np.nan)),
        scores=_tensor(np.where(found, scores, 0.0)),
        times=_tensor(np.arange(len(points)) / fps),
        K=_tensor(K),
        image_size=_tensor(np.array(image_size)),
        joints=_tensor(points - root[:, None]),
        root=_tensor(root),
        keypoint_skeleton=keypoint_skeleton or skeleton,
        skeleton=skeleton,
        action=action,
        camera=camera,
        distortion=None if distortion is None else _tensor(distortion),
    )


def pick_split(split: str, splits: Mapping[str, T], dataset: str) -> T:
    """The dataset's own name, or content, of a split.

    Raises:
        InputError: no such split; the message lists the splits.
    """
    if split not in splits:
        raise InputError(
            f"split={split} is not a split of {dataset}; choose {' or '.join(splits)} (data.train.split and "
            "data.val.split in training, data.split in evaluation)"
        )
    return splits[split]


def pick_names(chosen: str | Sequence[str] | None, known: Sequence[str], key: str, dataset: str) -> tuple[str, ...]:
    """The chosen names; all known ones where the choice is None.

    Args:
        chosen: one of the known names, or some.
        known: every name of the dataset.
        key: the override that chooses, for the message, e.g. "data.cameras".
        dataset: name of the dataset, for the message.

    Raises:
        InputError: a chosen name is not known; the message lists the known ones.
    """
    names = (chosen,) if isinstance(chosen, str) else tuple(known if chosen is None else chosen)
    for name in names:
        if name not in known:
            given = chosen if isinstance(chosen, str) else f"[{','.join(map(str, names))}]"
            raise InputError(f"{key}={given}: {dataset} has no {name!r}; it has {', '.join(known)}")
    return names


def intrinsics(fx: float, fy: float, cx: float, cy: float) -> Float[np.ndarray, "3 3"]:
    """K from focal lengths and principal point, pixels."""
    return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])


def _tensor(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.asarray(values, np.float32))
