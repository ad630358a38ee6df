"""Made people to evaluate on without any data.

Bodies and movements that no training data of ours has.

Stick figures of six proportions march, squat, lunge, do jumping jacks, reach and sit, by forward kinematics of closed
forms. Fixed seeds draw cameras and detections, so that everyone has the same views. They show that a lifter works, not
how well it lifts people.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.data.corpus import MotionCorpus
from poselift.data.loading import pick_names
from poselift.data.synthetic import rest_offsets
from poselift.data.views import View, render_views
from poselift.geometry import axis_angle_to_matrix, forward_kinematics
from poselift.skeleton import CMU28

_FPS, _FRAMES = 50.0, 150
_SEED = 2_000_000
_SIDES = (("left", 1.0), ("right", -1.0))
_X, _Y, _Z = range(3)
"""Axes of rotations: x to the person's left, y up, z forward."""

_BODIES = {
    # Height, legs, arms and width against the average of `rest_offsets`.
    "p1": (0.92, 0.97, 0.96, 1.06),
    "p2": (1.00, 1.04, 1.00, 0.94),
    "p3": (1.08, 1.00, 1.05, 1.00),
    "p4": (0.96, 1.03, 0.94, 1.08),
    "p5": (1.04, 0.96, 1.02, 1.03),
    "p6": (1.12, 1.02, 0.98, 0.97),
}

Bend = Callable[[str, int, Tensor | float], None]
"""Sets the rotation of a joint about one axis over time, radians."""


def _march(bend: Bend, phase: Tensor) -> None:
    for side, sign in _SIDES:
        lift = (sign * torch.sin(phase)).clamp(min=0)
        bend(f"{side}_hip", _X, -1.3 * lift)
        bend(f"{side}_knee", _X, 1.5 * lift)
        bend(f"{side}_shoulder", _X, 0.6 * sign * torch.sin(phase))
        bend(f"{side}_elbow", _X, -1.2)


def _squat(bend: Bend, phase: Tensor) -> None:
    depth = 0.5 - 0.5 * torch.cos(phase)
    bend("pelvis", _X, 0.5 * depth)
    for side, _ in _SIDES:
        bend(f"{side}_hip", _X, -1.6 * depth)
        bend(f"{side}_knee", _X, 1.7 * depth)
        bend(f"{side}_shoulder", _X, -1.9 * depth)


def _lunge(bend: Bend, phase: Tensor) -> None:
    for side, sign in _SIDES:
        front, back = (torch.sin(0.5 * phase + (0 if sign * way > 0 else math.pi)).clamp(min=0) for way in (1, -1))
        bend(f"{side}_hip", _X, 0.45 * back - 1.2 * front)
        bend(f"{side}_knee", _X, 0.9 * back + 1.3 * front)
        bend(f"{side}_shoulder", _Z, 0.25 * sign)
        bend(f"{side}_elbow", _X, -0.9)


def _jumping_jack(bend: Bend, phase: Tensor) -> None:
    out = 0.5 - 0.5 * torch.cos(phase)
    for side, sign in _SIDES:
        bend(f"{side}_hip", _Z, 0.45 * sign * out)
        bend(f"{side}_shoulder", _Z, sign * (0.15 + 2.5 * out))
        bend(f"{side}_elbow", _X, -0.2)


def _reach(bend: Bend, phase: Tensor) -> None:
    stoop = 0.5 - 0.5 * torch.cos(phase)
    bend("spine", _X, 0.8 * stoop)
    bend("thorax", _Y, 0.7 * torch.sin(phase))
    bend("neck_base", _X, -0.4 * stoop)
    bend("left_shoulder", _X, -0.5 - 1.2 * stoop)
    bend("right_shoulder", _Z, -0.3 - 0.4 * torch.sin(phase))
    bend("right_elbow", _X, -1.0)


def _sit(bend: Bend, phase: Tensor) -> None:
    bend("spine", _X, 0.15 + 0.15 * torch.sin(0.5 * phase))
    for side, sign in _SIDES:
        bend(f"{side}_hip", _X, -1.5)
        bend(f"{side}_hip", _Z, 0.15 * sign)
        bend(f"{side}_knee", _X, 1.5 + 0.2 * torch.sin(phase + sign))
        bend(f"{side}_shoulder", _X, -0.6 - 0.3 * sign * torch.sin(phase))
        bend(f"{side}_elbow", _X, -1.1 - 0.4 * torch.cos(phase))


MOVEMENTS: Mapping[str, Callable[[Bend, Tensor], None]] = {
    "March": _march,
    "Squat": _squat,
    "Lunge": _lunge,
    "Jumping jack": _jumping_jack,
    "Reach": _reach,
    "Sit": _sit,
}
"""By name, as tables print it."""


def made_views(skeleton: str = "h36m17", keypoints: str = "det") -> list[View]:
    """Each movement by each of three people, three seconds.

    One camera sees each of them.

    Args:
        skeleton: name of the skeleton whose keypoints are visible: "h36m17", "coco17" or "halpe26".
        keypoints: "det" for the detector-like 2D, "gt" for exact projections with score 1.

    Returns:
        Views named "Squat/p2"; the action is the movement.

    Raises:
        InputError: the skeleton or the keypoints are unknown.
    """
    pick_names(keypoints, ("det", "gt"), "data.keypoints", "the set of made people")
    clips = dict(_make_clips())
    corpus = MotionCorpus.from_world(clips, tuple(name.partition("/")[2] for name in clips), _FPS, CMU28)
    return [
        replace(view.show(skeleton, keypoints), action=view.name.partition("/")[0])
        for view in render_views(corpus, _SEED)
    ]


def _make_clips() -> Iterator[tuple[str, Float[Tensor, "t 28 3"]]]:
    """Name and joints of each clip, world frame, metres.

    Each person does every second movement.
    """
    time = torch.arange(_FRAMES) / _FPS
    for number, (person, sizes) in enumerate(_BODIES.items()):
        for place, (name, move) in enumerate(MOVEMENTS.items()):
            if (number + place) % 2:
                continue
            angles = torch.zeros(_FRAMES, len(CMU28), 3)

            def bend(joint: str, axis: int, angle: Tensor | float, angles: Tensor = angles) -> None:
                angles[:, CMU28.index(joint), axis] += angle

            move(bend, 2 * math.pi * (0.5 + 0.06 * number) * time)
            yield f"{name}/{person}", _stand_on_floor(angles, _offsets(*sizes), heading=1.1 * number + 0.7 * place)


def _offsets(height: float, legs: float, arms: float, width: float) -> Float[Tensor, "28 3"]:
    """The rest pose of a body."""
    offsets = rest_offsets() * height
    for row, joint in enumerate(CMU28.joints):
        if joint.endswith(("knee", "ankle")):
            offsets[row] *= legs
        elif joint.endswith(("elbow", "wrist", "hand")):
            offsets[row] *= arms
        elif joint.endswith(("hip", "shoulder")):
            offsets[row, 0] *= width
    return offsets


def _stand_on_floor(
    angles: Float[Tensor, "t 28 3"], offsets: Float[Tensor, "28 3"], heading: float
) -> Float[Tensor, "t 28 3"]:
    """The joints in the world; the lowest one is on the ground."""
    turn = axis_angle_to_matrix(torch.tensor([0.0, heading, 0.0]))
    root = torch.zeros(len(angles), 3)
    points, _ = forward_kinematics(
        axis_angle_to_matrix(angles), offsets.expand(len(angles), -1, -1), root, CMU28.parent_indices
    )
    points = points @ turn.mT
    points[..., 1] -= points[..., 1].amin(-1, keepdim=True)
    return points
