"""SURREAL's *_info.mat, as its datageneration/main_part1.py writes them."""

from pathlib import Path

import numpy as np
from scipy.io import savemat

from poselift.skeleton import SMPL24
from tests.data.formats.people import moving_person

K = np.array([[600, 0, 160], [0, 600, 120], [0, 0, 1.0]])


def write_surreal(folder: Path, clips: dict[str, int] | None = None, seed: int = 0) -> dict[str, np.ndarray]:
    """Writes clips below a folder and gives for each the joints in the camera frame, (T, 24, 3), metres.

    The joints given are named as the person in the picture has them: the file's left is the picture's right.

    Args:
        folder: where `cmu` shall be.
        clips: for each "split/run/sequence/number" the number of frames.
        seed: of the motion.
    """
    if clips is None:
        clips = {f"{split}/run0/01_01/{n}": 30 for split in ("train", "val", "test") for n in (1, 2)}
    truth = {}
    for count, (name, frames) in enumerate(clips.items()):
        split, run, sequence, number = name.split("/")
        person = moving_person(SMPL24.joints, frames, seed + count, fps=25)
        # The camera looks along the world's -x from 7 m away. What it sees to the right is the world's -z and what
        # it sees below is the world's +y, so that it sees a mirrored world.
        loc = np.array([7.0, -1.0, 0.2])
        in_picture = person * [1, -1, -1] + [0, 1.0, 0]
        camera = in_picture + [0, 0, 7.0]
        world = np.stack([loc[0] - camera[..., 2], loc[1] + camera[..., 1], loc[2] - camera[..., 0]], -1)
        pixels = np.rint(np.stack([600 * camera[..., i] / camera[..., 2] + (160, 120)[i] for i in (0, 1)], -1))
        named = [SMPL24.joints.index(_other(joint)) for joint in SMPL24.joints]
        clip = f"{sequence}_c{int(number):04d}"
        path = folder / "cmu" / split / run / sequence / f"{clip}_info.mat"
        path.parent.mkdir(parents=True, exist_ok=True)
        savemat(
            path,
            {
                "joints2D": _frames_last(pixels[:, named]),
                "joints3D": _frames_last(world[:, named]),
                "pose": np.zeros((72, frames), np.float32),
                "shape": np.zeros((10, frames), np.float32),
                "gender": np.ones((frames, 1), np.uint8),
                "zrot": np.zeros((frames, 1), np.float32),
                "camDist": np.float32(7.0),
                "camLoc": loc[:, None].astype(np.float32),
                "light": np.zeros((9, frames), np.float32),
                "clipNo": float(number),
                "stride": np.uint8(50),
                "sequence": clip,
                "source": "cmu",
                "bg": np.array([["room.jpg"] * frames], object),
                "cloth": np.array([["shirt.jpg"] * frames], object),
            },
            do_compression=True,
        )
        truth[f"{split}/{run}/{clip}"] = camera
    return truth


def _frames_last(values: np.ndarray) -> np.ndarray:
    """(T, 24, c) as (c, 24, T); one frame loses its axis, as MATLAB saves it."""
    turned = values.transpose(2, 1, 0).astype(np.float32)
    return turned[..., 0] if turned.shape[-1] == 1 else turned


def _other(joint: str) -> str:
    if joint.startswith("left_"):
        return "right_" + joint[5:]
    return "left_" + joint[6:] if joint.startswith("right_") else joint
