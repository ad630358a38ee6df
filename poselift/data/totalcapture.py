"""TotalCapture: people between eight cameras, measured by Vicon.

Trumble et al., "Total Capture: 3D human pose estimation fusing video and inertial sensors", BMVC 2017. That the poses
are in inches and the cameras' places in metres, and what the lines of calibration.cal are, is as in
https://github.com/zhezh/TotalCapture-Toolbox. Videos and inertial sensors are not read: the 2D is exact.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.corpus import MotionCorpus
from poselift.data.loading import intrinsics, pick_split
from poselift.data.reading import Source
from poselift.data.still_camera import StillCamera
from poselift.data.views import View
from poselift.skeleton import TOTALCAPTURE21

_POSES = "gt_skel_gbl_pos.txt"

SOURCE = Source(
    name="TotalCapture",
    tree=f"""
ROOT/
  calibration.cal           (data=totalcapture_virtual needs none)
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
INCH = 0.0254
"""Metres; the poses are in inches."""
CAMERAS = tuple(f"cam{number}" for number in range(1, 9))

TEST_TAKES = ("acting3", "freestyle3", "walking2")
SPLITS = {"train": (("S1", "S2", "S3"), False), "test": (("S1", "S2", "S3", "S4", "S5"), True)}
"""Of each split the subjects, and whether it has the takes to test on or the others."""

_VICON_NAMES = (
    *("Hips", "Spine", "Spine1", "Spine2", "Spine3", "Neck", "Head"),
    *("RightShoulder", "RightArm", "RightForeArm", "RightHand"),
    *("LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"),
    *("RightUpLeg", "RightLeg", "RightFoot", "LeftUpLeg", "LeftLeg", "LeftFoot"),
)
"""What the files call the joints of TOTALCAPTURE21. A name is that of a bone, and its joint is where the bone
begins: "RightArm" is the right shoulder."""


def load_totalcapture(root: str | Path, split: str = "test", cameras: Sequence[str] | None = None) -> list[View]:
    """Reads one split of TotalCapture, as its cameras see it.

    Args:
        root: the folder that holds calibration.cal and S1 to S5.
        split: "train" (S1, S2, S3 without the takes to test on) or "test" (acting 3, freestyle 3 and walking 2 of
            all five subjects), as the paper divides them.
        cameras: which of "cam1" to "cam8"; all if left out.

    Returns:
        A View for each camera of each take, named "S1/acting1/cam1"; its action is "acting". The 2D is exact, lens
        distortion and all; who is outside the picture is not seen.

    Raises:
        InputError: there is no such split or camera, or a file is missing or malformed.
    """
    root = Path(root)
    chosen = CAMERAS if cameras is None else tuple(cameras)
    for name in chosen:
        if name not in CAMERAS:
            raise InputError(f"data.cameras={[*chosen]}: TotalCapture has no {name!r}; it has {', '.join(CAMERAS)}")
    takes = _takes(root, split)
    rig = _rig(SOURCE.require_file(root / "calibration.cal"))
    views = []
    for take, path in takes.items():
        subject, _, action = take.partition("/")
        world = read_positions(path)
        views += [
            rig[name].view(
                f"{take}/{name}", subject, world, TOTALCAPTURE21, fps=FPS, action=action.rstrip("0123456789")
            )
            for name in chosen
        ]
    return views


def load_totalcapture_corpus(root: str | Path, split: str = "train") -> MotionCorpus:
    """Reads the motion of one split, without its cameras, to be filmed by virtual ones.

    Args:
        root: the folder that holds S1 to S5.
        split: "train" or "test".

    Returns:
        The motion; clips are named "S1/acting1". The dataset's world is right-handed with y up.

    Raises:
        InputError: there is no such split, or a file is missing or malformed.
    """
    takes = _takes(Path(root), split)
    points = [torch.from_numpy(read_positions(path)).float() for path in takes.values()]
    joints = torch.cat(points)
    pelvis = joints[:, TOTALCAPTURE21.index("pelvis")]
    return MotionCorpus(
        joints=joints - pelvis[:, None],
        root=pelvis,
        clip_start=torch.tensor([0, *map(len, points)]).cumsum(0),
        names=tuple(takes),
        subjects=tuple(take.partition("/")[0] for take in takes),
        fps=FPS,
        skeleton=TOTALCAPTURE21,
    )


def read_positions(path: str | Path) -> Float[np.ndarray, "t 21 3"]:
    """Reads a gt_skel_gbl_pos.txt: a line of joint names, then for each frame a cell "x y z" a joint.

    Returns:
        World, metres, the joints in the order of TOTALCAPTURE21 whatever that of the file.

    Raises:
        InputError: a joint is not in the header, or a line has not three numbers for each.
    """
    header, *lines = _text(path).splitlines() or [""]
    names = header.split()
    for name in _VICON_NAMES:
        if name not in names:
            raise InputError(f"{path}: no joint {name!r} in its first line, which has {' '.join(names)[:200]!r}")
    rows = [
        _numbers(path, number, line, 3 * len(names), f"x y z of {len(names)} joints")
        for number, line in enumerate(lines, start=2)
        if line.strip()
    ]
    if not rows:
        raise InputError(f"{path} has no frame after its line of joint names")
    points = np.stack(rows).reshape(len(rows), len(names), 3)
    return points[:, [names.index(name) for name in _VICON_NAMES]] * INCH


def _takes(root: Path, split: str) -> dict[str, Path]:
    """The files of a split's poses, by subject and take."""
    subjects, tested = pick_split(split, SPLITS, SOURCE.name)
    takes = {}
    for subject in subjects:
        found = {path.parent.name.lower(): path for path in sorted(root.glob(f"[sS]{subject[1:]}/*/{_POSES}"))}
        chosen = TEST_TAKES if tested else [take for take in found if take not in TEST_TAKES]
        for take in chosen or ["*"]:  # a subject without any is as missing as a take that is tested on
            if take not in found:
                raise SOURCE.missing(root / subject / take / _POSES)
            takes[f"{subject}/{take}"] = found[take]
    return takes


def _rig(path: Path) -> dict[str, StillCamera]:
    """The eight cameras: a line with their number and that of the distortion's terms, then seven lines for each.

    These are the first and last row and column of the picture; fx, fy, cx, cy; k1; the rows of R; and t, in metres.
    """
    lines = _text(path).split("\n")
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
            _numbers(path, number, lines[number - 1] if number <= len(lines) else "", count, f"{what} of {name}")
            for number, (what, count) in enumerate(expected, start=at)
        )
        rotation = np.stack(R)
        if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-3) or np.linalg.det(rotation) < 0:
            raise InputError(f"{path}, line {at + 3}: the rows of R of {name} are not those of a rotation")
        first_row, last_row, first_column, last_column = picture
        rig[name] = StillCamera(
            name=name,
            image_size=(int(last_column - first_column) + 1, int(last_row - first_row) + 1),
            K=torch.from_numpy(intrinsics(*lens)),
            R=torch.from_numpy(rotation),
            t=torch.from_numpy(t),
            distortion=torch.tensor([k1, 0, 0, 0, 0], dtype=torch.float64),
        )
    return rig


def _text(path: str | Path) -> str:
    return Path(path).read_text(encoding="utf-8", errors="replace")


def _numbers(path: str | Path, number: int, line: str, count: int, what: str) -> np.ndarray:
    """The numbers of one line of a file."""
    try:
        values = np.array(line.split(), np.float64)
    except ValueError as error:
        raise InputError(f"{path}, line {number}: not all numbers ({error})") from error
    if len(values) != count:
        raise InputError(f"{path}, line {number}: {len(values)} numbers, expected {count} for {what}")
    return values
