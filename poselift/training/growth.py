"""Beginning a lifter with the weights of a smaller, a larger or an equal one."""

import math
import re

import torch
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.models import Lifter, SpatioTemporalLifter
from poselift.skeleton import Skeleton

_BLOCK = re.compile(r"(\w+_blocks)\.(\d+)\.(.+)")
_LAST = re.compile(r"(attention\.out|feed_forward\.3)\.(weight|bias)")
"""The last layers of a block's two branches: where they are 0, the block changes nothing."""

_HEAD = re.compile(r"(radius_)?head\.2\.(weight|bias)")
"""The layers that give something of each joint that comes out."""

_NEW = ("radius_head.",)
"""Parts that may be new altogether."""


@torch.no_grad()
def begin_with(lifter: Lifter, other: nn.Module) -> None:
    """Copies what two lifters of one class have in common.

    Further blocks come after those that are there and change nothing at first, and so do further channels and heads of
    joint tokens, so that a lifter that has grown gives what the smaller one gave (Net2Net: Chen et al. 2016,
    https://arxiv.org/abs/1511.05641); but for joints that are not in all frames, where `joint_time` is new. Where there
    are fewer blocks, they are taken from the others at even distances. A joint that the other one did not give begins
    where the nearest joint above it is that it did give.

    Args:
        lifter: changed in place.
        other: where the weights are from.

    Raises:
        InputError: the two are of other classes, or of other widths (joint tokens may be wider than they were), the
            other one alone has `joint_time`, or more blocks are asked of an attention that has no output layer.
    """
    if type(lifter) is not type(other):
        raise InputError(f"a {type(lifter).__name__} cannot begin with the weights of a {type(other).__name__}")
    if other.config.get("joint_time") and not lifter.config.get("joint_time"):
        raise InputError("the weights to begin with have joint_time=true, and cannot do without it")
    state, there = lifter.state_dict(), other.state_dict()
    if isinstance(lifter, SpatioTemporalLifter) and lifter.config["joint_dim"] > other.config["joint_dim"]:
        there = _widened(lifter, other)
    blocks = {kind: _count(there, kind) for kind in {m[1] for m in map(_BLOCK.fullmatch, {**state, **there}) if m}}
    for name, value in state.items():
        match = _BLOCK.fullmatch(name)
        source = name
        if match:
            kind, number, rest = match[1], int(match[2]), match[3]
            before, now = blocks[kind], _count(state, kind)
            if now < before:
                number = round(number * (before - 1) / max(now - 1, 1))
            elif number >= before:
                if f"{kind}.{number}.attention.out.weight" not in state:
                    raise InputError(f"{kind} cannot grow: their attention has no last layer to begin at nothing")
                if _LAST.fullmatch(rest):
                    value.zero_()
                continue
            source = f"{kind}.{number}.{rest}"
        if source not in there:
            if name.startswith(_NEW):
                continue
            raise InputError(f"the weights to begin with have no {name}")
        given = there[source]
        if _HEAD.fullmatch(name):
            given = _for_joints(given, other.skeleton_out, lifter.skeleton_out)
        if given.shape != value.shape:
            raise InputError(
                f"{name} is {tuple(value.shape)} here and {tuple(given.shape)} in the weights to begin with"
            )
        value.copy_(given)


def _widened(lifter: SpatioTemporalLifter, other: nn.Module) -> dict[str, Tensor]:
    """The other one's weights with joint tokens as wide as the lifter's, and as many heads.

    Whatever writes into a new channel begins at 0, and whatever reads one as the lifter was initialised. Layer norms
    take the mean out of a token, so that all that writes into tokens can do so beforehand; then a token with zeros
    appended is longer after its norm by the same factor whatever it holds, and the norms' weights make up for that.

    Raises:
        InputError: the lifter has fewer heads, or narrower ones; or heads over time, which know time by their
            channels, are to be wider.
    """
    state, there = lifter.state_dict(), other.state_dict()
    wide, narrow = lifter.config["joint_dim"], other.config["joint_dim"]
    heads, before = lifter.config["joint_heads"], other.config["joint_heads"]
    c, c_before = wide // heads, narrow // before
    if heads < before or c < c_before or (other.config.get("joint_time") and c != c_before):
        raise InputError(
            f"{heads} heads of {c} channels over the joints cannot begin with {before} of {c_before}; set "
            f"model.joint_heads to {wide // c_before}"
        )
    widened = dict(there)
    for name, given in there.items():
        if not name.startswith("joint_") or name not in state:
            continue
        new = state[name].clone()
        if name == "joint_name":
            new.zero_()[:, :narrow] = given - given.mean(1, keepdim=True)
        elif name.startswith("joint_in.") or _LAST.search(name):
            new.zero_()
            part = new.unflatten(-1, (heads, c))[:narrow, :before, :c_before] if "out.weight" in name else new[:narrow]
            given = given.unflatten(-1, (before, c_before)) if "out.weight" in name else given
            part = part[..., : given.shape[-1]] if given.ndim > 1 else part
            part.copy_(given - given.mean(0, keepdim=True))
        elif "qkv" in name:
            part = new.unflatten(0, (3, heads, c))
            part[0, :before, c_before:] = 0
            given = given.unflatten(0, (3, before, c_before)) * given.new_tensor([(c / c_before) ** 0.5, 1, 1]).view(
                3, *[1] * (given.ndim + 1)
            )
            part[(slice(None), slice(before), slice(c_before), slice(narrow))[: part.ndim]] = given
        elif "norm.weight" in name:
            new[:narrow] = given * math.sqrt(narrow / wide)
        else:
            new[tuple(map(slice, given.shape))] = given
        widened[name] = new
    joints = len(lifter.skeleton_in)
    frame_in = state["frame_in.weight"].clone()
    if frame_in.shape[0] == there["frame_in.weight"].shape[0]:
        frame_in.view(-1, joints, wide)[..., :narrow] = there["frame_in.weight"].view(-1, joints, narrow)
        widened["frame_in.weight"] = frame_in
    return widened


def _count(state: dict[str, Tensor], kind: str) -> int:
    """How many blocks of a kind there are."""
    numbers = [int(match[2]) for match in map(_BLOCK.fullmatch, state) if match and match[1] == kind]
    return max(numbers, default=-1) + 1


def _for_joints(rows: Tensor, source: Skeleton, target: Skeleton) -> Tensor:
    """The rows of a layer that gives x, y and z or the radius of each joint, for other joints."""
    by_joint = rows.unflatten(0, (len(source), -1))
    chosen = []
    for joint in target.joints:
        nearest: str | None = joint
        while nearest is not None and nearest not in source.joints:
            nearest = target.parents[target.index(nearest)]
        chosen.append(source.index(nearest or source.joints[0]))
    return by_joint[chosen].flatten(0, 1)
