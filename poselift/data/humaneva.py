"""HumanEva-I in the layout of VideoPose3D.

Sigal et al., "HumanEva: synchronized video and motion capture dataset", IJCV 2010; Pavllo et al., "3D human pose
estimation in video with temporal convolutions", CVPR 2019 (https://github.com/facebookresearch/VideoPose3D), whose
DATASETS.md explains how to make the files and whose common/humaneva_dataset.py has the camera positions.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.h36m_videopose3d import clips_of, load_keypoints, pixels_of
from poselift.data.loading import intrinsics, pick_names, pick_split, recorded_view
from poselift.data.reading import Layout, load_object_npz, numbers
from poselift.data.views import View
from poselift.geometry import quaternion_to_matrix
from poselift.skeleton import COCO17, HUMANEVA15, Skeleton

LAYOUT = Layout(
    name="HumanEva-I",
    tree="""
ROOT/
  data_3d_humaneva15.npz
  data_2d_humaneva15_gt.npz
  data_2d_humaneva15_detectron_pt_coco.npz    (for keypoints=detectron_pt_coco)
""",
    url="http://humaneva.is.tue.mpg.de",
    note="VideoPose3D's DATASETS.md explains how to make the files from the download.",
)

FPS = 60.0
IMAGE_SIZE = (640, 480)
SPLITS = {"train": "Train", "test": "Validate"}
ACTIONS = ("Walking", "Jog", "Box", "Gestures", "ThrowCatch")

_C1 = ((0.424207, -0.4983646, -0.5802981, 0.4847012), (4062.227, 663.2477, 1528.397))
_C2 = ((0.6503354, -0.7481602, -0.0919284, 0.0941766), (844.8131, -3805.2092, 1504.9929))
_C3 = ((0.0664734, -0.0690535, 0.7416416, -0.6639132), (-797.67377, 3916.3174, 1433.6602))
CAMERAS = {
    "S1": (_C1, _C2, _C3),
    "S2": (
        ((0.4214752, -0.4961493, -0.5838273, 0.4851187), (4112.9121, 626.4929, 1545.2988)),
        ((0.6501393, -0.7476588, -0.0954617, 0.0959808), (923.5740, -3877.9243, 1504.5518)),
        ((0.0699353, -0.0712403, 0.7421637, -0.662742), (-781.4915, 3838.8853, 1444.9929)),
    ),
    "S3": (_C1, _C2, _C3),
}
"""The three colour cameras of each subject: quaternion w, x, y, z, camera to world, and position in mm."""


def load_humaneva(
    root: str | Path, split: str = "test", keypoints: str = "gt", actions: Sequence[str] | None = None
) -> list[View]:
    """The views of one split of HumanEva-I.

    Args:
        root: folder that contains the npz files.
        split: "train", or "test" for the dataset's Validate sequences. The field tests on these, because the poses of
            the dataset's test sequences are not public.
        keypoints: "gt", or the suffix of another data_2d_humaneva15 file with COCO's 17 or HumanEva's 15 joints.
        actions: some of "Walking", "Jog", "Box", "Gestures" and "ThrowCatch"; None takes all. The field's tables have
            the first three.

    Returns:
        A View for each camera of each unbroken part of a sequence, named "S1/Walking 1 chunk0/C1". K is fitted to the
        exact 2D, because the files have no intrinsics.

    Raises:
        InputError: the split or action is unknown, or a file is missing, malformed, or contains more than arrays.
    """
    root = Path(root)
    part = pick_split(split, SPLITS, LAYOUT.name)
    if actions is not None:
        pick_names(actions, ACTIONS, "data.actions", LAYOUT.name)
    path_3d = LAYOUT.require_file(root / "data_3d_humaneva15.npz")
    path_gt = LAYOUT.require_file(root / "data_2d_humaneva15_gt.npz")
    path_2d = LAYOUT.require_file(root / f"data_2d_humaneva15_{keypoints}.npz")
    positions = load_object_npz(path_3d, "positions_3d")
    _, exact = load_keypoints(path_gt, {"humaneva15": HUMANEVA15})
    skeleton, detected = load_keypoints(path_2d, {"humaneva15": HUMANEVA15, "coco": COCO17})

    views = []
    for subject in CAMERAS:
        key = f"{part}/{subject}"
        clips = {
            name: numbers(path_3d, f"positions_3d {key} {name}", clip, (None, 15, 3))
            for name, clip in clips_of(path_3d, "positions_3d", positions, key).items()
        }
        truth, seen = (
            {name: pixels_of(path, data, key, name, joints, len(clip), 3) for name, clip in clips.items()}
            for path, data, joints in ((path_gt, exact, HUMANEVA15), (path_2d, detected, skeleton))
        )
        views += _load_subject(subject, clips, truth, seen, skeleton, actions)
    if not views:
        raise InputError(f"{path_3d} has no clip of data.actions={list(actions or ())} in {part}")
    return views


def _load_subject(
    subject: str,
    clips: dict[str, np.ndarray],
    truth: dict[str, list[np.ndarray]],
    seen: dict[str, list[np.ndarray]],
    keypoint_skeleton: Skeleton,
    actions: Sequence[str] | None,
) -> list[View]:
    """The views of one subject.

    `truth` and `seen` have pixels by clip and camera.
    """
    chosen = [name for name in clips if actions is None or name.split()[0] in actions]
    if not chosen:
        return []
    views = []
    for camera, (quaternion, centre) in enumerate(CAMERAS[subject]):
        R = quaternion_to_matrix(torch.tensor(quaternion, dtype=torch.float64)).numpy()
        points = {name: (clip - np.array(centre) / 1000) @ R for name, clip in clips.items()}
        K = fit_intrinsics(
            np.concatenate(list(points.values())), np.concatenate([truth[name][camera] for name in points])
        )
        views += [
            recorded_view(
                f"{subject}/{name}/C{camera + 1}",
                subject,
                seen[name][camera],
                points[name],
                fps=FPS,
                K=K,
                image_size=IMAGE_SIZE,
                keypoint_skeleton=keypoint_skeleton,
                skeleton=HUMANEVA15,
                action=name.split()[0],
                camera=f"C{camera + 1}",
            )
            for name in chosen
        ]
    return views


def fit_intrinsics(points: Float[np.ndarray, "t j 3"], pixels: Float[np.ndarray, "t j 2"]) -> Float[np.ndarray, "3 3"]:
    """The K without skew that fits points to pixels best.

    The fit is by least squares.

    Args:
        points: camera frame, in front of the camera.
        pixels: their pixels; NaN where unknown.
    """
    plane, pixels = (points[..., :2] / points[..., 2:]).reshape(-1, 2), pixels.reshape(-1, 2)
    known = np.isfinite(plane).all(-1) & np.isfinite(pixels).all(-1)
    (fx, cx), (fy, cy) = (
        np.linalg.lstsq(np.stack([plane[known, axis], np.ones(known.sum())], 1), pixels[known, axis], rcond=None)[0]
        for axis in (0, 1)
    )
    return intrinsics(fx, fy, cx, cy)
