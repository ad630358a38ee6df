"""Quarter turns of a camera about its axis.

With them somebody who lies or stands on the head is upright to the lifter. Lifters are trained on upright cameras. The
2D is turned before the lifter and its 3D is turned back, which is exact.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from poselift.detection.orientation import body_angle
from poselift.geometry.camera import Camera
from poselift.skeleton import Skeleton

_FAR = math.radians(60)
"""Least angle between the body and upright, for a turn."""
_SIDEWAYS = 0.9
"""Least share of the frames in which somebody is sideways, for a quarter turn: people lie for a part of a clip, but a
camera on its side stays so (benchmarks/turned.md)."""
_KEPT = 1 / 3
"""Least share of the frames in which somebody is turned as before, for a stream to keep its turn: it must not change
back and forth."""
_SAMPLES = 200
"""Frames at most in which the angle is measured."""
_TO_RAYS = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], np.float32)
"""From rays of the picture that is turned anticlockwise by a quarter to those of the picture itself."""


def find_turns(pixels: Float[np.ndarray, "t j 2"], scores: Float[np.ndarray, "t j"], skeleton: Skeleton) -> int:
    """Quarter turns clockwise, 0 to 3, that set somebody upright.

    It is 0 for who is nearly upright. Most frames decide for a half turn, nearly all for a quarter.

    Args:
        pixels: NaN for joints that were not seen.
        scores: of the joints.
        skeleton: of the joints.
    """
    rows = np.unique(np.linspace(0, len(pixels) - 1, min(len(pixels), _SAMPLES)).round().astype(int))
    return choose_turns([body_angle(pixels[row], scores[row], skeleton) for row in rows.tolist()])


def choose_turns(measured: Sequence[float | None], before: int = 0) -> int:
    """Quarter turns of a camera, as of `find_turns`, from body angles.

    Args:
        measured: angles in successive frames, radians; None where unknown.
        before: the turns so far. They are kept until few frames need them.
    """
    angles = np.array([angle for angle in measured if angle is not None])
    if not len(angles):
        return 0
    counts = np.bincount(np.round(angles / (np.pi / 2)).astype(int) % 4, minlength=4)
    if before and counts[before] > _KEPT * len(angles):
        return before
    if np.median(np.abs(angles)) < _FAR:
        return 0
    turns = int(counts.argmax())
    if turns != 2 and (np.abs(angles) >= _FAR).mean() < _SIDEWAYS:
        return 0
    return turns if counts.max() > len(angles) / 2 else 0


def turn_upright(
    pixels: Float[np.ndarray, "t j 2"],
    scores: Float[np.ndarray, "t j"],
    skeleton: Skeleton,
    camera: Camera,
    turns: int | None = None,
) -> tuple[Float[np.ndarray, "t j 2"], Camera, int]:
    """Pixels, camera and turns of the picture with somebody upright.

    Skews are dropped.

    Args:
        pixels: NaN for joints that were not seen.
        scores: of the joints.
        skeleton: of the joints.
        camera: of the pixels.
        turns: quarter turns anticlockwise; None to find them.
    """
    turns = find_turns(pixels, scores, skeleton) if turns is None else turns
    camera = replace(camera, K=camera.K.astype(np.float32))  # as the network takes it
    for _ in range(turns):
        width, height = camera.image_size
        pixels = np.stack([pixels[..., 1], width - 1 - pixels[..., 0]], -1)
        # x' = y and y' = width - 1 - x.
        K = camera.K
        turned = np.stack((K[1], -K[0], K[2])) @ _TO_RAYS
        turned[1, 2] += width - 1
        distortion = camera.distortion  # a fisheye lens is the same at all angles
        if distortion is not None:  # (p2, p1) turns like a vector
            k1, k2, p1, p2, k3 = distortion.tolist()
            distortion = np.array([k1, k2, -p2, p1, k3], np.float32)
        camera = replace(camera, K=turned, image_size=(height, width), distortion=distortion)
    return pixels, camera, turns


def turn_back(joints: Float[np.ndarray, "t j 3"], turns: int) -> Float[np.ndarray, "t j 3"]:
    """Joints turned clockwise by quarter turns: the inverse of `turn_upright`. They turn about the camera's axis."""
    for _ in range(turns):
        joints = np.stack([-joints[..., 1], joints[..., 0], joints[..., 2]], -1)
    return joints
