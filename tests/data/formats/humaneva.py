"""HumanEva-I in the npz files of VideoPose3D's data/prepare_data_humaneva.py."""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from poselift.data.humaneva import CAMERAS
from poselift.skeleton import COCO17, HUMANEVA15
from tests.data.formats.people import moving_person, pixels_of

K = np.array([[765.0, 0, 321.0], [0, 768.0, 247.0], [0, 0, 1]])
ACTIONS = ("Walking 1", "Jog 1", "Box 1", "Gestures 1", "ThrowCatch 1")


def write_humaneva(folder: Path, frames: int = 20, chunks: int = 1, seed: int = 0) -> dict[str, np.ndarray]:
    """Writes the poses, the exact 2D and COCO detections that are 2 px off; gives each view's camera-frame metres.

    Args:
        folder: where the three files shall be.
        frames: in each piece; the detections have two more, as they may.
        chunks: pieces of each sequence.
        seed: of the motion.
    """
    positions, exact, detected, truth = {}, {}, {}, {}
    rng = np.random.default_rng(seed)
    for part in ("Train", "Validate"):
        for subject in ("S1", "S2", "S3"):
            subject_3d, subject_2d, subject_coco = {}, {}, {}
            for name in (f"{action} chunk{n}" for action in ACTIONS for n in range(chunks)):
                seed += 1
                world = _z_up(moving_person(HUMANEVA15.joints, frames, seed, fps=60))
                coco = _z_up(moving_person(COCO17.joints, frames + 2, seed, fps=60))
                subject_3d[name] = world.astype(np.float32)
                subject_2d[name], subject_coco[name] = [], []
                for number, (quaternion, centre) in enumerate(CAMERAS[subject], 1):
                    R = Rotation.from_quat(quaternion[1:] + quaternion[:1]).as_matrix().T
                    camera, camera_coco = ((points - np.array(centre) / 1000) @ R.T for points in (world, coco))
                    noise = rng.normal(0, 2, (*coco.shape[:2], 2))
                    subject_2d[name].append(pixels_of(camera, K).astype(np.float32))
                    subject_coco[name].append((pixels_of(camera_coco, K) + noise).astype(np.float32))
                    truth[f"{part}/{subject}/{name}/C{number}"] = camera
            positions[f"{part}/{subject}"] = subject_3d
            exact[f"{part}/{subject}"], detected[f"{part}/{subject}"] = subject_2d, subject_coco
    detected["Unlabeled/S4"] = {"Box 2": [np.zeros((5, 17, 2), np.float32)] * 3}
    layouts = {"humaneva15": (15, HUMANEVA15), "coco": (17, COCO17)}
    np.savez_compressed(folder / "data_3d_humaneva15.npz", positions_3d=positions)
    for ending, layout, pixels in (("gt", "humaneva15", exact), ("detectron_pt_coco", "coco", detected)):
        joints, skeleton = layouts[layout]
        sides = [[j for j, name in enumerate(skeleton.joints) if name.startswith(side)] for side in ("left", "right")]
        metadata = {"layout_name": layout, "num_joints": joints, "keypoints_symmetry": sides}
        np.savez_compressed(folder / f"data_2d_humaneva15_{ending}.npz", positions_2d=pixels, metadata=metadata)
    return truth


def _z_up(points: np.ndarray) -> np.ndarray:
    """HumanEva's world: z up, right-handed."""
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], -1)
