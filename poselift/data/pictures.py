"""Single pictures of people with their keypoints: 2D alone, from cameras of which nothing is known."""

import math
from pathlib import Path

import av
import numpy as np
from av.error import FFmpegError
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.data.loading import recorded_view
from poselift.data.views import View
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
    """Width and height of a picture, from the beginning of its file.

    Raises:
        InputError: it cannot be read as a picture.
    """
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            return stream.width, stream.height
    except (FFmpegError, OSError, IndexError) as error:
        raise InputError(f"{path} cannot be read as a picture ({error})") from error
