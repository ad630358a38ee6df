"""People of a clip as still cameras would see them.

Each shot has one such camera.

A pixel p of a camera that turns is the pixel K R K_t⁻¹ p of a still camera in the same place, so people can be lifted
there as in any clip.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from poselift.camera_path.camera_path import CameraPath, ShotPath
from poselift.core.unchecked import replace_unchecked
from poselift.geometry import pixels_to_rays, project
from poselift.geometry.camera import Camera
from poselift.structures import Keypoints2D

_WIDEST = 0.2
"""Least cosine of the angle between a keypoint's ray and the axis of the still view: 78 degrees. Beyond, a keypoint is
left out."""

_SHORTEST_PART = 0.2
"""Seconds that somebody must be seen in a shot to be lifted there, if they are seen in others too."""


def split_tracks(tracks: Sequence[Keypoints2D], path: CameraPath | None) -> list[Keypoints2D]:
    """The people, split at the picture's cuts. They are numbered anew, in order of appearance, if anybody is split."""
    if path is None or len(path.shots) == 1:
        return list(tracks)
    parts = []
    for track in tracks:
        rows = frame_rows(path, track.timestamps)
        for shot in path.shots:
            inside = np.flatnonzero((rows >= shot.first) & (rows < shot.end) & track.seen)
            if not len(inside):
                continue
            part = track[int(inside[0]) : int(inside[-1]) + 1]
            if len(inside) == track.seen.sum() or np.ptp(part.timestamps) >= _SHORTEST_PART:
                parts.append(part)
    parts.sort(key=lambda part: (float(part.timestamps[0]), part.person))
    return [replace(part, person=number) for number, part in enumerate(parts, start=1)]


@dataclass(frozen=True)
class StillView:
    """A person's keypoints as a still camera would see them.

    Attributes:
        keypoints: in the still view; of the pictures themselves where the camera is still or unknown.
        camera: the still view's.
        seen: the keypoints in the pictures.
        shot: in which the person is seen; None for a still camera.
        R: rotation from the camera of each frame to that of the still view; None where they are the same.
        place: of the camera of each frame in the still view, in the unit of the path; None where they are the same.
    """

    keypoints: Keypoints2D
    camera: Camera
    seen: Keypoints2D
    shot: ShotPath | None = None
    R: Float[np.ndarray, "t 3 3"] | None = None
    place: Float[np.ndarray, "t 3"] | None = None


def shot_of(track: Keypoints2D, path: CameraPath) -> ShotPath:
    """The shot of a track that lies in one."""
    row = int(frame_rows(path, track.timestamps[:1])[0])
    return next(shot for shot in path.shots if shot.first <= row < shot.end)


def see_still(track: Keypoints2D, path: CameraPath | None, camera: Camera) -> StillView:
    """A person of one shot as a still camera would see them.

    Args:
        track: of one shot.
        path: of the camera; None if it is still.
        camera: the lens that the path was found with.
    """
    if path is None:
        return StillView(track, camera, track)
    rows, shot = frame_rows(path, track.timestamps), shot_of(track, path)
    row = int(rows[0])
    if shot.kind in ("still", "unknown"):
        return StillView(track, camera, track, shot)
    still = replace(camera, K=still_lens(path, row, camera.K).astype(np.float32), distortion=None, fisheye=None)
    seen = into_still_view(track, path, camera.K, camera.lens)
    return StillView(seen, still, track, shot, path.R[rows], path.place[rows])


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
