"""3DPW's sequenceFiles: a pickle of Python 2 for each sequence."""

import pickle
from pathlib import Path

import numpy as np

from poselift.skeleton import COCO18, SMPL24
from tests.data.formats.people import look_from, moving_person, pixels_of

UPRIGHT = np.array([[1961.5, 0, 540.0], [0, 1969.2, 960.0], [0, 0, 1]])
ON_ITS_SIDE = np.array([[1969.2, 0, 960.0], [0, 1961.5, 540.0], [0, 0, 1]])


def write_pw3d(
    folder: Path, sequences: dict[str, tuple[int, int]] | None = None, K: np.ndarray = UPRIGHT, seed: int = 0
) -> dict[str, np.ndarray]:
    """Writes sequences and gives the joints of each "split/sequence/person" in the moving camera, (T, 24, 3), metres.

    The camera is not aligned in the first frame of person 0, and person 1 has no detection in the last.

    Args:
        folder: where `sequenceFiles` shall be.
        sequences: for each "split/name" the numbers of frames and of people.
        K: of the phone.
        seed: of the motion.
    """
    if sequences is None:
        sequences = {f"{split}/outdoors_fencing_01": (30, 1) for split in ("train", "validation", "test")}
    truth = {}
    for name, (frames, people) in sequences.items():
        cam_poses = np.tile(np.eye(4), (frames, 1, 1))
        for frame, pose in enumerate(cam_poses):
            centre = np.array([0.5 + 0.02 * frame, 1.5, 5.0])
            pose[:3, :3] = look_from(centre, np.array([0.2, 1.0, 0]))
            pose[:3, 3] = -pose[:3, :3] @ centre
        joints, poses2d, valid = [], [], []
        for person in range(people):
            seed += 1
            world = moving_person(SMPL24.joints, frames, seed, fps=30) + [0.6 * person, 0, 0]
            detected = moving_person(COCO18.joints, frames, seed, fps=30) + [0.6 * person, 0, 0]
            camera, detected = (
                np.stack([points @ pose[:3, :3].T + pose[:3, 3] for points, pose in zip(all_, cam_poses, strict=True)])
                for all_ in (world, detected)
            )
            scores = np.full((frames, 18, 1), 0.8)
            if person == 1:
                scores[-1] = 0
            found = np.concatenate([pixels_of(detected, K), scores], -1) * (scores > 0)
            joints.append(world.reshape(frames, 72))
            poses2d.append(found.transpose(0, 2, 1))
            valid.append((np.arange(frames) > 0).astype(np.int64) if person == 0 else np.ones(frames, np.int64))
            truth[f"{name}/{person}"] = camera
        content = {
            "sequence": name.split("/")[1],
            "betas": [np.zeros(10)] * people,
            "poses": [np.zeros((frames, 72))] * people,
            "trans": [np.zeros((frames, 3))] * people,
            "poses_60Hz": [np.zeros((2 * frames, 72))] * people,
            "trans_60Hz": [np.zeros((2 * frames, 3))] * people,
            "betas_clothed": [np.zeros(10)] * people,
            "v_template_clothed": [np.zeros((6890, 3))] * people,
            "genders": ["m", "f"][:people],
            "texture_maps": [],
            "jointPositions": joints,
            "poses2d": poses2d,
            "img_frame_ids": np.arange(0, 2 * frames, 2),
            "cam_poses": cam_poses,
            "campose_valid": valid,
            "cam_intrinsics": K,
        }
        path = folder / "sequenceFiles" / f"{name}.pkl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(content, protocol=2))
    return truth
