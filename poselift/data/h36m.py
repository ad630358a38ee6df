"""Human3.6M in VideoPose3D's layout, and what all layouts share.

Most papers use this layout.

Ionescu et al., "Human3.6M: large scale datasets and predictive methods for 3D human sensing in natural
environments", TPAMI 2014; Pavllo et al., "3D human pose estimation in video with temporal convolutions", CVPR 2019
(https://github.com/facebookresearch/VideoPose3D), whose DATASETS.md describes the files.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from poselift.core.errors import InputError
from poselift.data.corpus import MotionCorpus
from poselift.data.h36m_cameras import CAMERAS, h36m_camera, h36m_lens
from poselift.data.h36m_videopose3d import clips_of, load_keypoints, pixels_of
from poselift.data.loading import pick_names, pick_split, recorded_view
from poselift.data.reading import Layout, check_shape, load_object_npz
from poselift.data.views import View
from poselift.geometry import world_to_camera
from poselift.skeleton import COCO17, H36M17, H36M32, MPII16, Skeleton

URL = "http://vision.imar.ro/human3.6m/"
GUIDE = "docs/human36m.md explains each step, from the request for the data to a table."

LAYOUT = Layout(
    name="Human3.6M in VideoPose3D's layout",
    tree="""
ROOT/
  data_3d_h36m.npz                     (made by tools/prepare_h36m.py)
  data_2d_h36m_cpn_ft_h36m_dbb.npz     (for keypoints=cpn_ft_h36m_dbb; keypoints=gt needs no file)
""",
    url=URL,
    note=GUIDE,
)

FPS = 50.0
SUBJECTS = {"train": ("S1", "S5", "S6", "S7", "S8"), "test": ("S9", "S11")}
FRAMES = {"train": 1_559_752, "test": 543_344}
"""Published numbers of frames of the four cameras, without S11's Directions, whose video is corrupted: the output of
VideoPose3D (https://github.com/zh-plus/video-to-pose3D/issues/25, and for training
https://github.com/hrhodin/UnsupervisedGeometryAwareRepresentationLearning/issues/5)."""

ACTIONS = (
    "Directions",
    "Discussion",
    "Eating",
    "Greeting",
    "Phoning",
    "Posing",
    "Purchases",
    "Sitting",
    "SittingDown",
    "Smoking",
    "Photo",
    "Waiting",
    "Walking",
    "WalkDog",
    "WalkTogether",
)
"""In the dataset's own order, which numbers Directions 2. Each subject has two takes of each."""

_OTHER_NAMES = {"TakingPhoto": "Photo", "WalkingDog": "WalkDog", "WalkingTogether": "WalkTogether"}
_KEYPOINT_SKELETONS: dict[str | int, Skeleton] = {
    "h36m": H36M17,
    "coco": COCO17,
    "mpii": MPII16,
    # VideoPose3D's scripts name no layout for gt, and for its stacked hourglass (sh_pt_mpii, sh_ft_h36m).
    17: H36M17,
    16: MPII16,
}


def load_h36m(
    root: str | Path,
    split: str = "test",
    keypoints: str = "cpn_ft_h36m_dbb",
    downsample: int = 1,
    subjects: Sequence[str] | None = None,
) -> list[View]:
    """The views of one split of Human3.6M.

    Args:
        root: folder that contains the npz files.
        split: "train" (S1, S5, S6, S7, S8) or "test" (S9, S11).
        keypoints: suffix of a data_2d_h36m file, or "gt" for exact projections, which need no file.
        downsample: take every n-th frame; 1 for 50 fps, 5 for the 10 fps of some papers.
        subjects: some of the split's; None takes all.

    Returns:
        A View for each camera of each take, named "S9/Walking 1/54138969"; its action is "Walking". Its distortion
        is OpenCV's closest model of the dataset's lens.

    Raises:
        InputError: the split or a subject is unknown, or a file is missing, malformed, or contains more than arrays.
    """
    root = Path(root)
    known = pick_split(split, SUBJECTS, LAYOUT.name)
    subjects = pick_names(subjects, known, "data.subjects", f"the {split} split of {LAYOUT.name}")
    if downsample < 1:
        raise InputError(f"data.downsample={downsample} must be 1 or more")
    takes = _load_takes(root, subjects)
    path_2d = root / f"data_2d_h36m_{keypoints}.npz"
    keypoint_skeleton, detected = H36M17, None
    if keypoints != "gt":
        keypoint_skeleton, detected = load_keypoints(LAYOUT.require_file(path_2d), _KEYPOINT_SKELETONS)

    views = []
    for (subject, name), world in takes.items():
        seen = None
        if detected is not None:
            seen = pixels_of(path_2d, detected, subject, name, keypoint_skeleton, len(world), len(CAMERAS))
        for index, camera_name in enumerate(CAMERAS):
            camera, lens = h36m_camera(subject, camera_name), h36m_lens(camera_name)
            points = world_to_camera(world[::downsample].astype(np.float64), *camera.extrinsics)
            views.append(
                recorded_view(
                    f"{subject}/{name}/{camera_name}",
                    subject,
                    lens.project(torch.from_numpy(points)).numpy() if seen is None else seen[index][::downsample],
                    points,
                    fps=FPS / downsample,
                    K=camera.K,
                    image_size=camera.image_size,
                    keypoint_skeleton=keypoint_skeleton,
                    skeleton=H36M17,
                    action=action_name(name),
                    camera=camera_name,
                    distortion=camera.distortion,
                )
            )
    return views


def load_h36m_corpus(root: str | Path, split: str = "train") -> MotionCorpus:
    """The motion of one split, for virtual cameras.

    Args:
        root: folder that contains data_3d_h36m.npz.
        split: "train" or "test".

    Raises:
        InputError: the split is unknown, or the file is missing or malformed.
    """
    takes = _load_takes(Path(root), pick_split(split, SUBJECTS, LAYOUT.name))
    clips = {
        f"{subject}/{name}": torch.from_numpy(take[..., [0, 2, 1]] * np.array([1, 1, -1], np.float32))  # Z up to Y up
        for (subject, name), take in takes.items()
    }
    return MotionCorpus.from_world(clips, tuple(subject for subject, _ in takes), FPS, H36M17)


def action_name(take: str) -> str:
    """A take's action by its name in papers.

    For example, "Walking 1" is "Walking".

    Raises:
        InputError: the action is none of the fifteen.
    """
    name = take.partition(" ")[0]
    name = _OTHER_NAMES.get(name, name)
    if name not in ACTIONS:
        raise InputError(f"Human3.6M has no action {take!r}; it has {', '.join(ACTIONS)}")
    return name


def _load_takes(root: Path, subjects: tuple[str, ...]) -> dict[tuple[str, str], np.ndarray]:
    """The 17 joints in the world, by subject and take.

    Z up, metres, float32.
    """
    path = LAYOUT.require_file(root / "data_3d_h36m.npz")
    positions = load_object_npz(path, "positions_3d")
    joints = H36M32.indices(list(H36M17.joints))
    takes = {}
    for subject in subjects:
        for name, points in clips_of(path, "positions_3d", positions, subject).items():
            points = check_shape(path, f"positions_3d {subject} {name}", points, (None, len(H36M32), 3))
            action_name(name)
            takes[subject, name] = points[:, joints].astype(np.float32)
    if not takes:
        raise InputError(f"{path}: 'positions_3d' holds no takes of {' or '.join(subjects)}")
    return takes
