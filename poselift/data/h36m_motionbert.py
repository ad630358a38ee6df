"""Human3.6M in MotionBERT's layout.

Its 2D and confidences are from a stacked hourglass.

Zhu et al., "MotionBERT: a unified perspective on learning human motion representations", ICCV 2023
(https://github.com/Walter0807/MotionBERT, lib/data/datareader_h36m.py and train.py). The poses are those of
Ci et al., "Optimizing network structure for 3D human pose estimation", ICCV 2019.

The file's 3D is not in the camera frame. `joint3d_image` has undistorted x and y in the picture, and depth relative to
the pelvis in pixels too: at the pelvis's depth Z, a metre is focal / Z + 1 / 2 pixels. The inverse is the `2.5d_factor`
(metres here, mm in the file). The field measures errors on their product, a camera frame under weak perspective. This
loader returns the same product, relative to the pelvis.
"""

import itertools
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from poselift.core.errors import InputError, reason
from poselift.data.h36m import ACTIONS, FPS, GUIDE, SUBJECTS, URL
from poselift.data.h36m_cameras import h36m_camera
from poselift.data.loading import pick_split, recorded_view
from poselift.data.reading import Layout, check_shape, entry, load_pickle
from poselift.data.views import View
from poselift.geometry.camera import Camera
from poselift.skeleton import H36M17

LAYOUT = Layout(
    name="Human3.6M in MotionBERT's layout",
    tree="""
ROOT/
  h36m_sh_conf_cam_source_final.pkl
""",
    url=URL,
    note=f"MotionBERT's docs/pose3d.md links to the file. {GUIDE}",
)

BLOCKED = ("s_09_act_05_subact_02", "s_09_act_10_subact_02", "s_09_act_13_subact_01")
"""Test takes that the field excludes (MotionBERT's train.py): parts of the 3D of S9's Greeting, SittingDown and Waiting
are shifted (Iskakov et al., "Learnable triangulation of human pose", ICCV 2019)."""

BONES = 4.15
"""Total length of S1's bones, metres, from the dataset's skeleton of S1, as in Martinez et al.,
https://github.com/una-dinosauria/human-motion-prediction, src/forward_kinematics.py."""

_TEXT = "OSU"
"""Kinds of arrays of text."""

_CLIP_NAME = re.compile(r"(s_(\d+)_act_(\d+)_subact_(\d+)).*")


def load_h36m_motionbert(
    root: str | Path,
    split: str = "test",
    file: str = "h36m_sh_conf_cam_source_final.pkl",
    clip: int | None = None,
) -> list[View]:
    """The views of one split of Human3.6M.

    The training part of the file has no `2.5d_factor`. This loader scales its people to the size of S1, by the total
    length of their bones in each frame.

    Args:
        root: folder that contains the file.
        split: "train" (S1, S5, S6, S7, S8) or "test" (S9, S11).
        file: name of the file.
        clip: frames of a clip of the field's evaluation, 243 in MotionBERT. The frames behind a take's last whole clip
            do not count: their 3D is NaN. None counts all.

    Returns:
        A View for each clip, in the order of the file, named "S9/Walking subact_01/54138969". A clip ends where the
        file's `source` changes. The 3D of `BLOCKED` is NaN.

    Raises:
        InputError: the split is unknown, `clip` is not positive, or the file is missing, malformed, or contains more
            than arrays.
    """
    if clip is not None and clip < 1:
        raise InputError(f"data.clip={clip} must be 1 or more, or null")
    pick_split(split, SUBJECTS, LAYOUT.name)
    path = LAYOUT.require_file(Path(root) / file)
    frames = _read_frames(path, load_pickle(path), split)
    changes = (frames.source[1:] != frames.source[:-1]) | (frames.camera[1:] != frames.camera[:-1])
    cuts = [0, *(np.flatnonzero(changes) + 1).tolist(), len(frames.source)]
    views = []
    for first, last in itertools.pairwise(cuts):
        take, subject, name, action = _take(path, str(frames.source[first]))
        frame = slice(first, last)
        counted = np.full(last - first, take not in BLOCKED)
        counted[len(counted) // (clip or 1) * (clip or 1) :] = False
        camera = h36m_camera(subject, str(frames.camera[first]))
        views.append(
            recorded_view(
                f"{subject}/{name}/{camera.name}",
                subject,
                frames.pixels[frame].astype(np.float64),
                _points(frames, frame, camera),
                fps=FPS,
                K=camera.K,
                image_size=camera.image_size,
                skeleton=H36M17,
                scores=frames.scores[frame].astype(np.float64).clip(0, 1),
                counted=counted,
                action=action,
                camera=camera.name,
                distortion=camera.distortion,
            )
        )
    return views


@dataclass(frozen=True)
class _Frames:
    """One split of the file, with all clips end to end.

    Attributes:
        pixels: joint_2d.
        scores: confidence.
        image: joint3d_image.
        source: the clip of each frame.
        camera: the camera of each frame.
        factor: 2.5d_factor, mm per pixel; None where the file has none.
        posed: joints_2.5d_image, mm; None where the file has none.
    """

    pixels: Shaped[np.ndarray, "t j 2"]
    scores: Shaped[np.ndarray, "t j"]
    image: Shaped[np.ndarray, "t j 3"]
    source: np.ndarray
    camera: np.ndarray
    factor: Shaped[np.ndarray, " t"] | None = None
    posed: Shaped[np.ndarray, "t j 3"] | None = None


def _read_frames(path: Path, data: Any, split: str) -> _Frames:
    """The arrays of one split, checked."""
    part = entry(path, data, split)

    def array(key: str, *shape: int | None, kinds: str = "iuf") -> np.ndarray:
        values = entry(f"{path}: {split!r}", part, key)
        try:
            found = np.asarray(values)
        except ValueError as error:  # lists of different lengths
            raise InputError(f"{path}: '{split} {key}' is not an array ({reason(error)})") from error
        if found.dtype.kind not in kinds:
            raise InputError(f"{path}: '{split} {key}' has values of type {found.dtype}; download the file again")
        return check_shape(path, f"{split} {key}", found, shape)

    joints = len(H36M17)
    pixels = array("joint_2d", None, joints, None)
    count = len(pixels)
    if count == 0:
        raise InputError(f"{path}: {split!r} holds no frames")
    pixels = check_shape(path, f"{split} joint_2d", pixels[..., :2], (count, joints, 2))
    scores = np.ones((count, joints))
    if "confidence" in part:
        last = (1,) if np.ndim(part["confidence"]) == 3 else ()
        scores = array("confidence", count, joints, *last).reshape(count, joints)
    frames = _Frames(
        pixels=pixels,
        scores=scores,
        image=array("joint3d_image", count, joints, 3),
        source=array("source", count, kinds=_TEXT).astype(str),
        camera=array("camera_name", count, kinds=_TEXT).astype(str),
    )
    if split == "train":
        return frames
    return replace(frames, factor=array("2.5d_factor", count), posed=array("joints_2.5d_image", count, joints, 3))


def _points(frames: _Frames, clip: slice, camera: Camera) -> Float[np.ndarray, "t j 3"]:
    """The joints of a clip in the camera frame, metres."""
    image = frames.image[clip].astype(np.float64)
    if frames.factor is None or frames.posed is None:
        factor = _factors(image, camera)
        points = image * factor[:, None, None]
    else:
        factor, points = (values[clip].astype(np.float64) / 1000 for values in (frames.factor, frames.posed))
    root = H36M17.index("pelvis")
    depth = float(camera.K[0, 0]) / (1 / factor - 0.5)
    place = _rays(image[:, root, :2], camera) * depth[:, None]
    return points - points[:, [root]] + place[:, None]


def _take(path: Path, source: str) -> tuple[str, str, str, str]:
    """Take ("s_09_act_05_subact_02"), subject, name and action of a source."""
    parts = _CLIP_NAME.fullmatch(source)
    if parts is None or not 2 <= int(parts[3]) <= len(ACTIONS) + 1:
        raise InputError(f"{path}: 'source' has {source!r}, expected names like s_09_act_05_subact_02_ca_01")
    action = ACTIONS[int(parts[3]) - 2]
    # Not "Walking 1": the other layouts call the dataset's second take so, and for some subjects its first.
    return parts[1], f"S{int(parts[2])}", f"{action} subact_{parts[4]}", action


def _rays(pixels: Float[np.ndarray, "*t 2"], camera: Camera) -> Float[np.ndarray, "*t 3"]:
    plane = (pixels - camera.K[:2, 2]) / np.diagonal(camera.K)[:2]
    return np.concatenate((plane, np.ones_like(plane[..., :1])), -1)


def _factors(image: Float[np.ndarray, "t j 3"], camera: Camera) -> Float[np.ndarray, " t"]:
    """Metres per pixel that give the bones S1's total length.

    The pixels and the depths in pixels give the exact pose in the camera frame except for its scale, which is the
    depth of the pelvis.
    """
    points = _rays(image[..., :2], camera) * (1 + image[..., 2:] / float(camera.K[0, 0]))
    bones = sum(np.linalg.norm(points[:, child] - points[:, parent], axis=-1) for parent, child in H36M17.bone_indices)
    depth = BONES / bones
    return 1 / (float(camera.K[0, 0]) / depth + 0.5)
