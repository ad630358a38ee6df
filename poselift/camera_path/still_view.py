"""Keypoints as a still camera would see them.

A pixel p of a camera that turns is the pixel K R K_t⁻¹ p of a still camera in the same place, so people can be lifted
there as in any clip.
"""

import numpy as np
from jaxtyping import Float, Int

from poselift.camera_path.camera_path import CameraPath
from poselift.core.unchecked import replace_unchecked
from poselift.geometry import pixels_to_rays, project
from poselift.structures import Keypoints2D

_WIDEST = 0.2
"""Least cosine of the angle between a keypoint's ray and the axis of the still view: 78 degrees. Beyond, a keypoint is
left out."""


def frame_rows(path: CameraPath, times: Float[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """The path's frames at some times."""
    after = np.searchsorted(path.times, times).clip(1, max(len(path.times) - 1, 1))
    if len(path.times) == 1:
        return np.zeros(len(times), int)
    nearer = np.abs(path.times[after - 1] - times) <= np.abs(path.times[after] - times)
    return np.where(nearer, after - 1, after)


def still_lens(path: CameraPath, row: int, K: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "3 3"]:
    """Intrinsics of the still view of a frame's shot, pixels.

    It has no distortion.

    Args:
        path: of the camera.
        row: number of the frame.
        K: intrinsics that the path was found with.
    """
    return zoomed(K, path.focal[row : row + 1])[0]


def frame_lenses(path: CameraPath, K: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "t 3 3"]:
    """Intrinsics of each frame, pixels. The distortion stays; see `still_lens` for the arguments."""
    return zoomed(K, path.focal * path.zoom)


def zoomed(K: Float[np.ndarray, "3 3"], by: Float[np.ndarray, " t"]) -> Float[np.ndarray, "t 3 3"]:
    """Intrinsics with longer focal lengths and the same principal point."""
    out = np.tile(K.astype(np.float64), (len(by), 1, 1))
    out[:, :2, :2] *= by[:, None, None]
    return out


def into_still_view(
    keypoints: Keypoints2D,
    path: CameraPath,
    K: Float[np.ndarray, "3 3"],
    distortion: Float[np.ndarray, " k"] | None,
) -> Keypoints2D:
    """A person's keypoints in their shot's still view, or NaN.

    Args:
        keypoints: of one shot.
        path: of the camera.
        K: intrinsics that the path was found with.
        distortion: of every frame.
    """
    rows = frame_rows(path, keypoints.timestamps)
    plane = pixels_to_rays(keypoints.keypoints.astype(np.float64), frame_lenses(path, K)[rows], distortion)
    turned = np.einsum("txy,tjy->tjx", path.R[rows], plane)
    seen = turned[..., 2] > _WIDEST * np.linalg.norm(turned, axis=-1)
    still = still_lens(path, int(rows[0]), K) if len(rows) else K
    pixels = np.where(seen[..., None], project(turned, still), np.nan)
    known = np.isfinite(pixels).all(-1)
    return replace_unchecked(keypoints, keypoints=pixels, scores=np.where(known, keypoints.scores, 0.0))
