"""Single pictures of people with their keypoints: 2D alone, from cameras of which nothing is known."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.error import FFmpegError
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.data.loading import recorded_view
from poselift.data.recorded import RecordedData
from poselift.data.views import View
from poselift.data.virtual import SyntheticData
from poselift.geometry import intrinsics_from_fov
from poselift.skeleton import Skeleton

ASSUMED_FOV = 55.0
"""Degrees across the picture's longer side: what `poselift lift` assumes where nothing is known."""


def picture_view(
    name: str,
    keypoints: Float[np.ndarray, "j 2"],
    known: Bool[np.ndarray, " j"],
    image_size: tuple[int, int],
    skeleton: Skeleton,
) -> View:
    """A View of one person in one picture: one frame, at time 0, without 3D (NaN).

    Args:
        name: of the view and of its subject.
        keypoints: pixels.
        known: False where a keypoint is not.
        image_size: width and height, pixels.
        skeleton: the joint set.
    """
    return recorded_view(
        name,
        name,
        keypoints[None],
        np.full((1, len(skeleton), 3), np.nan),
        fps=1.0,
        K=intrinsics_from_fov(*image_size, math.radians(ASSUMED_FOV)).numpy(),
        image_size=image_size,
        keypoint_skeleton=skeleton,
        skeleton=skeleton,
        scores=known[None].astype(np.float64),
    )


def picture_size(path: str | Path) -> tuple[int, int]:
    """Width and height of a picture as it is stored, from the beginning of its file.

    Raises:
        InputError: it cannot be read as a picture.
    """
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            size = stream.width, stream.height
    except (FFmpegError, OSError, IndexError) as error:
        raise InputError(f"{path} cannot be read as a picture ({error})") from error
    if min(size) <= 0:
        raise InputError(f"{path} cannot be read as a picture (it says that it is {size[0]} x {size[1]} pixels)")
    return size


class PictureData(RecordedData):
    """Pictures to train on by their 2D. Having no 3D to validate on, they validate on walking stick people.

    Args:
        root: the dataset's folder.
        views: the dataset's loader; called with `root` and the arguments in `train`.
        train: which pictures to train on, as the loader's arguments.
        reprojection: weight of the loss that compares with 2D, the only one that teaches here.
        mirror: share of pictures mirrored.
        skeletons: how often each joint set is seen, by name; all that the dataset has if left out.
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
        mirror: float = 0.5,
        skeletons: dict[str, float] | None = None,
        **common: object,
    ) -> None:
        if not reprojection:
            raise InputError("pictures have no 3D: they teach by the reprojection loss alone; add loss=with_2d")
        super().__init__(root, views, train, {}, mirror=mirror, skeletons=skeletons, **common)  # type: ignore[arg-type]

    def validation_views(self) -> list[View]:
        """Those of the synthetic source."""
        return SyntheticData(frames=self.frames, skeletons={}).validation_views()
