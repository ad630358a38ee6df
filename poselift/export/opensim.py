"""A folder for OpenSim: markers, marker set, and setups.

These are of scaling and inverse kinematics. The marker set is for the full-body model of Rajagopal et al. (IEEE Trans.
Biomed. Eng. 2016). The files' elements are those that OpenSim 4 writes for MarkerSet, ScaleTool and
InverseKinematicsTool.
"""

import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from poselift.core.files import atomic_folder, write_text
from poselift.export.angle_files import write_angles_csv, write_coordinates
from poselift.export.export_options import ExportOptions
from poselift.export.markers import place_markers
from poselift.export.trc_markers import write_markers
from poselift.kinematics import face_along_x, legs_as_seen, points_y_up, solve
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Height, Motion, Recording

MODEL = "Rajagopal2015.osim"
"""Name of the model in OpenSim's collection of models; the setups seek it in their own folder."""

SCALED = "scaled.osim"
"""Name of the scaled model."""

_PLACES = {
    "pelvis": ("pelvis", (-0.100, 0.018, 0.0), 2.0),
    "hip": ("femur", (0.0, 0.0, 0.0), 2.0),
    "knee": ("tibia", (0.0, 0.0, 0.0), 2.0),
    "ankle": ("talus", (0.0, 0.0, 0.0), 2.0),
    "heel": ("calcn", (-0.001, -0.004, -0.008), 1.0),
    "big_toe": ("calcn", (0.210, -0.004, -0.008), 1.0),
    "spine": ("torso", (0.0, 0.052, 0.0), 1.0),
    "thorax": ("torso", (0.012, 0.295, 0.0), 2.0),
    "neck_base": ("torso", (0.004, 0.516, 0.0), 2.0),
    "head_top": ("torso", (0.004, 0.610, 0.0), 0.0),
    "nose": ("torso", (0.140, 0.538, 0.0), 0.0),
    "eye": ("torso", (0.109, 0.562, 0.029), 0.0),
    "ear": ("torso", (0.014, 0.556, 0.066), 0.0),
    "shoulder": ("humerus", (0.0, 0.0, 0.0), 2.0),
    "elbow": ("ulna", (0.0, 0.0, 0.0), 1.0),
    "wrist": ("hand", (0.0, 0.0, 0.0), 1.0),
    "hand": ("hand", (0.0, -0.11, 0.0), 0.0),
}
"""A body of the model, the place in it (metres; x ahead, y up, z to the right; of the right side), the marker's weight.

Limbs: the model's joint centres. The others: the median body of the CMU corpus, whose legs are as long as the model's,
set upright. Heights on the torso are divided by 0.89, with which that body's shoulders scale the torso. Head and hands
have the weight 0, as the model has no neck and locks the wrists."""

_BOTH = ("right", "left")

_TRUNK, _WHOLE_TRUNK = "trunk", "whole_trunk"
"""The second scales the torso of who has no spine and thorax that a keypoint shows. Without it the torso keeps the
model's length, and that of a child then bends pelvis and hips by 45 degrees."""

_SCALES = {
    "hip_width": ([("left_hip", "right_hip")], "Z", ["pelvis"]),
    "leg": ([(f"{side}_hip", f"{side}_knee") for side in _BOTH], "X Y", ["pelvis"]),
    _TRUNK: ([("spine", "thorax"), ("spine", "neck_base")], "X Y", ["torso"]),
    _WHOLE_TRUNK: ([("pelvis", "neck_base")], "X Y", ["torso"]),
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


def opensim_files(name: str) -> tuple[str, ...]:
    """Names of our files in a motion's folder. All others there are the user's."""
    return f"{name}.trc", f"{name}.mot", f"{name}.angles.csv", "markers.xml", "scale.xml", "inverse_kinematics.xml"


def write_opensim(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes a folder with `NAME.trc`, `NAME.mot`, `NAME.angles.csv` and three setups.

    The setups are `markers.xml`, `scale.xml` and `inverse_kinematics.xml`. The motion faces along +X, as OpenSim's
    users have it (`face_along_x`), and is moved to the origin of the ground (`_centre`). `NAME.angles.csv` has the
    uncertainty of the angles, for which OpenSim's files have no room. The TRC has no
    empty frames: OpenSim's inverse kinematics stops at them. For OpenSim, `scale.xml` comes first; it needs the model
    in the same folder.

    Args:
        path: the folder; NAME is its name without suffix.
        recording: one person's.
        options: none is used.

    Raises:
        InputError: the folder cannot be written, the skeleton lacks joints, or no frame has a pose.
    """
    [motion] = recording.people
    path, found = Path(path), place_markers([motion])
    moved = _centre(face_along_x(motion))
    [seen_legs] = legs_as_seen(recording).people
    rigged = solve(moved)  # refuses a skeleton before anything is written
    name, trc = path.stem, f"{path.stem}.trc"
    seen = found.times[np.isfinite(found.positions).any((1, 2))]
    span = f"{seen[0]:.6f} {seen[-1]:.6f}"
    joints = tuple(joint for joint in found.names if strip_side(joint) in _PLACES)
    turned = replace(recording, people=(face_along_x(seen_legs),), cameras=())
    with atomic_folder(path) as folder:
        write_markers(folder / trc, place_markers([moved]), skip_empty=True)
        write_coordinates(folder / f"{name}.mot", moved, rigged)
        write_angles_csv(folder / f"{name}.angles.csv", turned)
        _write(folder / "markers.xml", _make_marker_set(joints))
        _write(folder / "scale.xml", _make_scaling(name, joints, trc, span, motion.height))
        _write(folder / "inverse_kinematics.xml", _make_tracking(name, joints, trc, span))


def _centre(motion: Motion) -> Motion:
    """The motion above the ground's origin, lowest joint at Y = 0.

    The model's pelvis may not be further than 5 m (x), 2 m (y) and 3 m (z) from the origin.
    """
    points = points_y_up(motion)
    low, high = np.nanmin(points, (0, 1)), np.nanmax(points, (0, 1))
    shift = np.array([(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2])
    signs = 1 if motion.frame == "world" else np.array([1, -1, -1])
    return replace(motion, root=(motion.root - signs * shift).astype(motion.root.dtype))


def _find_place(joint: str) -> tuple[str, tuple[float, float, float], float]:
    """Body, place and weight of a joint's marker."""
    body, (x, y, z), weight = _PLACES[strip_side(joint)]
    name = body if body in ("pelvis", "torso") else f"{body}_{joint[0]}"
    return name, (x, y, -z if joint.startswith("left_") else z), weight


def _make_marker_set(joints: tuple[str, ...]) -> ElementTree.Element:
    objects = []
    for joint in joints:
        body, location, _ = _find_place(joint)
        where = " ".join(f"{value:g}" for value in location)
        objects.append(_node("Marker", joint, socket_parent_frame=f"/bodyset/{body}", location=where, fixed="true"))
    return _node("MarkerSet", "poselift", _objects(objects))


def _make_scaling(
    name: str, joints: tuple[str, ...], trc: str, span: str, height: Height | None
) -> ElementTree.Element:
    """Scaling by distances alone. The markers are joints, whose places in the model no still pose needs to show."""
    measurements: list[ElementTree.Element] = []
    for measurement, (pairs, axes, bodies) in _SCALES.items():
        if measurement == _WHOLE_TRUNK and any(each.get("name") == _TRUNK for each in measurements):
            continue
        if all(joint in joints for pair in pairs for joint in pair):
            marker_pairs = _objects([_node("MarkerPair", markers=" ".join(pair)) for pair in pairs])
            scales = _objects([_node("BodyScale", body, axes=axes) for body in bodies])
            inner = _node("MarkerPairSet", "", marker_pairs), _node("BodyScaleSet", "", scales)
            measurements.append(_node("Measurement", measurement, *inner, apply="true"))
    return _node(
        "ScaleTool",
        name,
        _node("GenericModelMaker", model_file=MODEL, marker_set_file="markers.xml"),
        _node(
            "ModelScaler",
            "",
            _node("MeasurementSet", "", _objects(measurements)),
            apply="true",
            scaling_order="measurements",
            marker_file=trc,
            time_range=span,
            preserve_mass_distribution="true",
            output_model_file=SCALED,
        ),
        mass=-1.0,  # keeps the model's mass: no joint shows the person's
        # Millimetres, for information: OpenSim does not scale by it.
        **({} if height is None else {"height": round(1000 * height.metres, 1)}),
    )


def _make_tracking(name: str, joints: tuple[str, ...], trc: str, span: str) -> ElementTree.Element:
    weights = {joint: _find_place(joint)[-1] for joint in joints}
    tasks = [
        _node("IKMarkerTask", joint, apply="true" if weight else "false", weight=weight)
        for joint, weight in weights.items()
    ]
    return _node(
        "InverseKinematicsTool",
        name,
        _node("IKTaskSet", "", _objects(tasks)),
        model_file=SCALED,
        marker_file=trc,
        time_range=span,
        report_errors="true",
        output_motion_file="inverse_kinematics.mot",
    )


def _objects(nodes: list[ElementTree.Element]) -> ElementTree.Element:
    """The members of a set, as OpenSim nests them."""
    return _node("objects", "", *nodes)


def _node(tag: str, name: str = "", *inner: ElementTree.Element, **properties: str | float) -> ElementTree.Element:
    """An element of OpenSim's XML."""
    element = ElementTree.Element(tag, {"name": name} if name else {})
    for key, value in properties.items():
        ElementTree.SubElement(element, key).text = str(value)
    element.extend(inner)
    return element


def _write(path: Path, object_: ElementTree.Element) -> None:
    """Writes an object as a document of OpenSim."""
    root = ElementTree.Element("OpenSimDocument", Version="40000")
    root.append(object_)
    ElementTree.indent(root, "\t")
    write_text(path, '<?xml version="1.0" encoding="UTF-8" ?>\n' + ElementTree.tostring(root, "unicode") + "\n")
