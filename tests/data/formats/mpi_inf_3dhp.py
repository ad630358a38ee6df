"""MPI-INF-3DHP's annot.mat, camera.calibration and annot_data.mat, and the npz that the field makes of them."""

from pathlib import Path

import h5py
import numpy as np
from scipy.io import savemat

from tests.data.formats.people import look_from, moving_person, pixels_of

JOINTS28 = (
    "spine3 spine4 spine2 spine pelvis neck head head_top left_clavicle left_shoulder left_elbow left_wrist left_hand "
    "right_clavicle right_shoulder right_elbow right_wrist right_hand left_hip left_knee left_ankle left_foot left_toe "
    "right_hip right_knee right_ankle right_foot right_toe"
)
JOINTS17 = [7, 5, 14, 15, 16, 9, 10, 11, 23, 24, 25, 18, 19, 20, 4, 3, 6]
CAMERA_SET = [0, 1, 2, 4, 5, 6, 7, 8]
UNIVERSAL = 1.06
"""How much taller the scaled people are here."""
K_TRAIN = np.array([[1497.693, 0, 1024.704], [0, 1497.103, 1051.394], [0, 0, 1]])
K_TEST = {
    "TS1": np.array([[1500.172, 0, 1017.387], [0, 1500.832, 1043.032], [0, 0, 1]]),
    "TS6": np.array([[1683.983, 0, 939.858], [0, 1672.594, 560.141], [0, 0, 1]]),
}


def write_mpi_inf_3dhp_train(folder: Path, sequences: dict[str, int], seed: int = 0) -> dict[str, np.ndarray]:
    """Writes "S1/Seq1"-like folders of so many frames; gives annot3 of each and camera, (14, T, 28, 3), in mm."""
    truth = {}
    for count, (name, frames) in enumerate(sequences.items()):
        world = 1000 * moving_person(tuple(JOINTS28.split()), frames, seed + count)
        cameras = [_camera(number) for number in range(14)]
        annot3 = np.stack([(world - centre) @ R.T for R, centre in cameras])
        annot2 = np.stack([pixels_of(points, K_TRAIN) for points in annot3])
        path = folder / name
        path.mkdir(parents=True, exist_ok=True)
        savemat(
            path / "annot.mat",
            {
                "annot2": _cells(annot2),
                "annot3": _cells(annot3),
                "univ_annot3": _cells(_universal(annot3, 4)),
                "cameras": np.arange(14, dtype=np.uint8)[None],
                "frames": np.arange(frames, dtype=np.int32)[:, None],
            },
            do_compression=True,
        )
        lines = ["Skeletool Camera Calibration File V1.0"]
        for number, (R, centre) in enumerate(cameras):
            K, RT = np.eye(4), np.eye(4)
            K[:3, :3], RT[:3, :3], RT[:3, 3] = K_TRAIN, R, -R @ centre
            lines += [
                f"name          {number}",
                "  sensor      10 10",
                "  size        2048 2048",
                "  animated    0",
                f"  intrinsic   {_numbers(K)} ",
                f"  extrinsic   {_numbers(RT)} ",
                "  radial      0",
            ]
        (path / "camera.calibration").write_text("\n".join(lines) + "\n")
        truth[name] = annot3
    return truth


def write_mpi_inf_3dhp_test(folder: Path, clips: dict[str, int], seed: int = 0) -> dict[str, np.ndarray]:
    """Writes "TS1"-like clips of so many frames, every fifth not valid; gives annot3 of each, (T, 17, 3), in mm."""
    truth = {}
    names = [JOINTS28.split()[index] for index in JOINTS17]
    for count, (name, frames) in enumerate(clips.items()):
        R, centre = _camera(8)
        annot3 = (1000 * moving_person(tuple(names), frames, seed + count) - centre) @ R.T
        K = K_TEST["TS6" if name in ("TS5", "TS6") else "TS1"]
        path = folder / name / "annot_data.mat"
        path.parent.mkdir(parents=True, exist_ok=True)
        with h5py.File(path, "w", userblock_size=512) as file:
            # HDF5 has MATLAB's axes the other way round: (2, 17, 1, T) is (T, 1, 17, 2).
            file["annot2"] = pixels_of(annot3, K)[:, None]
            file["annot3"] = annot3[:, None]
            file["univ_annot3"] = _universal(annot3, 14)[:, None]
            file["valid_frame"] = valid_frames(frames)[:, None].astype(np.float64)
            file["activity_annotation"] = np.ones((frames, 1))
            file["bb_crop"] = np.zeros((frames, 34))
        with path.open("r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(128))
        truth[name] = annot3
    return truth


def write_mpi_inf_3dhp_npz(folder: Path, sequences: dict[str, int], clips: dict[str, int], seed: int = 0) -> None:
    """Writes data_train_3dhp.npz and data_test_3dhp.npz for "S1 Seq1"-like sequences and "TS1"-like clips."""
    names = tuple(JOINTS28.split()[index] for index in JOINTS17)
    train: dict[str, list] = {}
    for count, (name, frames) in enumerate(sequences.items()):
        world, cameras = 1000 * moving_person(names, frames, seed + count), {}
        for number in CAMERA_SET:
            R, centre = _camera(number)
            annot3 = (world - centre) @ R.T
            cameras[str(number)] = {"data_2d": pixels_of(annot3, K_TRAIN), "data_3d": _universal(annot3, 14)}
        train[name] = [cameras, 25 if name == "S1 Seq1" else 50]
    np.savez_compressed(folder / "data_train_3dhp.npz", data=np.array(train, object))
    test = {}
    for count, (name, frames) in enumerate(clips.items()):
        R, centre = _camera(8)
        annot3 = (1000 * moving_person(names, frames, seed + count) - centre) @ R.T
        K = K_TEST["TS6" if name in ("TS5", "TS6") else "TS1"]
        test[name] = {
            "data_2d": pixels_of(annot3, K),
            "data_3d": _universal(annot3, 14),
            "valid": valid_frames(frames).astype(np.float64),
        }
    np.savez_compressed(folder / "data_test_3dhp.npz", data=np.array(test, object))


def valid_frames(frames: int) -> np.ndarray:
    """Which frames the written clips say are valid: all but every fifth."""
    return np.arange(frames) % 5 != 4


def _universal(annot3: np.ndarray, pelvis: int) -> np.ndarray:
    """Scaled about the pelvis, and nearer: that the place is not that of the picture is what counts."""
    root = annot3[..., pelvis : pelvis + 1, :]
    return (annot3 - root) * UNIVERSAL + root * 0.9


def _camera(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Rotation, world to camera, and centre in mm, of cameras all around."""
    angle = 2 * np.pi * number / 14
    centre = np.array([3.8 * np.sin(angle), 1.2, 3.8 * np.cos(angle)])
    return look_from(centre, np.array([0, 1.0, 0])), 1000 * centre


def _cells(values: np.ndarray) -> np.ndarray:
    """(14, T, 28, c) as a 14 x 1 cell array of rows."""
    cells = np.empty((14, 1), object)
    for number, rows in enumerate(values):
        cells[number, 0] = rows.reshape(len(rows), -1).astype(np.float32)
    return cells


def _numbers(matrix: np.ndarray) -> str:
    return " ".join(f"{value:.7g}" for value in matrix.ravel())
