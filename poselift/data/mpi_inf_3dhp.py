"""MPI-INF-3DHP as downloaded: training cameras and test clips.

annot.mat has 14 cameras for training, annot_data.mat six clips for the test.

Mehta et al., "Monocular 3D human pose estimation in the wild using improved CNN supervision", 3DV 2017. The README
of the download and its util/mpii_get_joint_set.m, mpii_get_camera_set.m and mpii_get_sequence_info.m describe the
files. Positions are in each camera's own frame, in mm.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.safe_parsing import read_lenient_text
from poselift.data.loading import intrinsics, pick_names, pick_split, recorded_view
from poselift.data.reading import Layout, load_mat, numbers, put_frames_first
from poselift.data.views import View
from poselift.skeleton import MPI_INF_3DHP17

LAYOUT = Layout(
    name="MPI-INF-3DHP",
    tree="""
ROOT/
  S1/
    Seq1/
      annot.mat
      camera.calibration
    Seq2/ ...
  ...
  S8/ ...
  mpi_inf_3dhp_test_set/    (or TS1 ... TS6 beside S1)
    TS1/
      annot_data.mat
    ...
    TS6/ ...
""",
    url="https://vcai.mpi-inf.mpg.de/3dhp-dataset/",
    note="The videos and pictures are not needed.",
)

JOINTS28 = (
    *("spine3", "spine4", "spine2", "spine", "pelvis", "neck_base", "head", "head_top"),
    *("left_clavicle", "left_shoulder", "left_elbow", "left_wrist", "left_hand"),
    *("right_clavicle", "right_shoulder", "right_elbow", "right_wrist", "right_hand"),
    *("left_hip", "left_knee", "left_ankle", "left_foot", "left_toe"),
    *("right_hip", "right_knee", "right_ankle", "right_foot", "right_toe"),
)
"""The joints of annot.mat in its order; it calls `neck_base` neck."""

CAMERAS = (0, 1, 2, 4, 5, 6, 7, 8)
"""The cameras at eye height and below, of 14, on which the field trains."""

TRAIN_SIZE = (2048, 2048)

SEQUENCES = {
    ("S1", "Seq1"): (25.0, 6416),
    ("S1", "Seq2"): (50.0, 12430),
    ("S2", "Seq1"): (25.0, 6502),
    ("S2", "Seq2"): (25.0, 6081),
    ("S3", "Seq1"): (50.0, 12488),
    ("S3", "Seq2"): (50.0, 12283),
    ("S4", "Seq1"): (25.0, 6171),
    ("S4", "Seq2"): (25.0, 6675),
    ("S5", "Seq1"): (50.0, 12820),
    ("S5", "Seq2"): (50.0, 12312),
    ("S6", "Seq1"): (25.0, 6188),
    ("S6", "Seq2"): (25.0, 6145),
    ("S7", "Seq1"): (25.0, 6239),
    ("S7", "Seq2"): (25.0, 6320),
    ("S8", "Seq1"): (25.0, 6468),
    ("S8", "Seq2"): (25.0, 6054),
}
"""Frame rate, and number of frames in the videos; further annotations have no picture."""

TEST_FPS = 25.0

_STUDIO = ((2048, 2048), intrinsics(1500.172288, 1500.832364, 1017.387336, 1043.031982))
_OUTDOORS = ((1920, 1080), intrinsics(1683.983460, 1672.593708, 939.857540, 560.140743))
TEST_CLIPS = {
    "TS1": ("green screen", *_STUDIO),
    # By a fit to annot2 and annot3 of the whole sequence: the camera of TS1 is 4.4 px off.
    "TS2": ("green screen", (2048, 2048), intrinsics(1503.8, 1501.3, 1015.2, 1038.7)),
    "TS3": ("no green screen", *_STUDIO),
    "TS4": ("no green screen", *_STUDIO),
    "TS5": ("outdoor", *_OUTDOORS),
    "TS6": ("outdoor", *_OUTDOORS),
}
"""For each test clip its setting, which divides the field's tables, the picture's size, and K.

K of the others is computed from the test set's test_util/camera_calibration: with the sensor's size s, the focal length
f and the offset o of the centre in mm, fx = f w / s_x, fy = f h / s_y times the pixel's aspect, c = (o / s + 1/2) w or
h. annot2 ignores the lens distortion of the outdoor camera in that file: it is annot3 projected by K alone.
"""


def load_mpi_inf_3dhp(
    root: str | Path,
    split: str = "test",
    subjects: Sequence[str] | None = None,
    cameras: Sequence[int] = CAMERAS,
    universal: bool = True,
) -> list[View]:
    """The views of one split of MPI-INF-3DHP.

    Args:
        root: folder that contains S1 to S8 and the test set.
        split: "train" or "test", the dataset's own.
        subjects: some of "S1" to "S8", or of "TS1" to "TS6"; None takes all.
        cameras: some of the 14 training cameras, from 0.
        universal: True takes joints from `univ_annot3`, where all people have one height, as the field trains and
            tests; False takes them from `annot3`, in their own size. The root is always that of `annot3`, which
            matches the keypoints.

    Returns:
        A View for each sequence and camera, named "S1/Seq1/0", or for each test clip, named "TS1". The `action` of a
        test clip is its setting ("green screen", "no green screen", "outdoor"), and its invalid frames have NaN
        joints.

    Raises:
        InputError: the split, a subject or a camera is unknown, or a file is missing or malformed.
    """
    root = Path(root)
    key = "univ_annot3" if universal else "annot3"
    names = pick_split(split, {"train": tuple(f"S{n}" for n in range(1, 9)), "test": tuple(TEST_CLIPS)}, LAYOUT.name)
    chosen = pick_names(subjects, names, "data.subjects", f"the {split} split of {LAYOUT.name}")
    if split == "test":
        return [_load_test_clip(root, name, key) for name in chosen]
    return [
        view
        for subject, sequence in SEQUENCES
        if subject in chosen
        for view in _load_train_sequence(root, subject, sequence, cameras, key)
    ]


def read_calibration(path: Path) -> dict[int, Float[np.ndarray, "3 3"]]:
    """K of each camera, by number.

    They come from a "Skeletool Camera Calibration File V1.0".

    Each line has a word and its values: `name` starts a camera, `intrinsic` has its 4 x 4 K by rows.

    Raises:
        InputError: the file is missing or has another form.
    """
    text = read_lenient_text(LAYOUT.require_file(path))
    cameras = {}
    for block in re.split(r"^\s*name\s", text, flags=re.MULTILINE)[1:]:
        words = block.split()
        try:
            start = words.index("intrinsic") + 1
            cameras[int(words[0])] = np.array(words[start : start + 16], np.float64).reshape(4, 4)[:3, :3]
        except (ValueError, IndexError) as error:
            raise InputError(f"{path}: camera {words[:1]} has no 'intrinsic' with 16 numbers") from error
    return cameras


def sequence_view(
    subject: str,
    sequence: str,
    camera: str,
    pixels: Float[np.ndarray, "t 17 2"],
    points: Float[np.ndarray, "t 17 3"],
    fps: float,
    K: Float[np.ndarray, "3 3"],
) -> View:
    """A View of a training sequence; points in metres, camera frame."""
    return recorded_view(
        f"{subject}/{sequence}/{camera}",
        subject,
        pixels,
        points,
        fps=fps,
        K=K,
        image_size=TRAIN_SIZE,
        skeleton=MPI_INF_3DHP17,
        action=sequence,
        camera=camera,
    )


def clip_view(
    path: Path,
    name: str,
    pixels: Float[np.ndarray, "t 17 2"],
    points: Float[np.ndarray, "t 17 3"],
    valid: np.ndarray,
) -> View:
    """A View of a test clip.

    Points in metres, camera frame, and `valid` with one number per frame.

    Raises:
        InputError: `valid` has another number of frames.
    """
    valid = numbers(path, f"{name} valid frames", valid.ravel(), (len(pixels),))
    setting, image_size, K = TEST_CLIPS[name]
    return recorded_view(
        name,
        name,
        pixels,
        points,
        fps=TEST_FPS,
        K=K,
        image_size=image_size,
        skeleton=MPI_INF_3DHP17,
        counted=valid.astype(bool),
        action=setting,
    )


def _load_train_sequence(root: Path, subject: str, sequence: str, cameras: Sequence[int], key: str) -> list[View]:
    folder = root / subject / sequence
    path = LAYOUT.require_file(folder / "annot.mat")
    cells = load_mat(path, dict.fromkeys(("annot2", "annot3", key), (14, 1)))
    calibration = read_calibration(folder / "camera.calibration")
    fps, frames = SEQUENCES[subject, sequence]
    views = []
    for camera in cameras:
        if camera not in calibration or not 0 <= camera < 14:
            raise InputError(f"data.cameras={[*cameras]}: {folder / 'camera.calibration'} has no camera {camera}")
        pixels, seen, joints = (
            _read_cell(path, name, cells[name], camera, channels)[:frames]
            for name, channels in (("annot2", 2), ("annot3", 3), (key, 3))
        )
        points = _place(path, joints, seen, len(pixels))
        views.append(sequence_view(subject, sequence, str(camera), pixels, points, fps, calibration[camera]))
    return views


def _read_cell(path: Path, key: str, cells: np.ndarray, camera: int, channels: int) -> np.ndarray:
    """One camera's (frames, 17, channels) of a cell array.

    Its rows are "x1 y1 (z1) x2 ...".
    """
    rows = numbers(path, f"{key}{{{camera + 1}}}", cells[camera, 0], (None, len(JOINTS28) * channels))
    chosen = [JOINTS28.index(joint) for joint in MPI_INF_3DHP17.joints]
    return rows.reshape(len(rows), len(JOINTS28), channels)[:, chosen]


def _load_test_clip(root: Path, name: str, key: str) -> View:
    path = root / name / "annot_data.mat"
    if not path.is_file():
        path = LAYOUT.require_file(root / "mpi_inf_3dhp_test_set" / name / "annot_data.mat")
    arrays = load_mat(path, {"annot2": None, "annot3": None, key: None, "valid_frame": None})
    pixels, seen, joints = (
        put_frames_first(path, variable, arrays[variable], len(MPI_INF_3DHP17), channels)
        for variable, channels in (("annot2", 2), ("annot3", 3), (key, 3))
    )
    return clip_view(path, name, pixels, _place(path, joints, seen, len(pixels)), arrays["valid_frame"])


def _place(path: Path, joints: np.ndarray, seen: np.ndarray, frames: int) -> np.ndarray:
    """Joints moved to the pelvis of `seen`; mm to metres."""
    if not len(joints) == len(seen) == frames:
        raise InputError(
            f"{path}: its 2D joints have {frames} frames, annot3 has {len(seen)} and the chosen 3D joints "
            f"{len(joints)}; download it again"
        )
    pelvis = slice(MPI_INF_3DHP17.index("pelvis"), MPI_INF_3DHP17.index("pelvis") + 1)
    return (joints - joints[:, pelvis] + seen[:, pelvis]) / 1000
