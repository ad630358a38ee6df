"""The steps after the lifter as ONNX graphs, and the constants of the others, for the page in web/.

python tools/write_browser_graphs.py poselift/viz/site/numbers

What runs in the browser is then this package's own code as far as a graph can hold it. web/src/numbers has the rest:
gaps, the root, who is who, and which feet stand. One file, because graphs and constants are written together and only
fit each other.
"""

import argparse
import sys
from base64 import b64encode
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from poselift import __version__
from poselift.camera_path import (
    background_flow,
    background_links,
    background_picture,
    camera_motion,
    camera_path,
    leaving_people,
    people_boxes,
    rotation_bundle,
    still_view,
    turning_camera,
)
from poselift.core.errors import InputError
from poselift.core.files import atomic_path, check_writable, write_json
from poselift.core.optional import require
from poselift.detection import blazepose, duplicates, joining, movenet, multipose, orientation
from poselift.detection import hands as hand_model
from poselift.export import body_mesh, character
from poselift.export.body_mesh import make_body_mesh
from poselift.finding import (
    backward_tracking,
    crop_detections,
    finder,
    followed_person,
    overlapping_people,
    picture_changes,
    searches,
    second_model,
)
from poselift.finding.qualities import QUALITIES, SECOND_RATES
from poselift.geometry import bone_lengths, forward_kinematics, set_bone_lengths
from poselift.kinematics import Rig, body_up, fingers, foot_contacts, ground, height, posture, up, whole_body
from poselift.kinematics.angles import joints_of, rig_angles
from poselift.kinematics.filtering import BLOCK
from poselift.kinematics.inverse import FittedRig
from poselift.lifting import find_hands, settled_sides
from poselift.lifting.finish import constant_bones, level_feet, repetitions, root_track
from poselift.lifting.finish.joint_uncertainty import adjust_uncertainty
from poselift.lifting.finish.level_feet import move_feet
from poselift.lifting.finish.reprojection_refinement import measure_offsets, move_to_rays
from poselift.lifting.prepare import (
    exchanged_sides,
    exchanges_by_courses,
    exchanges_by_frames,
    gaps,
    pelvis,
    quarter_turns,
    rates,
    side_differences,
)
from poselift.lifting.world import moving_world
from poselift.models import Weights, load_weights
from poselift.models.onnx_export import OPSET, quiet
from poselift.models.weights_graph import shorten_names
from poselift.numerics.curves import interpolate_monotone
from poselift.skeleton import SKELETONS, Skeleton
from poselift.skeleton.flesh import FINGER, PALM, TALL, Profile
from poselift.skeleton.hand import HAND21
from poselift.structures import ENDS, TRUNK, hands, keypoints
from poselift.tracking import matching, stitching, track, tracker
from poselift.viz import stage

_MODULES = (
    background_flow,
    background_links,
    background_picture,
    blazepose,
    body_up,
    camera_motion,
    camera_path,
    character,
    constant_bones,
    duplicates,
    exchanged_sides,
    exchanges_by_courses,
    exchanges_by_frames,
    fingers,
    finder,
    followed_person,
    foot_contacts,
    gaps,
    ground,
    height,
    joining,
    leaving_people,
    level_feet,
    backward_tracking,
    matching,
    movenet,
    moving_world,
    multipose,
    orientation,
    overlapping_people,
    pelvis,
    people_boxes,
    picture_changes,
    crop_detections,
    posture,
    quarter_turns,
    rates,
    repetitions,
    root_track,
    rotation_bundle,
    searches,
    second_model,
    settled_sides,
    side_differences,
    stage,
    still_view,
    stitching,
    track,
    tracker,
    turning_camera,
    up,
    whole_body,
)
"""Modules whose numbers the JavaScript of the same steps takes from numbers.json."""


_SKELETONS = ("h36m17", "cmu28", "coco17", "coco_wholebody23", "hand21")


class Refine(nn.Module):
    """Joints moved towards their rays, and their uncertainty.

    Args:
        skeleton: the lifter's joints.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        super().__init__()
        self.skeleton = skeleton

    def forward(
        self, joints: Tensor, radii: Tensor, rays: Tensor, trust: Tensor, times: Tensor, root: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Joints (t, j, 3) and uncertainty (t, j) without the factor of the weights' card; metres."""
        offsets = measure_offsets(joints, rays, trust, times, root, self.skeleton)
        return move_to_rays(joints, offsets), adjust_uncertainty(radii, offsets, trust)


class Finish(nn.Module):
    """Joints with level feet and bones of constant length.

    Args:
        skeleton: the lifter's joints.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        super().__init__()
        self.skeleton = skeleton

    def forward(
        self, joints: Tensor, root: Tensor, times: Tensor, stand: Tensor, up: Tensor, used: Tensor, partner: Tensor
    ) -> Tensor:
        """Joints (t, j, 3), metres.

        Args:
            joints: relative to the root; NaN in empty frames.
            root: camera frame.
            times: seconds.
            stand: frames in which both feet stand.
            up: unit vector away from the ground.
            used: frames in which the bones are measured.
            partner: the joint whose bone each bone is as long as, usually its own.
        """
        leveled, parents = move_feet(joints, root, times, stand, up, self.skeleton), self.skeleton.parent_indices
        lengths = torch.where(used[:, None], bone_lengths(leveled, parents), torch.inf).sort(0).values
        # The lower of two middle values, as in `median_lengths`.
        median = lengths.index_select(0, (used.sum(0, keepdim=True) - 1).clamp(min=0) // 2)[0]
        return set_bone_lengths(leveled, median[partner], parents)


class Rotations(nn.Module):
    """A motion as rotations of a rig (`poselift.kinematics.solve`), and its joint angles.

    Args:
        skeleton: of the joints.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        super().__init__()
        self.skeleton = skeleton

    def forward(self, points: Tensor, interval: Tensor) -> tuple[Tensor, ...]:
        """Rotations (t, j, 3, 3) and bones at rest (j, 3) relative to the parent, metres, and angles (t, a), radians.

        The angles are in the order of `facts`.

        Args:
            points: Y up, metres; all frames have a pose.
            interval: seconds between frames.
        """
        names, parents = self.skeleton.joints, self.skeleton.parent_indices
        body = FittedRig(points, names, parents)
        turned = body.solve(interval)
        angles = rig_angles(
            forward_kinematics(turned, body.offsets.expand(points.shape), points[:, 0], parents)[1], names
        )
        return turned, body.offsets, torch.stack([*angles.values()], 1)


class BodyAtRest(nn.Module):
    """The places of a rig's joints, and the body around them, with the feet on the ground.

    Args:
        skeleton: of the joints.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        super().__init__()
        self.skeleton = skeleton

    def forward(self, bones: Tensor) -> tuple[Tensor, Tensor]:
        """Places (j, 3) and points of the skin (v, 3), metres, of bones (j, 3) relative to the parent."""
        rig = Rig(self.skeleton.joints, self.skeleton.parent_indices, bones)
        ground = rig.landmarks()["ground"]
        return rig.placed() - ground, make_body_mesh(rig).points - ground


@dataclass(frozen=True)
class _Graph:
    """A graph to write: its module, the names of inputs and outputs, and an example of each input.

    The first axis of every tensor with `frames` rows is any multiple of `block`.
    """

    module: nn.Module
    inputs: dict[str, Tensor]
    outputs: tuple[str, ...]
    frames: int
    block: int = BLOCK


def _graphs(weights: Weights) -> dict[str, _Graph]:
    """The graphs by name."""
    t, skeleton = 3 * BLOCK, weights.skeleton_out
    j = len(skeleton)
    random = torch.Generator().manual_seed(0)
    joints, root = torch.randn(t, j, 3, generator=random), torch.tensor([0.0, 0.0, 4.0]).repeat(t, 1)
    times = torch.arange(t) / 30
    flags = torch.arange(t) % 3 > 0
    refine = {
        "joints": joints,
        "radii": torch.ones(t, j),
        "rays": joints + 4,
        "trust": torch.ones(t, j),
        "times": times,
        "root": root,
    }
    finish = {
        "joints": joints,
        "root": root,
        "times": times,
        "stand": flags,
        "up": torch.tensor([0.0, -1.0, 0.0]),
        "used": ~flags,  # one tensor for both would be one input
        "partner": torch.arange(j),
    }
    return {
        "refine": _Graph(Refine(skeleton), refine, ("moved", "uncertainty"), t),
        "finish": _Graph(Finish(skeleton), finish, ("finished",), t),
        "rotations": _rotations(skeleton),
        "body": _Graph(BodyAtRest(skeleton), {"bones": joints[0]}, ("rest", "skin"), 0),
    }


def _rotations(skeleton: Skeleton) -> _Graph:
    """The graph of a rig's rotations."""
    points = torch.randn(40, len(skeleton), 3, generator=torch.Generator().manual_seed(0))
    inputs = {"points": points, "interval": torch.tensor(1 / 30)}
    return _Graph(Rotations(skeleton), inputs, ("turned", "bones", "angles"), 40, 1)


def write_browser_graphs(weights: Weights, folder: Path) -> list[Path]:
    """Writes the graphs and numbers.json.

    Args:
        weights: the lifter.
        folder: for the files.

    Returns:
        The files.

    Raises:
        InputError: the extra `onnx` is not installed, or a file cannot be written.
    """
    check_writable(folder)
    onnx = require("onnx", "onnx")
    require("onnxscript", "onnx")
    written = []
    for name, graph in _graphs(weights).items():
        path = folder / f"{name}.onnx"
        with atomic_path(path) as temporary:
            temporary.write_bytes(_exported(onnx, graph))
        written.append(path)
    path = folder / "numbers.json"
    write_json(path, facts(weights))
    return [*written, path]


def facts(weights: Weights) -> dict[str, Any]:
    """The content of numbers.json: the lifter, the skeletons, and the constants of the steps that no graph holds."""
    assert weights.path is not None
    assert weights.graph is not None
    lifter = {
        "name": weights.name,
        "sha256": weights.sha256,
        "graph": weights.graph.name,
        "weights": weights.path.name,
        "window": weights.window,
        "uncertainty_factor": weights.uncertainty_factor,
        "pelvis": weights.pelvis,
        "skeleton_in": weights.skeleton_in.name,
        "skeleton_out": weights.skeleton_out.name,
    }
    return {
        "lifter": lifter,
        "block": BLOCK,
        "pace": {**asdict(QUALITIES["fast"]), "second_model": SECOND_RATES["fast"]},
        "body": _body(weights.skeleton_out),
        "angles": _angles(weights.skeleton_out),
        "skeletons": {
            name: {"joints": list(skeleton.joints), "parents": list(skeleton.parents)}
            for name, skeleton in {**SKELETONS, HAND21.name: HAND21}.items()
            if name in _SKELETONS
        },
        "sides": [list(group) for group in joining.SIDE_GROUPS],
        "joints_in_sight": {"ends": [sorted(end) for end in ENDS], "trunk": list(TRUNK)},
        "versions": {"poselift": __version__},
        "constants": {
            **{module.__name__.rpartition(".")[2]: _numbers(module) for module in _MODULES},
            "structures": _numbers(keypoints),
            "hand_model": _numbers(hand_model),
            "hands": _numbers(hands),
            "find_hands": _numbers(find_hands),
            "hand_skin": _hand_skin(),
        },
    }


def _body(skeleton: Skeleton) -> dict[str, str]:
    """What is the same of every body mesh, as base64: triangles, and two bones of each vertex with their weights."""
    offsets = np.array([[0, 0.1 * (parent >= 0), 0] for parent in skeleton.parent_indices])
    offsets[:, 0] = [name.startswith("left") - name.startswith("right") for name in skeleton.joints]
    mesh = make_body_mesh(Rig(skeleton.joints, skeleton.parent_indices, offsets))
    kinds = {"triangles": np.uint16, "segments": np.uint8, "weights": np.float32}
    return {name: b64encode(getattr(mesh, name).astype(kind).tobytes()).decode() for name, kind in kinds.items()}


def _hand_skin() -> dict[str, Any]:
    """What the skin of palms and fingers is made with: half widths along a palm and a finger, six rings a bone."""

    def rings(profile: Profile, bones: int) -> list[list[float]]:
        places, *widths = np.array(profile).T
        return interpolate_monotone(places, np.stack(widths, 1), np.linspace(0, bones, 6 * bones + 1)).tolist()

    skin = {"PALM": rings(PALM, 1), "FINGER": rings(FINGER, 3), "TALL": TALL}
    return {**skin, "AROUND": body_mesh._AROUND, "BLEND": body_mesh._BLEND}


def _angles(skeleton: Skeleton) -> dict[str, list[str]]:
    """The names of the angles, and the joints that each needs."""
    still = np.broadcast_to(np.eye(3), (1, len(skeleton), 3, 3))
    return {name: list(joints_of(name)) for name in rig_angles(still, skeleton.joints)}


def _numbers(module: ModuleType) -> dict[str, Any]:
    """The constants of a module that are numbers, or tuples or dictionaries of them."""
    found = {}
    for name, value in vars(module).items():
        if not name.isupper():
            continue
        values = (
            value.values()
            if isinstance(value, dict)
            else value
            if isinstance(value, tuple | list)
            else np.atleast_1d(value)
        )
        if all(isinstance(number, int | float | np.number) for number in values):
            found[name.removeprefix("_")] = value.tolist() if isinstance(value, np.generic | np.ndarray) else value
    return found


def _exported(onnx: Any, graph: _Graph) -> bytes:
    """The bytes of a graph's file."""
    rows = graph.block * torch.export.Dim("rows")
    free = tuple({0: rows} if x.shape[:1] == (graph.frames,) else None for x in graph.inputs.values())
    with quiet(), torch.no_grad():
        program = torch.onnx.export(
            graph.module.eval(),
            tuple(graph.inputs.values()),
            dynamic_shapes=free,
            opset_version=OPSET,
            input_names=list(graph.inputs),
            output_names=graph.outputs,
            dynamo=True,
            optimize=False,
            verbose=False,
        )
    assert program is not None
    _simplify(program.model)
    model = onnx.load_from_string(program.model_proto.SerializeToString())
    model.ClearField("functions")
    shorten_names(model.graph, {*graph.inputs, *graph.outputs})
    return model.SerializeToString()


def _simplify(model: Any) -> None:
    """Folds constants and drops what occurs twice or is not used: the exporter's own patterns take an hour for this."""
    from onnx_ir.passes import common
    from onnxscript import optimizer

    optimizer.inline(model)
    optimizer.fold_constants(model)
    for work in (
        common.RemoveUnusedNodesPass(),
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0),
        common.DeduplicateInitializersPass(),
        common.CommonSubexpressionEliminationPass(),
        common.RemoveUnusedNodesPass(),
        common.OutputFixPass(),
        common.NameFixPass(),
    ):
        work(model)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Writes the graphs and constants of the steps after the lifter.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="such as poselift/viz/site/numbers")
    try:
        print(*write_browser_graphs(load_weights("small"), parser.parse_args().folder), sep="\n")
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
