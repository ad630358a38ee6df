"""TotalCapture's calibration.cal and gt_skel_gbl_pos.txt, as text."""

from pathlib import Path

import numpy as np

from tests.data.formats.people import look_from, moving_person

BONES = {
    "Hips": "pelvis",
    "Spine": "spine1",
    "Spine1": "spine2",
    "Spine2": "spine",
    "Spine3": "spine4",
    "Neck": "neck",
    "Head": "head",
    "RightShoulder": "right_collar",
    "RightArm": "right_shoulder",
    "RightForeArm": "right_elbow",
    "RightHand": "right_wrist",
    "LeftShoulder": "left_collar",
    "LeftArm": "left_shoulder",
    "LeftForeArm": "left_elbow",
    "LeftHand": "left_wrist",
    "RightUpLeg": "right_hip",
    "RightLeg": "right_knee",
    "RightFoot": "right_ankle",
    "LeftUpLeg": "left_hip",
    "LeftLeg": "left_knee",
    "LeftFoot": "left_ankle",
}
"""Vicon's bones in the file's order, and what of a person is where each begins."""

SHARED_TAKES = ("acting1", "acting2", "acting3", "freestyle3", "rom1", "walking2")
TAKES = {**dict.fromkeys(("S1", "S2", "S3"), SHARED_TAKES), "S4": SHARED_TAKES, "S5": ("running1", *SHARED_TAKES)}


def write_totalcapture(folder: Path, frames: int = 14, seed: int = 0) -> dict[str, np.ndarray]:
    """Writes the cameras and takes of five subjects, and gives each take's points in the world, in metres.

    The takes of a subject are one to several frames longer than those of the one before.

    Args:
        folder: where calibration.cal and the subjects' folders shall be.
        frames: of the first subject's takes.
        seed: of the motion.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "calibration.cal").write_text(calibration())
    truth = {}
    for number, (subject, takes) in enumerate(TAKES.items()):
        for take in takes:
            seed += 1
            points = moving_person(tuple(BONES.values()), frames + number, seed, fps=60)
            path = folder / subject / take / "gt_skel_gbl_pos.txt"
            path.parent.mkdir(parents=True)
            path.write_text(_table(points / 0.0254))
            truth[f"{subject}/{take}"] = points
    return truth


def calibration() -> str:
    """Eight cameras around the scene, as lines."""
    lines = ["8 1"]
    for place, centre, f, k1 in cameras():
        R = look_from(centre, np.array([0, 1.0, 0]))
        lines += ["0 1079 0 1919", f"{f:.6f} {f + 2:.6f} {950.0 + place:.6f} {545.0 - place:.6f}", f"{k1:.8f}"]
        lines += [" ".join(f"{value:.12f}" for value in row) + " " for row in (*R, -R @ centre)]
    return "\n".join(lines) + "\n"


def cameras():
    """For each camera its number from 0, its centre in metres, its first focal length and k1."""
    for place in range(8):
        angle = 2 * np.pi * place / 8
        yield place, np.array([4.5 * np.sin(angle), 2.2, 4.5 * np.cos(angle)]), 1150.0 + 3 * place, -0.2 + 0.01 * place


def _table(inches: np.ndarray) -> str:
    rows = ["\t".join(BONES) + "\t"]
    rows += ["\t".join(" ".join(f"{value:.8f}" for value in joint) for joint in frame) + "\t" for frame in inches]
    return "\n".join(rows) + "\n"
