"""TotalCapture: people between eight cameras, measured by Vicon.

Trumble et al., "Total Capture: 3D human pose estimation fusing video and inertial sensors", BMVC 2017. Units
(poses in inches, cameras in metres) and the lines of calibration.cal are as in
https://github.com/zhezh/TotalCapture-Toolbox. The 2D is exact, because videos and inertial sensors are not read.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.safe_parsing import read_lenient_text
from poselift.data.camera_views import view_of
from poselift.data.corpus import MotionCorpus
from poselift.data.loading import INCH, intrinsics, pick_names, pick_split
from poselift.data.reading import Layout
from poselift.data.views import View
from poselift.geometry.camera import Camera
from poselift.skeleton import TOTALCAPTURE21

_POSES = "gt_skel_gbl_pos.txt"

LAYOUT = Layout(
    name="TotalCapture",
    tree=f"""
ROOT/
  calibration.cal           (not for data=totalcapture_virtual)
  S1/                       (or s1)
    acting1/
      {_POSES}
    ...
  S2/ ... S5/ ...
""",
    url="https://cvssp.org/data/totalcapture/",
    note="Extract the archives s1_vicon_pos_ori.tar.gz to s5_vicon_pos_ori.tar.gz into one folder.",
)

FPS = 60.0
CAMERAS = tuple(f"cam{number}" for number in range(1, 9))

TEST_TAKES = ("acting3", "freestyle3", "walking2")
SPLITS = {"train": (("S1", "S2", "S3"), False), "test": (("S1", "S2", "S3", "S4", "S5"), True)}
"""The subjects of each split, and True for the test takes, False for the others."""

_VICON_NAMES = (
    *("Hips", "Spine", "Spine1", "Spine2", "Spine3", "Neck", "Head"),
    *("RightShoulder", "RightArm", "RightForeArm", "RightHand"),
    *("LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"),
    *("RightUpLeg", "RightLeg", "RightFoot", "LeftUpLeg", "LeftLeg", "LeftFoot"),
)
"""The names of TOTALCAPTURE21's joints in the files. They are names of bones; the joint is the start of the bone, so
that "RightArm" is the right shoulder."""


def load_totalcapture(root: str | Path, split: str = "test", cameras: Sequence[str] | None = None) -> list[View]:
    """The views of one split of TotalCapture.

    Args:
        root: folder that contains calibration.cal and S1 to S5.
        split: "train" (S1, S2 and S3 without the test takes) or "test" (acting 3, freestyle 3 and walking 2 of all
            five subjects), as in the paper.
        cameras: some of "cam1" to "cam8"; None takes all.

    Returns:
        A View for each camera of each take, named "S1/acting1/cam1"; its action is "acting". The 2D is the exact
        projection with lens distortion; joints outside the picture are missing.

    Raises:
        InputError: the split or a camera is unknown, or a file is missing or malformed.
    """
    root = Path(root)
    chosen = pick_names(cameras, CAMERAS, "data.cameras", LAYOUT.name)
    takes = _find_takes(root, split)
    rig = _read_rig(LAYOUT.require_file(root / "calibration.cal"))
    views = []
    for take, path in takes.items():
        subject, _, action = take.partition("/")
        world = read_positions(path)
        views += [
            view_of(
                rig[name],
                f"{take}/{name}",
                subject,
                world,
                TOTALCAPTURE21,
                fps=FPS,
                action=action.rstrip("0123456789"),
            )
            for name in chosen
        ]
    return views


def load_totalcapture_corpus(root: str | Path, split: str = "train") -> MotionCorpus:
    """The motion of one split, for virtual cameras.

    Args:
        root: folder that contains S1 to S5.
        split: "train" or "test".

    Returns:
        The motion; clips are named "S1/acting1". The dataset's world is right-handed with y up.

    Raises:
        InputError: the split is unknown, or a file is missing or malformed.
    """
    takes = _find_takes(Path(root), split)
    clips = {take: torch.from_numpy(read_positions(path)).float() for take, path in takes.items()}
    return MotionCorpus.from_world(clips, tuple(take.partition("/")[0] for take in takes), FPS, TOTALCAPTURE21)


def read_positions(path: str | Path) -> Float[np.ndarray, "t 21 3"]:
    """The joints of a gt_skel_gbl_pos.txt, in the world, metres.

    The file has a line of joint names, then for each frame a cell "x y z" per joint.

    Returns:
        Joints in the order of TOTALCAPTURE21, independent of that in the file.

    Raises:
        InputError: the header lacks a joint, or a line has not three numbers per joint.
    """
    header, *lines = read_lenient_text(path).splitlines() or [""]
    names = header.split()
    for name in _VICON_NAMES:
        if name not in names:
            raise InputError(f"{path}: no joint {name!r} in the first line, {' '.join(names)[:200]!r}")
    rows = [
        _read_numbers(path, number, line, 3 * len(names), f"x y z of {len(names)} joints")
        for number, line in enumerate(lines, start=2)
        if line.strip()
    ]
    if not rows:
        raise InputError(f"{path} has no frame after its line of joint names")
    points = np.stack(rows).reshape(len(rows), len(names), 3)
    return points[:, [names.index(name) for name in _VICON_NAMES]] * INCH


def _find_takes(root: Path, split: str) -> dict[str, Path]:
    """The pose files of a split, by subject and take."""
    subjects, tested = pick_split(split, SPLITS, LAYOUT.name)
    takes = {}
    for subject in subjects:
        found = {path.parent.name.lower(): path for path in sorted(root.glob(f"[sS]{subject[1:]}/*/{_POSES}"))}
        chosen = TEST_TAKES if tested else [take for take in found if take not in TEST_TAKES]
        for take in chosen or ["*"]:  # report a subject without takes like a missing test take
            if take not in found:
                raise LAYOUT.missing(root / subject / take / _POSES)
            takes[f"{subject}/{take}"] = found[take]
    return takes


def _read_rig(path: Path) -> dict[str, Camera]:
    """The eight cameras by name.

    The first line has their number and that of the distortion terms. Each camera has seven lines: the first and last
    row and column of the picture; fx, fy, cx, cy; k1; the rows of R; and t, in metres.
    """
    lines = read_lenient_text(path).split("\n")
    if lines[0].split() != [str(len(CAMERAS)), "1"]:
        raise InputError(f"{path}, line 1: {lines[0]!r}, expected '8 1' for 8 cameras with 1 term of distortion")
    rig = {}
    for camera, name in enumerate(CAMERAS):
        at = 2 + 7 * camera
        expected = (
            ("first and last row and column", 4),
            ("fx fy cx cy", 4),
            ("k1", 1),
            *[("a row of R", 3)] * 3,
            ("t", 3),
        )
        picture, lens, (k1,), *R, t = (
            _read_numbers(path, number, lines[number - 1] if number <= len(lines) else "", count, f"{what} of {name}")
            for number, (what, count) in enumerate(expected, start=at)
        )
        rotation = np.stack(R)
        if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-3) or np.linalg.det(rotation) < 0:
            raise InputError(f"{path}, line {at + 3}: the rows of R of {name} are not a rotation")
        if not all(np.isfinite(values).all() for values in (picture, lens, t)):
            raise InputError(f"{path}, line {at}: the camera {name} has numbers that are not finite")
        first_row, last_row, first_column, last_column = picture
        rig[name] = Camera.from_extrinsics(
            intrinsics(*lens),
            (int(last_column - first_column) + 1, int(last_row - first_row) + 1),
            rotation,
            t,
            np.array([k1, 0.0, 0.0, 0.0, 0.0]),
            name,
        )
    return rig


def _read_numbers(path: str | Path, number: int, line: str, count: int, what: str) -> np.ndarray:
    """The numbers of one line of a file."""
    try:
        values = np.array(line.split(), np.float64)
    except ValueError as error:
        raise InputError(f"{path}, line {number}: not all numbers ({error})") from error
    if len(values) != count:
        raise InputError(f"{path}, line {number}: {len(values)} numbers, expected {count} for {what}")
    return values
