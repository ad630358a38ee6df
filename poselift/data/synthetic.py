"""Synthetic motion, for tests and first trials without any data.

Stick figures walk, wave and turn, by forward kinematics of a few sine waves. A lifter trained on them alone knows
nothing of real movement.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.data.corpus import MotionCorpus
from poselift.geometry import axis_angle_to_matrix, forward_kinematics
from poselift.skeleton import CMU28

_REST = {
    # Offsets from the parent joint in a standing pose with hanging arms, metres: x to the person's left, Y up,
    # z forward. Average adult proportions (Winter 2009, Biomechanics and Motor Control of Human Movement, fig. 4.1).
    "right_hip": (-0.09, -0.02, 0.0),
    "right_knee": (0.0, -0.43, 0.0),
    "right_ankle": (0.0, -0.43, 0.0),
    "spine": (0.0, 0.24, 0.0),
    "thorax": (0.0, 0.24, 0.0),
    "neck_base": (0.0, 0.10, 0.02),
    "head_top": (0.0, 0.19, 0.0),
    "right_shoulder": (-0.17, -0.04, 0.0),
    "right_elbow": (0.0, -0.29, 0.0),
    "right_wrist": (0.0, -0.26, 0.0),
    "right_big_toe": (0.0, -0.06, 0.18),
    "right_heel": (0.0, -0.06, -0.05),
    "right_hand": (0.0, -0.12, 0.0),
    "nose": (0.0, 0.06, 0.11),
    "right_eye": (-0.03, 0.09, 0.09),
    "right_ear": (-0.075, 0.07, 0.01),
}
_FPS = 50.0
"""Frames a second of the made walk."""


def rest_offsets() -> Float[Tensor, "28 3"]:
    """Offset of each joint from its parent in the rest pose, metres."""
    offsets = torch.zeros(len(CMU28), 3)
    for row, joint in enumerate(CMU28.joints):
        if joint.startswith("left_"):
            x, y, z = _REST["right_" + joint.removeprefix("left_")]
            offsets[row] = torch.tensor([-x, y, z])
        elif joint != "pelvis":
            offsets[row] = torch.tensor(_REST[joint])
    return offsets


def synthetic_corpus(clips: int, frames: int, seed: int) -> MotionCorpus:
    """Clips of walking, waving stick figures.

    Args:
        clips: number of clips; every two share a subject.
        frames: frames per clip, at 50 fps.
        seed: equal seeds give equal corpora.

    Example:
        >>> corpus = synthetic_corpus(clips=2, frames=50, seed=0)
        >>> corpus.names, corpus.joints.shape
        (('synthetic_000', 'synthetic_001'), torch.Size([100, 28, 3]))
    """
    generator = torch.Generator().manual_seed(seed)
    time = torch.arange(frames) / _FPS
    walks = {f"synthetic_{clip:03d}": _walk(time, generator) for clip in range(clips)}
    return MotionCorpus.from_world(walks, tuple(f"s{clip // 2:02d}" for clip in range(clips)), _FPS, CMU28)


def _walk(time: Float[Tensor, " t"], generator: torch.Generator) -> Float[Tensor, "t 28 3"]:
    """The joints of one clip in the world, metres."""

    def between(low: float, high: float) -> float:
        return low + (high - low) * float(torch.rand((), generator=generator))

    size, cadence, stride = between(0.9, 1.1), between(0.6, 1.1), between(0.2, 0.6)
    phase = 2 * math.pi * cadence * time + between(0.0, 2 * math.pi)
    heading = between(0.0, 2 * math.pi) + between(-0.4, 0.4) * time
    angles = torch.zeros(len(time), len(CMU28), 3)  # axis-angle of each joint, radians

    def bend(joint: str, axis: int, angle: Tensor) -> None:
        angles[:, CMU28.index(joint), axis] = angle

    raised = between(0.0, 2.2)
    wave = between(0.0, 0.8) * torch.sin(2 * math.pi * between(0.3, 1.2) * time)
    for side, sign in (("right", 1.0), ("left", -1.0)):
        swing = sign * stride * torch.sin(phase)
        bend(f"{side}_hip", 0, -swing)
        bend(f"{side}_knee", 0, stride * (1 + torch.sin(phase * 1.0 + sign * 1.2)))
        bend(f"{side}_shoulder", 0, swing * 0.8 - (raised if side == "left" else 0.0) + (wave if side == "left" else 0))
        bend(f"{side}_elbow", 0, -0.3 - 0.5 * stride * (1 - torch.cos(phase)))
    angles[:, CMU28.index("spine"), 0] = between(-0.1, 0.4)
    angles[:, CMU28.index("neck_base"), 1] = between(0.0, 0.5) * torch.sin(2 * math.pi * 0.2 * time)
    angles[:, 0, 1] = heading

    speed = 1.4 * cadence * stride * size
    velocity = torch.stack((heading.sin(), torch.zeros_like(heading), heading.cos()), -1) * speed
    root = torch.cumsum(velocity, 0) / _FPS
    root[:, 1] = 0.94 * size + 0.02 * torch.cos(2 * phase)
    positions, _ = forward_kinematics(
        axis_angle_to_matrix(angles), (rest_offsets() * size).expand(len(time), -1, -1), root, CMU28.parent_indices
    )
    return positions
