"""Single pictures of people with their keypoints.

They have no 3D, and their cameras are unknown.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from av.error import FFmpegError
from jaxtyping import Bool, Float

from poselift.core.annotations import Amount, Share
from poselift.core.errors import InputError
from poselift.data.loading import recorded_view
from poselift.data.module import LoaderOptions
from poselift.data.recorded import RecordedData
from poselift.data.views import View
from poselift.data.virtual import SyntheticData
from poselift.geometry import ASSUMED_FOV, intrinsics_from_fov
from poselift.skeleton import Skeleton
from poselift.video.decoder import open_file

_PATIENCE = 120.0
"""Seconds for which a drive may say nothing."""


def picture_view(
    name: str,
    keypoints: Float[np.ndarray, "j 2"],
    known: Bool[np.ndarray, " j"],
    image_size: tuple[int, int],
    skeleton: Skeleton,
) -> View:
    """A one-frame View of one person in a picture.

    Its joints and root are NaN.

    Args:
        name: name of the view and of its subject.
        keypoints: pixels.
        known: True for the keypoints that are labelled.
        image_size: width and height, pixels.
        skeleton: skeleton of the keypoints.
    """
    return recorded_view(
        name,
        name,
        keypoints[None],
        np.full((1, len(skeleton), 3), np.nan),
        fps=1.0,
        K=intrinsics_from_fov(*image_size, math.radians(ASSUMED_FOV)),
        image_size=image_size,
        skeleton=skeleton,
        scores=known[None].astype(np.float64),
    )


def picture_size(path: str | Path) -> tuple[int, int]:
    """Width and height of the stored picture.

    From the start of its file.

    Raises:
        InputError: the file cannot be read as a picture.
    """
    try:
        with open_file(Path(path), timeout=_PATIENCE) as container:
            stream = container.streams.video[0]
            size = stream.width, stream.height
    except (FFmpegError, OSError, IndexError) as error:
        raise InputError(f"{path} cannot be read as a picture ({error})") from error
    if min(size) <= 0:
        raise InputError(f"{path} cannot be read as a picture (its size is {size[0]} x {size[1]} pixels)")
    return size


class PictureData(RecordedData):
    """Pictures to train on by their 2D.

    Validation uses synthetic motion, because pictures have no 3D.

    Args:
        root: the dataset's folder.
        views: the dataset's loader, called with `root` and with `train`.
        train: the loader's arguments.
        reprojection: weight of the reprojection loss, the only loss that can teach without 3D.
        mirror: share of pictures to mirror.
        skeletons: how often to show each skeleton, by name; None shows all joints of the dataset.
        **common: as for `MotionData`.

    Raises:
        InputError: the weight is 0.
    """

    def __init__(
        self,
        root: str | Path,
        views: Callable[..., Sequence[View]],
        train: Mapping[str, Any],
        reprojection: float | int,
        mirror: Share = 0.5,
        skeletons: dict[str, Amount] | None = None,
        **common: Unpack[LoaderOptions],
    ) -> None:
        if not reprojection:
            raise InputError("pictures have no 3D, so that only the reprojection loss can teach; add loss=with_2d")
        super().__init__(root, views, train, {}, pelvis=None, mirror=mirror, skeletons=skeletons, **common)

    def validation_views(self) -> list[View]:
        """Views of synthetic motion."""
        return SyntheticData(frames=self.frames, skeletons={}).validation_views()
