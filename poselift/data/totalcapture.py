"""TotalCapture: motion of people between eight cameras, measured by Vicon.

Trumble et al., "Total Capture: 3D human pose estimation fusing video and inertial sensors", BMVC 2017. Of the
dataset the motion is read, to be filmed by virtual cameras; its videos and inertial sensors are not.
"""

from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.corpus import MotionCorpus
from poselift.data.loading import pick_split
from poselift.data.reading import Source
from poselift.skeleton import CMU28, TOTALCAPTURE21

SOURCE = Source(
    name="TotalCapture",
    tree="""
ROOT/
  S1/                       (or s1)
    acting1/
      gt_skel_gbl_pos.txt
    ...
  S2/ ... S5/ ...
""",
    url="https://cvssp.org/data/totalcapture/",
    note="Extract the archives s1_vicon_pos_ori.tar.gz to s5_vicon_pos_ori.tar.gz into one folder.",
)

FPS = 60.0
INCH = 0.0254
"""Metres; the files are in inches."""

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


def load_totalcapture(root: str | Path, split: str = "train") -> MotionCorpus:
    """Reads the motion of one split of TotalCapture.

    Args:
        root: the folder that holds S1 to S5.
        split: "train" (S1, S2, S3 without the takes to test on) or "test" (acting 3, freestyle 3 and walking 2 of
            all five subjects), as the paper divides them.

    Returns:
        The motion in CMU-28, in which its toes, heels, hands, face, head top and neck base are NaN, as is the
        thorax; clips are named "S1/acting1". The dataset's world is right-handed with y up and the floor at 0.

    Raises:
        InputError: there is no such split, no take of it, or a file is malformed.
    """
    subjects, tested = pick_split(split, SPLITS, SOURCE.name)
    root = Path(root)
    takes = {
        f"{subject}/{path.parent.name.lower()}": path
        for subject in subjects
        for path in sorted(root.glob(f"[sS]{subject[1:]}/*/gt_skel_gbl_pos.txt"))
        if (path.parent.name.lower() in TEST_TAKES) == tested
    }
    if not takes:
        raise SOURCE.missing(root / subjects[0] / "*" / "gt_skel_gbl_pos.txt")
    points = [torch.from_numpy(read_positions(path)) for path in takes.values()]
    joints = torch.cat(points)
    pelvis = joints[:, TOTALCAPTURE21.index("pelvis")]
    return MotionCorpus(
        joints=joints - pelvis[:, None],
        root=pelvis,
        clip_start=torch.tensor([0, *map(len, points)]).cumsum(0),
        names=tuple(takes),
        subjects=tuple(name.partition("/")[0] for name in takes),
        fps=FPS,
        skeleton=TOTALCAPTURE21,
    ).converted(CMU28)


def read_positions(path: str | Path) -> Float[np.ndarray, "t 21 3"]:
    """Reads a gt_skel_gbl_pos.txt: a line of joint names, then for each frame a cell "x y z" a joint.

    Returns:
        World, metres, float32, the joints in the order of TOTALCAPTURE21 whatever that of the file.

    Raises:
        InputError: a joint is not in the header, or a line has not three numbers for each.
    """
    header, *lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines() or [""]
    names = header.split()
    for name in _VICON_NAMES:
        if name not in names:
            raise InputError(f"{path}: no joint {name!r} in its first line, which has {' '.join(names)[:200]!r}")
    rows = []
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        try:
            row = np.array(line.split(), np.float64)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: not all numbers ({error})") from error
        if len(row) != 3 * len(names):
            raise InputError(f"{path}, line {number}: {len(row)} numbers, expected x y z of {len(names)} joints")
        rows.append(row)
    if not rows:
        raise InputError(f"{path} has no frame after its line of joint names")
    points = np.stack(rows).reshape(len(rows), len(names), 3)
    return (points[:, [names.index(name) for name in _VICON_NAMES]] * INCH).astype(np.float32)
