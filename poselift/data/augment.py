"""Augmentation: new bodies and movements from those of the corpus.

All functions take and return windows of the 28 joints of CMU-28 in the world frame (Y up, metres). The generator is on
the same device.
"""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from poselift.core.annotations import Amount, Share
from poselift.data.windows import Windows
from poselift.geometry import axis_angle_to_matrix, bone_vectors, points_from_bones
from poselift.skeleton import CMU28
from poselift.skeleton.skeleton import strip_side

_PROPORTIONS: dict[str, float] = {
    "hip": 0.10,
    "knee": 0.07,
    "ankle": 0.07,
    "big_toe": 0.08,
    "heel": 0.08,
    "spine": 0.08,
    "thorax": 0.08,
    "neck_base": 0.12,
    "head_top": 0.10,
    "shoulder": 0.10,
    "elbow": 0.07,
    "wrist": 0.07,
    "hand": 0.08,
    "face": 0.10,
}
"""Standard deviation of the log of each bone's length, by the joint at its end, in addition to the overall size."""

_BENDS: dict[str, float] = {
    "spine": 15.0,
    "neck_base": 10.0,
    "shoulder": 18.0,
    "elbow": 8.0,
    "hip": 12.0,
    "knee": 8.0,
}
"""Standard deviation of the rotation added at a joint, degrees: large for free joints, small for hinges."""


@dataclass(frozen=True)
class Augmentation:
    """Strength of the changes to bodies and movements.

    Attributes:
        mirror: share of windows to mirror.
        recombine: share of windows that take the upper body of another window.
        limbs: share of windows that take some arms and legs of another window.
        bend: share of windows with a rotation added at the main joints.
        sway: size of the oscillating part of that rotation, relative to the constant part.
        size: standard deviation of the log of the body's size.
        tilt: share of windows to tilt off the upright.
        tilt_spread: standard deviation of the angle, degrees.
    """

    mirror: Share = 0.5
    recombine: Share = 0.25
    limbs: Share = 0.2
    bend: Share = 0.3
    sway: Amount = 0.5
    size: Amount = 0.08
    tilt: Share = 0.25
    tilt_spread: Amount = 30.0


def change(windows: Windows, augmentation: Augmentation, generator: torch.Generator) -> Windows:
    """The windows after all changes of this module."""
    windows = recombine(windows, augmentation.recombine, generator)
    windows = exchange_limbs(windows, augmentation.limbs, generator)
    windows = bend(windows, augmentation.bend, generator, augmentation.sway)
    windows = change_proportions(windows, augmentation.size, generator)
    windows = mirror(windows, augmentation.mirror, generator)
    return tilt(windows, augmentation.tilt, math.radians(augmentation.tilt_spread), generator)


_FACE = ("nose", "eye", "ear")
_UPPER = CMU28.indices(
    [
        joint
        for joint in CMU28.joints
        if not joint.endswith(("hip", "knee", "ankle", "toe", "heel")) and joint != "pelvis"
    ]
)


_DESCENDANTS = {
    joint: [below for below in CMU28.branch(index) if below != index or joint == "spine"]
    for index, joint in enumerate(CMU28.joints)
}
"""Indices of each joint's descendants; for the spine including itself, because it turns at the pelvis."""
_LIMBS = {
    f"{side}_{limb}": _DESCENDANTS[f"{side}_{joint}"]
    for side in ("left", "right")
    for limb, joint in (("arm", "shoulder"), ("leg", "hip"))
}
"""The bones of each limb, by the joints at their ends."""


def _kind(joint: str) -> str:
    """The key of `_PROPORTIONS` for a joint's bone.

    Both sides share one, and so does the face.
    """
    kind = strip_side(joint)
    return "face" if kind in _FACE else kind


_KINDS = list(_PROPORTIONS)
_KIND_OF_JOINT = [_KINDS.index(_kind(joint)) if joint != "pelvis" else -1 for joint in CMU28.joints]


def _draw(count: int, share: float, generator: torch.Generator) -> Int[Tensor, " chosen"]:
    """Indices of a random share of the windows; only these cost time."""
    return (torch.rand(count, generator=generator, device=generator.device) < share).nonzero().squeeze(1)


def mirror(windows: Windows, share: float, generator: torch.Generator) -> Windows:
    """The windows with a share of them mirrored left to right."""
    joints, root = windows.joints, windows.root
    chosen = _draw(len(joints), share, generator)
    sign = joints.new_tensor([-1.0, 1.0, 1.0])
    return replace(
        windows,
        joints=joints.index_copy(0, chosen, joints[chosen][:, :, list(CMU28.flip_indices)] * sign),
        root=root.index_copy(0, chosen, root[chosen] * sign),
    )


def recombine(windows: Windows, share: float, generator: torch.Generator) -> Windows:
    """The windows with a share of them on another window's upper body.

    The corpus has few movements; the arms of one with the legs of another make new ones.
    """
    joints = windows.joints
    chosen, lender = _partners(windows, share, generator)
    combined, lent = joints[chosen], joints[lender]
    turn = pelvis_axes(combined) @ pelvis_axes(lent).mT
    combined[:, :, _UPPER] = lent[:, :, _UPPER] @ turn.mT
    return replace(windows, joints=joints.index_copy(0, chosen, combined))


def exchange_limbs(windows: Windows, share: float, generator: torch.Generator) -> Windows:
    """The windows with a share of them taking limbs of another window.

    Each limb is taken with probability 0.5. It moves as in the other window, relative to the pelvis or the shoulders;
    its bones keep their own lengths.
    """
    joints = windows.joints
    chosen, lender = _partners(windows, share, generator)
    own, lent = joints[chosen], joints[lender]
    vectors, borrowed = measure_known_bones(own), measure_known_bones(lent)
    for limb, bones in _LIMBS.items():
        axes = pelvis_axes if limb.endswith("leg") else shoulder_axes
        turn = axes(own) @ axes(lent).mT
        length = vectors[:, :, bones].norm(dim=-1, keepdim=True)
        moved = torch.nn.functional.normalize(borrowed[:, :, bones] @ turn.mT, dim=-1) * length
        takes = torch.rand(len(chosen), 1, 1, 1, generator=generator, device=joints.device) < 0.5
        takes = takes & lent[:, :, bones].isfinite().all((1, 2, 3), keepdim=True)  # a corpus may lack joints
        vectors[:, :, bones] = torch.where(takes, moved, vectors[:, :, bones])
    return replace(windows, joints=joints.index_copy(0, chosen, hang(vectors, own)))


def _partners(
    windows: Windows, share: float, generator: torch.Generator
) -> tuple[Int[Tensor, " chosen"], Int[Tensor, " chosen"]]:
    """Indices of some windows, and a partner for each.

    Partners last nearly as long, so that the borrowed movement keeps nearly its own speed.
    """
    order = windows.times[:, -1].argsort()
    other = torch.empty_like(order)
    other[order] = order.roll(1)
    chosen = _draw(len(windows.joints), share, generator)
    chosen = chosen[windows.valid[other[chosen]].all(1)]
    return chosen, other[chosen]


def pelvis_axes(joints: Float[Tensor, "b t j 3"]) -> Float[Tensor, "b t 3 3"]:
    """Columns: across the hips, up the spine, forward; orthonormal."""
    return _axes(joints, "hip", joints[:, :, CMU28.index("spine")])


def shoulder_axes(joints: Float[Tensor, "b t j 3"]) -> Float[Tensor, "b t 3 3"]:
    """Columns: across the shoulders, up the chest, forward; orthonormal."""
    return _axes(joints, "shoulder", joints[:, :, CMU28.index("thorax")] - joints[:, :, CMU28.index("spine")])


def _axes(joints: Float[Tensor, "b t j 3"], pair: str, up: Float[Tensor, "b t 3"]) -> Float[Tensor, "b t 3 3"]:
    across = joints[:, :, CMU28.index(f"left_{pair}")] - joints[:, :, CMU28.index(f"right_{pair}")]
    across = torch.nn.functional.normalize(across, dim=-1)
    forward = torch.nn.functional.normalize(torch.linalg.cross(across, up), dim=-1)
    return torch.stack((across, torch.linalg.cross(forward, across), forward), -1)


def change_proportions(windows: Windows, size: float, generator: torch.Generator) -> Windows:
    """The windows with new bodies: overall size and bone lengths.

    The path over the ground scales with the legs, so that standing feet stay still.

    Args:
        windows: windows to change.
        size: standard deviation of the log of the overall size.
        generator: source of randomness.
    """
    joints = windows.joints
    count, device = len(joints), joints.device
    spread = torch.tensor([_PROPORTIONS[kind] for kind in _KINDS], device=device)
    overall = torch.exp(size * torch.randn(count, 1, generator=generator, device=device))
    factors = overall * torch.exp(spread * torch.randn(count, len(_KINDS), generator=generator, device=device))
    per_joint = torch.cat((factors, overall), 1)[:, _KIND_OF_JOINT]  # the pelvis (-1) takes the last column
    vectors = measure_known_bones(joints) * per_joint[:, None, :, None]
    leg = 0.5 * (factors[:, _KINDS.index("knee")] + factors[:, _KINDS.index("ankle")])
    return replace(windows, joints=hang(vectors, joints), root=windows.root * leg[:, None, None])


def bend(windows: Windows, share: float, generator: torch.Generator, sway: float = 0.0) -> Windows:
    """The windows, some with rotations added at main joints.

    Descendants of the joint rotate too: an upright walk becomes a bent one. The rotation is fixed to the pelvis, so
    that a trunk bent forward stays so when the person turns around.

    Args:
        windows: windows to change.
        share: share of the windows to change.
        generator: source of randomness.
        sway: standard deviation of the oscillating part, relative to the constant part.
    """
    everyone, device = windows.joints, windows.joints.device
    chosen = _draw(len(everyone), share, generator)
    joints = everyone[chosen]
    axes = pelvis_axes(joints)
    vectors = measure_known_bones(joints) @ axes  # in the pelvis's frame
    for joint in CMU28.joints:
        spread = _BENDS.get(_kind(joint))
        if spread is None:
            continue
        # One constant and one oscillating rotation, each about its own axis.
        turns = math.radians(spread) * torch.randn(2, len(chosen), 1, 3, generator=generator, device=device)
        turn = turns[0] + sway * _waves(windows.times[chosen], generator)[..., None] * turns[1]
        moved = _DESCENDANTS[joint]
        vectors[:, :, moved] = vectors[:, :, moved] @ axis_angle_to_matrix(turn).mT
    return replace(windows, joints=everyone.index_copy(0, chosen, hang(vectors @ axes.mT, joints)))


def _waves(times: Float[Tensor, "b t"], generator: torch.Generator) -> Float[Tensor, "b t"]:
    """A sine of unit variance for each window.

    Its period is 0.5 to 4 seconds.
    """
    period, phase = torch.rand(2, len(times), 1, generator=generator, device=times.device)
    return 2**0.5 * torch.sin(2 * math.pi * (times / (0.5 * 8**period) + phase))


def measure_known_bones(joints: Float[Tensor, "b t j 3"]) -> Float[Tensor, "b t j 3"]:
    """Bone vectors; unknown joints are at the pelvis.

    Bones then add up.
    """
    return bone_vectors(joints.nan_to_num(), CMU28.parent_indices)


def hang(vectors: Float[Tensor, "b t j 3"], joints: Float[Tensor, "b t j 3"]) -> Float[Tensor, "b t j 3"]:
    """Joints at the ends of the changed bones; unknown joints stay unknown."""
    placed = points_from_bones(vectors, vectors[..., 0, :], CMU28.parent_indices)
    return placed.masked_fill(joints.isnan(), torch.nan)


def tilt(windows: Windows, share: float, spread: float, generator: torch.Generator) -> Windows:
    """The windows with a share of them tilted off the upright.

    The axis is level and goes through the mean position of the pelvis.

    Args:
        windows: windows to change.
        share: share of the windows to tilt.
        spread: standard deviation of the angle, radians.
        generator: source of randomness.
    """
    joints, root = windows.joints, windows.root
    chosen = _draw(len(joints), share, generator)
    angle = spread * torch.randn(len(chosen), generator=generator, device=joints.device)
    azimuth = 2 * math.pi * torch.rand(len(chosen), generator=generator, device=joints.device)
    axis = torch.stack((azimuth.cos(), torch.zeros_like(azimuth), azimuth.sin()), -1)
    rotation = axis_angle_to_matrix(axis * angle[:, None])
    place = root[chosen]
    centre = place.mean(1, keepdim=True)
    return replace(
        windows,
        joints=joints.index_copy(0, chosen, joints[chosen] @ rotation[:, None].mT),
        root=root.index_copy(0, chosen, (place - centre) @ rotation.mT + centre),
    )
