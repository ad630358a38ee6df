"""Bodies and movements that the corpus lacks, made from those it has.

All functions take and give windows of the CMU corpus's 28 joints in the world frame (Y up, metres), and draw
from a generator on the same device.
"""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from poselift.data.windows import Windows
from poselift.geometry import axis_angle_to_matrix, bone_vectors
from poselift.skeleton import CMU28

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
"""Spread (standard deviation of the log) of the length of the bone that ends at a joint, beside overall size."""

_BENDS: dict[str, float] = {
    "spine": 15.0,
    "neck_base": 10.0,
    "shoulder": 18.0,
    "elbow": 8.0,
    "hip": 12.0,
    "knee": 8.0,
}
"""Spread, in degrees, of the turn that is added at a joint: large where the joint is free, small at hinges."""


@dataclass(frozen=True)
class Augmentation:
    """How much the corpus's bodies and movements are changed.

    Attributes:
        mirror: share of windows mirrored.
        recombine: share of windows that get another window's upper body.
        limbs: share of windows that get some of their arms and legs from another window.
        bend: share of windows with a turn added at the main joints.
        sway: how much of that turn comes and goes; 0 for one that stays the same all through the window.
        size: standard deviation of the log of the body's size.
        tilt: share of windows turned off the upright.
        tilt_spread: standard deviation of the angle, degrees.
    """

    mirror: float = 0.5
    recombine: float = 0.25
    limbs: float = 0.2
    bend: float = 0.3
    sway: float = 0.5
    size: float = 0.08
    tilt: float = 0.25
    tilt_spread: float = 30.0


def change(windows: Windows, augmentation: Augmentation, generator: torch.Generator) -> Windows:
    """All of the changes below, one after the other."""
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


def _descendants(joint: str) -> list[int]:
    """The joints that hang from a joint, by index; for the spine, the spine itself too, as it turns at the pelvis."""
    below = {joint}
    for index in CMU28.topological_order:
        if CMU28.parents[index] in below:
            below.add(CMU28.joints[index])
    if joint != "spine":
        below.remove(joint)
    return CMU28.indices(sorted(below))


_DESCENDANTS = {joint: _descendants(joint) for joint in CMU28.joints}
_LIMBS = {
    f"{side}_{limb}": _DESCENDANTS[f"{side}_{joint}"]
    for side in ("left", "right")
    for limb, joint in (("arm", "shoulder"), ("leg", "hip"))
}
"""The bones of each limb, by the joints they end at."""


def _kind(joint: str) -> str:
    """The entry of `_PROPORTIONS` that a joint's bone belongs to; both sides and all of the face share one."""
    kind = joint.removeprefix("left_").removeprefix("right_")
    return "face" if kind in _FACE else kind


_KINDS = list(_PROPORTIONS)
_KIND_OF_JOINT = [_KINDS.index(_kind(joint)) if joint != "pelvis" else -1 for joint in CMU28.joints]


def _draw(count: int, share: float, generator: torch.Generator) -> Int[Tensor, " chosen"]:
    """A share of the windows, by index: only what is changed costs time."""
    return (torch.rand(count, generator=generator, device=generator.device) < share).nonzero().squeeze(1)


def mirror(windows: Windows, share: float, generator: torch.Generator) -> Windows:
    """Mirrors a share of the windows, left and right swapped with it."""
    joints, root = windows.joints, windows.root
    chosen = _draw(len(joints), share, generator)
    sign = joints.new_tensor([-1.0, 1.0, 1.0])
    return replace(
        windows,
        joints=joints.index_copy(0, chosen, joints[chosen][:, :, list(CMU28.flip_indices)] * sign),
        root=root.index_copy(0, chosen, root[chosen] * sign),
    )


def recombine(windows: Windows, share: float, generator: torch.Generator) -> Windows:
    """Gives a share of the windows the upper body of another one, hung on their own pelvis.

    Few subjects do few things; arms of one movement over legs of another are movements none of them did.
    """
    joints = windows.joints
    chosen, lender = _partners(windows, share, generator)
    combined, lent = joints[chosen], joints[lender]
    turn = _pelvis_axes(combined) @ _pelvis_axes(lent).mT
    combined[:, :, _UPPER] = lent[:, :, _UPPER] @ turn.mT
    return replace(windows, joints=joints.index_copy(0, chosen, combined))


def exchange_limbs(windows: Windows, share: float, generator: torch.Generator) -> Windows:
    """Gives a share of the windows some arms and legs of another one, each limb in half of the cases.

    The limb moves as it did there, seen from the pelvis or from the shoulders; its bones keep their own lengths.
    """
    joints = windows.joints
    chosen, lender = _partners(windows, share, generator)
    own, lent = joints[chosen], joints[lender]
    vectors, borrowed = _known_bones(own), _known_bones(lent)
    for limb, bones in _LIMBS.items():
        axes = _pelvis_axes if limb.endswith("leg") else _shoulder_axes
        turn = axes(own) @ axes(lent).mT
        length = vectors[:, :, bones].norm(dim=-1, keepdim=True)
        moved = torch.nn.functional.normalize(borrowed[:, :, bones] @ turn.mT, dim=-1) * length
        takes = torch.rand(len(chosen), 1, 1, 1, generator=generator, device=joints.device) < 0.5
        takes = takes & lent[:, :, bones].isfinite().all((1, 2, 3), keepdim=True)  # a corpus may lack joints
        vectors[:, :, bones] = torch.where(takes, moved, vectors[:, :, bones])
    return replace(windows, joints=joints.index_copy(0, chosen, _hang(vectors, own)))


def _partners(
    windows: Windows, share: float, generator: torch.Generator
) -> tuple[Int[Tensor, " chosen"], Int[Tensor, " chosen"]]:
    """A share of the windows, and for each of them another one.

    It lasts nearly as long, so that what is borrowed plays at nearly its own speed.
    """
    order = windows.times[:, -1].argsort()
    other = torch.empty_like(order)
    other[order] = order.roll(1)
    chosen = _draw(len(windows.joints), share, generator)
    chosen = chosen[windows.valid[other[chosen]].all(1)]
    return chosen, other[chosen]


def _pelvis_axes(joints: Float[Tensor, "b t j 3"]) -> Float[Tensor, "b t 3 3"]:
    """Columns: across the hips, up the spine, forward; orthonormal."""
    return _axes(joints, "hip", joints[:, :, CMU28.index("spine")])


def _shoulder_axes(joints: Float[Tensor, "b t j 3"]) -> Float[Tensor, "b t 3 3"]:
    """Columns: across the shoulders, up the chest, forward; orthonormal."""
    return _axes(joints, "shoulder", joints[:, :, CMU28.index("thorax")] - joints[:, :, CMU28.index("spine")])


def _axes(joints: Float[Tensor, "b t j 3"], pair: str, up: Float[Tensor, "b t 3"]) -> Float[Tensor, "b t 3 3"]:
    across = joints[:, :, CMU28.index(f"left_{pair}")] - joints[:, :, CMU28.index(f"right_{pair}")]
    across = torch.nn.functional.normalize(across, dim=-1)
    forward = torch.nn.functional.normalize(torch.linalg.cross(across, up), dim=-1)
    return torch.stack((across, torch.linalg.cross(forward, across), forward), -1)


def change_proportions(windows: Windows, size: float, generator: torch.Generator) -> Windows:
    """Gives every window another body: overall size and the length of each kind of bone.

    The way over the ground is scaled with the legs, so that feet that stood still still do.

    Args:
        windows: to change.
        size: standard deviation of the log of the overall size.
        generator: for the draws.
    """
    joints = windows.joints
    count, device = len(joints), joints.device
    spread = torch.tensor([_PROPORTIONS[kind] for kind in _KINDS], device=device)
    overall = torch.exp(size * torch.randn(count, 1, generator=generator, device=device))
    factors = overall * torch.exp(spread * torch.randn(count, len(_KINDS), generator=generator, device=device))
    per_joint = torch.cat((factors, overall), 1)[:, _KIND_OF_JOINT]  # the pelvis (-1) takes the last column
    vectors = _known_bones(joints) * per_joint[:, None, :, None]
    leg = 0.5 * (factors[:, _KINDS.index("knee")] + factors[:, _KINDS.index("ankle")])
    return replace(windows, joints=_hang(vectors, joints), root=windows.root * leg[:, None, None])


def bend(windows: Windows, share: float, generator: torch.Generator, sway: float = 0.0) -> Windows:
    """Adds a turn at each main joint of a share of the windows.

    What hangs from the joint turns with it: someone walking upright becomes someone walking bent over. The turn is
    fixed to the pelvis, so that a trunk bent forward stays so when the person turns around.

    Args:
        windows: to change.
        share: of the windows.
        generator: for the draws.
        sway: spread of the part of the turn that comes and goes, as a share of that which stays.
    """
    everyone, device = windows.joints, windows.joints.device
    chosen = _draw(len(everyone), share, generator)
    joints = everyone[chosen]
    axes = _pelvis_axes(joints)
    vectors = _known_bones(joints) @ axes  # as the pelvis sees them
    for joint in CMU28.joints:
        spread = _BENDS.get(_kind(joint))
        if spread is None:
            continue
        # One turn that stays, and one that comes and goes, each about its own axis.
        turns = math.radians(spread) * torch.randn(2, len(chosen), 1, 3, generator=generator, device=device)
        turn = turns[0] + sway * _waves(windows.times[chosen], generator)[..., None] * turns[1]
        moved = _DESCENDANTS[joint]
        vectors[:, :, moved] = vectors[:, :, moved] @ axis_angle_to_matrix(turn).mT
    return replace(windows, joints=everyone.index_copy(0, chosen, _hang(vectors @ axes.mT, joints)))


def _waves(times: Float[Tensor, "b t"], generator: torch.Generator) -> Float[Tensor, "b t"]:
    """A sine of unit variance for each window, of some period from 0.5 to 4 seconds."""
    period, phase = torch.rand(2, len(times), 1, generator=generator, device=times.device)
    return 2**0.5 * torch.sin(2 * math.pi * (times / (0.5 * 8**period) + phase))


def _known_bones(joints: Float[Tensor, "b t j 3"]) -> Float[Tensor, "b t j 3"]:
    """The vector from each joint's parent to it; one that is not known stands at the pelvis, so that bones add up."""
    return bone_vectors(joints.nan_to_num(), CMU28.parent_indices)


def _hang(vectors: Float[Tensor, "b t j 3"], joints: Float[Tensor, "b t j 3"]) -> Float[Tensor, "b t j 3"]:
    """Joints at the ends of changed bones; those that were not known stay so."""
    placed = list(vectors.unbind(2))
    for joint in CMU28.topological_order[1:]:
        placed[joint] = placed[CMU28.parent_indices[joint]] + placed[joint]
    return torch.stack(placed, 2).masked_fill(joints.isnan(), torch.nan)


def tilt(windows: Windows, share: float, spread: float, generator: torch.Generator) -> Windows:
    """Turns a share of the windows off the upright about a level axis through the pelvis's mean place.

    Args:
        windows: to change.
        share: of the windows.
        spread: standard deviation of the angle, radians.
        generator: for the draws.
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
