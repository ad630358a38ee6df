"""A folder for OpenSim: the markers, a marker set, and the setups of scaling and inverse kinematics.

The marker set is for the full-body model of Rajagopal et al. (IEEE Trans. Biomed. Eng. 2016). The files' elements are
those that OpenSim 4 writes for MarkerSet, ScaleTool and InverseKinematicsTool.
"""

import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from poselift.core.files import write_text
from poselift.export.markers import markers
from poselift.export.trc import write_trc
from poselift.structures import Motion

MODEL = "Rajagopal2015.osim"
"""Name of the model in OpenSim's collection of models; the setups seek it in their own folder."""

_PLACES = {
    "pelvis": ("pelvis", (-0.100, 0.018, 0.0), 1.0),
    "hip": ("femur", (0.0, 0.0, 0.0), 2.0),
    "knee": ("tibia", (0.0, 0.0, 0.0), 2.0),
    "ankle": ("talus", (0.0, 0.0, 0.0), 2.0),
    "heel": ("calcn", (-0.001, -0.004, -0.008), 1.0),
    "big_toe": ("calcn", (0.210, -0.004, -0.008), 1.0),
    "spine": ("torso", (0.0, 0.052, 0.0), 0.5),
    "thorax": ("torso", (0.0, 0.295, 0.0), 1.0),
    "neck_base": ("torso", (-0.010, 0.516, 0.0), 1.0),
    "head_top": ("torso", (-0.010, 0.625, 0.0), 0.0),
    "nose": ("torso", (0.128, 0.560, 0.0), 0.0),
    "eye": ("torso", (0.097, 0.578, 0.029), 0.0),
    "ear": ("torso", (0.002, 0.565, 0.066), 0.0),
    "shoulder": ("humerus", (0.0, 0.0, 0.0), 2.0),
    "elbow": ("ulna", (0.0, 0.0, 0.0), 2.0),
    "wrist": ("hand", (0.0, 0.0, 0.0), 2.0),
    "hand": ("hand", (0.0, -0.11, 0.0), 0.0),
}
"""Body of the model, place in it in metres (x ahead, y up, z to the right; of the right side), and weight of the marker.

Limbs: the model's joint centres. The others: the median body of the CMU corpus, whose legs are as long as the model's,
set upright. Heights on the torso are divided by 0.89, with which that body's shoulders scale the torso. Head and hands
have the weight 0, as the model has no neck and locks the wrists."""

_BOTH = ("right", "left")

_SCALES = {
    "hip_width": ([("left_hip", "right_hip")], "Z", ["pelvis"]),
    "leg": ([(f"{side}_hip", f"{side}_knee") for side in _BOTH], "X Y", ["pelvis"]),
    "trunk": ([("spine", "thorax"), ("spine", "neck_base")], "X Y", ["torso"]),
    "shoulder_width": ([("left_shoulder", "right_shoulder")], "Z", ["torso"]),
    **{
        f"{part}_{side}": ([(f"{side}_{start}", f"{side}_{end}")], "X Y Z", [f"{body}_{side[0]}" for body in bodies])
        for side in _BOTH
        for part, start, end, bodies in (
            ("thigh", "hip", "knee", ["femur", "patella"]),
            ("shank", "knee", "ankle", ["tibia"]),
            ("foot", "heel", "big_toe", ["talus", "calcn", "toes"]),
            ("upper_arm", "shoulder", "elbow", ["humerus"]),
            ("forearm", "elbow", "wrist", ["ulna", "radius", "hand"]),
        )
    },
}
"""Pairs of markers whose mean distances scale bodies of the model, and along which axes."""

_Content = str | float | dict[str, "_Content"] | list[tuple[str, str, dict[str, "_Content"]]]
"""Text of an element, its children, or a set of named objects: (type, name, children)."""


def write_opensim(path: str | os.PathLike[str], motion: Motion) -> None:
    """Writes a folder with `NAME.trc`, `markers.xml`, `scale.xml` and `inverse_kinematics.xml`.

    Args:
        path: the folder; NAME is its name without suffix.
        motion: one person's motion.

    Raises:
        InputError: the folder cannot be written, or no frame has a pose.
    """
    folder, found = Path(path), markers(motion)
    trc = f"{folder.stem}.trc"
    seen = found.times[np.isfinite(found.positions).all((1, 2))]
    span = f"{seen[0]:.6f} {seen[-1]:.6f}"
    write_trc(folder / trc, motion)
    _write(folder / "markers.xml", "MarkerSet", "poselift", _marker_set(found.names))
    _write(folder / "scale.xml", "ScaleTool", folder.stem, _scaling(found.names, trc, span))
    _write(folder / "inverse_kinematics.xml", "InverseKinematicsTool", folder.stem, _tracking(found.names, trc, span))


def _place(joint: str) -> tuple[str, tuple[float, float, float], float]:
    """Body, place and weight of a joint's marker."""
    side, _, part = joint.partition("_")
    if side not in _BOTH:
        return _PLACES[joint]
    body, (x, y, z), weight = _PLACES[part]
    name = body if body == "torso" else f"{body}_{side[0]}"
    return name, (x, y, z if side == "right" else -z), weight


def _marker_set(names: tuple[str, ...]) -> dict[str, _Content]:
    objects: _Content = [
        (
            "Marker",
            name,
            {
                "socket_parent_frame": f"/bodyset/{body}",
                "location": " ".join(f"{value:g}" for value in location),
                "fixed": "true",
            },
        )
        for name in names
        for body, location, _ in [_place(name)]
    ]
    return {"objects": objects}


def _scaling(names: tuple[str, ...], trc: str, span: str) -> dict[str, _Content]:
    measurements: _Content = [
        (
            "Measurement",
            name,
            {
                "apply": "true",
                "MarkerPairSet": {"objects": [("MarkerPair", "", {"markers": " ".join(pair)}) for pair in pairs]},
                "BodyScaleSet": {"objects": [("BodyScale", body, {"axes": axes}) for body in bodies]},
            },
        )
        for name, (pairs, axes, bodies) in _SCALES.items()
        if all(joint in names for pair in pairs for joint in pair)
    ]
    return {
        "mass": -1,  # keeps the model's: no joint shows it
        "GenericModelMaker": {"model_file": MODEL, "marker_set_file": "markers.xml"},
        "ModelScaler": {
            "apply": "true",
            "scaling_order": "measurements",
            "MeasurementSet": {"objects": measurements},
            "marker_file": trc,
            "time_range": span,
            "preserve_mass_distribution": "true",
            "output_model_file": "scaled.osim",
        },
        # It would move markers to one still pose; here the markers are joints, and their places are known.
        "MarkerPlacer": {"apply": "false"},
    }


def _tracking(names: tuple[str, ...], trc: str, span: str) -> dict[str, _Content]:
    tasks: _Content = [
        ("IKMarkerTask", name, {"apply": "true" if weight else "false", "weight": weight})
        for name in names
        for _, _, weight in [_place(name)]
    ]
    return {
        "model_file": "scaled.osim",
        "marker_file": trc,
        "time_range": span,
        "IKTaskSet": {"objects": tasks},
        "report_errors": "true",
        "output_motion_file": "inverse_kinematics.mot",
    }


def _write(path: Path, type_: str, name: str, content: dict[str, _Content]) -> None:
    """Writes an object as OpenSim's XML."""
    root = ElementTree.Element("OpenSimDocument", Version="40000")
    _fill(ElementTree.SubElement(root, type_, name=name), content)
    ElementTree.indent(root, "\t")
    write_text(path, '<?xml version="1.0" encoding="UTF-8" ?>\n' + ElementTree.tostring(root, "unicode") + "\n")


def _fill(element: ElementTree.Element, content: _Content) -> None:
    if isinstance(content, dict):
        for tag, inner in content.items():
            _fill(ElementTree.SubElement(element, tag), inner)
    elif isinstance(content, list):
        for tag, name, inner in content:
            _fill(ElementTree.SubElement(element, tag, {"name": name} if name else {}), inner)
    else:
        element.text = str(content)
