"""AIST++'s annotations, as its aistplusplus_api writes them."""

import json
import pickle
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from poselift.skeleton import COCO17
from tests.data.formats.people import look_from, moving_person

SPLITS = {
    "train": ("gBR_sBM_cAll_d04_mBR0_ch01", "gPO_sFM_cAll_d10_mPO1_ch02"),
    "val": ("gBR_sBM_cAll_d04_mBR1_ch02",),
    "test": ("gJB_sBM_cAll_d07_mJB3_ch05", "gWA_sFM_cAll_d27_mWA2_ch21", "gWA_sBM_cAll_d25_mWA0_ch01"),
}
IGNORED = "gWA_sBM_cAll_d25_mWA0_ch01"


def write_aist(folder: Path, frames: int = 14, seed: int = 0) -> dict[str, np.ndarray]:
    """Writes the annotations and gives the points in the world of each sequence, (T, 17, 3), metres.

    The sequences are `frames` long, and each a frame longer than the one before. Detections of `c02` are of nobody in
    the last frame; the others are those of `detections`.

    Args:
        folder: of the annotations.
        frames: of the first sequence.
        seed: of the motion.
    """
    for part in ("keypoints3d", "keypoints2d", "cameras", "splits"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    sequences = [name for names in SPLITS.values() for name in names]
    for split, names in SPLITS.items():
        (folder / "splits" / f"pose_{split}.txt").write_text("\n".join(names))
    (folder / "ignore_list.txt").write_text(IGNORED + "\n")
    mapping = [f"{name} setting{number % 2 + 1}" for number, name in enumerate(sequences)]
    (folder / "cameras" / "mapping.txt").write_text("\n".join(mapping) + "\n")
    for setting in (1, 2):
        (folder / "cameras" / f"setting{setting}.json").write_text(json.dumps(cameras(setting)))
    truth = {}
    for number, name in enumerate(sequences):
        if name == IGNORED:
            continue
        count = frames + number
        world = moving_person(COCO17.joints, count, seed + number, fps=60)
        found = np.full((9, count, 17, 3), np.nan, np.float32)
        found[..., :2] = detections(count)
        found[..., 2] = 0.9
        found[1, -1] = np.nan
        scores = np.where(np.isnan(found[..., 0, 0]), 0, 0.95).astype(np.float32)
        times = (np.arange(count) * 1e6 / 60).astype(np.int64)
        raw = {"keypoints3d": 100 * world + 5, "keypoints3d_optim": 100 * world}
        _dump(folder / "keypoints3d" / f"{name}.pkl", raw)
        _dump(folder / "keypoints2d" / f"{name}.pkl", {"keypoints2d": found, "det_scores": scores, "timestamps": times})
        truth[name] = world
    return truth


def detections(frames: int) -> np.ndarray:
    """(9, T, 17, 2): pixels that tell camera, frame and joint."""
    camera, frame, joint = np.meshgrid(range(9), range(frames), range(17), indexing="ij")
    return np.stack([900.0 + 10 * camera + joint, 500.0 + frame], -1)


def cameras(setting: int) -> list[dict]:
    """Nine cameras around the scene, in centimetres; the last is nearer."""
    rig = []
    for place in range(9):
        angle = 2 * np.pi * place / 8 + 0.1 * setting
        centre = (500.0 if place < 8 else 350.0) * np.array([np.sin(angle), 0, np.cos(angle)]) + [0, 150, 0]
        R = look_from(centre, np.array([0, 100.0, 0]))
        rig.append(
            {
                "name": f"c{place + 1:02d}",
                "size": [1920, 1080],
                "matrix": [[1500.0 + place, 0.0, 960.0], [0.0, 1490.0 + setting, 540.0], [0.0, 0.0, 1.0]],
                "rotation": Rotation.from_matrix(R).as_rotvec().tolist(),
                "translation": (-R @ centre).tolist(),
                "distortions": [0.05 - 0.01 * place, -0.02, 0.001, -0.002, 0.003],
            }
        )
    return rig


def _dump(path: Path, content: dict) -> None:
    path.write_bytes(pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL))
