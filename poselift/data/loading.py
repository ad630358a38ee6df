"""What the loaders of recorded datasets share: from what the files hold to a View."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
import torch
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.data.views import View
from poselift.skeleton import Skeleton

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
    keypoint_skeleton: Skeleton,
    skeleton: Skeleton,
    scores: Float[np.ndarray, "t j_in"] | None = None,
    counted: Bool[np.ndarray, " t"] | None = None,
    action: str = "",
    camera: str = "",
) -> View:
    """A View of joints that were recorded in the camera frame, at a constant frame rate.

    Args:
        name: of the view.
        subject: who moves.
        keypoints: pixels; NaN where missing.
        points: camera frame, metres; NaN where not known.
        fps: frames a second.
        K: intrinsics.
        image_size: width and height, pixels.
        keypoint_skeleton: the joint set of `keypoints`.
        skeleton: the joint set of `points`.
        scores: 0 to 1, 0 where missing; 1 for all keypoints that are finite if left out.
        counted: False for frames that the dataset says are not to be used; all are if left out.
        action: what the subject does.
        camera: by the dataset's name.
    """
    root = points[:, skeleton.indices(_pelvis(skeleton))].mean(1)
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
        keypoint_skeleton=keypoint_skeleton,
        skeleton=skeleton,
        action=action,
        camera=camera,
    )


def pick_split(split: str, splits: Mapping[str, T], dataset: str) -> T:
    """What a dataset calls a split.

    Raises:
        InputError: there is no such split; the message lists those there are.
    """
    if split not in splits:
        raise InputError(f"data.split={split} is not a split of {dataset}; choose {' or '.join(splits)}")
    return splits[split]


def intrinsics(fx: float, fy: float, cx: float, cy: float) -> Float[np.ndarray, "3 3"]:
    """K of focal lengths and principal point, in pixels."""
    return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])


def _pelvis(skeleton: Skeleton) -> list[str]:
    return ["pelvis"] if "pelvis" in skeleton.joints else ["left_hip", "right_hip"]


def _tensor(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.asarray(values, np.float32))
