"""Subjects of the CMU motion capture database: NN.asf and NN_TT.amc as Vicon's BodyBuilder writes them."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

UNIT = 0.0254 / 0.45
"""Metres in the files' unit of length."""

LEG, ARM = (0.34202, -0.939693, 0.0), (1.0, 0.0, 0.0)
# name: parent, direction, length in metres, axis in degrees, dof. Those of the left are mirrored for the right.
_MIDDLE = {
    "lowerback": ("root", (0.0, 1.0, 0.0), 0.12, (0, 0, 0), "rx ry rz"),
    "upperback": ("lowerback", (0.0, 1.0, 0.0), 0.12, (0, 0, 0), "rx ry rz"),
    "thorax": ("upperback", (0.0, 1.0, 0.0), 0.12, (0, 0, 0), "rx ry rz"),
    "lowerneck": ("thorax", (0.0, 1.0, 0.0), 0.08, (0, 0, 0), "rx ry rz"),
    "upperneck": ("lowerneck", (0.0, 1.0, 0.0), 0.08, (0, 0, 0), "rx ry rz"),
    "head": ("upperneck", (0.0, 1.0, 0.0), 0.1, (0, 0, 0), "rx ry rz"),
}
_LEFT = {
    "lhipjoint": ("root", (0.65, -0.71, 0.25), 0.14, (0, 0, 0), ""),
    "lfemur": ("lhipjoint", LEG, 0.42, (0, 0, 20), "rx ry rz"),
    "ltibia": ("lfemur", LEG, 0.41, (0, 0, 20), "rx"),
    "lfoot": ("ltibia", (0.08, -0.22, 0.97), 0.13, (-90, 0, 20), "rx rz"),
    "ltoes": ("lfoot", (0.0, 0.0, 1.0), 0.06, (-90, 0, 20), "rx"),
    "lclavicle": ("thorax", (0.87, 0.5, 0.0), 0.19, (0, 0, 0), "ry rz"),
    "lhumerus": ("lclavicle", ARM, 0.29, (180, -30, -90), "rx ry rz"),
    "lradius": ("lhumerus", ARM, 0.19, (180, -30, -90), "rx"),
    "lwrist": ("lradius", ARM, 0.09, (-90, 0, -90), "ry"),
    "lhand": ("lwrist", ARM, 0.04, (0, -90, -90), "rx rz"),
    "lfingers": ("lhand", ARM, 0.03, (0, -90, -90), "rx"),
    "lthumb": ("lwrist", (0.7, 0.0, 0.7), 0.05, (-90, -45, 0), "rx rz"),
}
BONES = _MIDDLE | _LEFT
for _name, (_parent, (_x, _y, _z), _length, (_a, _b, _c), _dof) in _LEFT.items():
    _other = "r" + _parent[1:] if _parent in _LEFT else _parent
    BONES["r" + _name[1:]] = (_other, (-_x, _y, _z), _length, (_a, -_b, -_c), _dof)

Angles = dict[str, np.ndarray]
"""Degrees of each bone in each frame, in the order of its dof; of the root metres and then degrees."""


def moving_bones(frames: int, seed: int = 0, fps: float = 120.0) -> Angles:
    """A person who wanders and swings each bone by up to 20 degrees."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None] / fps

    def waves(count: int) -> np.ndarray:
        return np.sin(2 * np.pi * rng.uniform(0.1, 0.6, count) * t + rng.uniform(0, 2 * np.pi, count))

    angles = {"root": np.concatenate([0.3 * waves(3) + [0.0, 1.0, 0.0], 40 * waves(3)], 1)}
    return angles | {name: 20 * waves(len(dof.split())) for name, (*_, dof) in BONES.items() if dof}


def pose(angles: Angles, bones: Mapping[str, tuple] = BONES) -> tuple[dict[str, np.ndarray], dict[str, Rotation]]:
    """Where each bone ends in metres, and how it is turned from rest: bone by bone, as the format's text says."""
    turned = {"root": Rotation.from_euler("xyz", angles["root"][:, 3:], degrees=True)}
    ends = {"root": angles["root"][:, :3]}
    for name, (parent, direction, length, axis, dof) in bones.items():
        local = Rotation.from_euler("xyz", axis, degrees=True)
        if dof:
            # A lower-case sequence turns about fixed axes, the first letter first.
            motion = Rotation.from_euler(dof.replace("r", "").replace(" ", ""), angles[name], degrees=True)
            turned[name] = turned[parent] * local * motion * local.inv()
        else:
            turned[name] = turned[parent]
        unit = np.array(direction) / np.linalg.norm(direction)
        ends[name] = ends[parent] + turned[name].apply(unit * length)
    return ends, turned


def write_asf(path: Path, bones: Mapping[str, tuple] = BONES) -> None:
    """Writes a skeleton."""
    lines = [
        "# AST/ASF file generated using VICON BodyLanguage",
        "# -----------------------------------------------",
        ":version 1.10",
        ":name VICON",
        ":units",
        "  mass 1.0",
        "  length 0.45",
        "  angle deg",
        ":documentation",
        "   .ast/.asf automatically generated from VICON data using",
        "   VICON BodyBuilder and BodyLanguage model FoxedUp or BRILLIANT.MOD",
        ":root",
        "   order TX TY TZ RX RY RZ",
        "   axis XYZ",
        "   position 0 0 0  ",
        "   orientation 0 0 0 ",
        ":bonedata",
    ]
    for number, (name, (_, direction, length, axis, dof)) in enumerate(bones.items(), 1):
        x, y, z = np.array(direction) / np.linalg.norm(direction)
        lines += ["  begin", f"     id {number} ", f"     name {name}", f"     direction {x:.9f} {y:.9f} {z:.9f} "]
        lines += [f"     length {length / UNIT:.9f} ", f"     axis {axis[0]} {axis[1]} {axis[2]}  XYZ"]
        if dof:
            lines += [f"    dof {dof}", "    limits (-5.0 5.0)", *["           (-5.0 5.0)"] * (len(dof.split()) - 1)]
        lines += ["  end"]
    lines += [":hierarchy", "  begin"]
    for parent in ("root", *bones):
        children = [name for name, bone in bones.items() if bone[0] == parent]
        lines += [f"    {parent} {' '.join(children)}"] if children else []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, "  end", ""]))


def write_amc(path: Path, angles: Angles) -> None:
    """Writes a motion."""
    lines = ["#!OML:ASF F:\\VICON\\USERDATA\\INSTALL\\rory3\\rory3.ASF", ":FULLY-SPECIFIED", ":DEGREES"]
    for frame in range(len(angles["root"])):
        lines.append(str(frame + 1))
        for name, values in angles.items():
            row = values[frame] / ([UNIT] * 3 + [1.0] * 3) if name == "root" else values[frame]
            lines.append(" ".join([name, *(f"{value:.7g}" for value in row)]))
    path.write_text("\n".join([*lines, ""]))


def write_cmu_subjects(folder: Path, trials: Mapping[str, int]) -> dict[str, Angles]:
    """Writes subjects/NN/NN.asf and a trial of so many frames for each name such as "01_02"; gives their angles."""
    written = {}
    for seed, (trial, frames) in enumerate(trials.items()):
        place = folder / "subjects" / trial.partition("_")[0]
        write_asf(place / f"{place.name}.asf")
        written[trial] = moving_bones(frames, seed)
        write_amc(place / f"{trial}.amc", written[trial])
    return written
