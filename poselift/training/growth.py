"""Beginning a lifter with the weights of a smaller, a larger or an equal one."""

import re

import torch
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.models import Lifter
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

    Further blocks come after those that are there and change nothing at first, so that a lifter that has grown gives
    what the smaller one gave (Net2Net: Chen et al. 2016, https://arxiv.org/abs/1511.05641). Where there are fewer
    blocks, they are taken from the others at even distances. A joint that the other one did not give begins where
    the nearest joint above it is that it did give.

    Args:
        lifter: changed in place.
        other: where the weights are from.

    Raises:
        InputError: the two are of other classes, or of other widths, one alone has `joint_time`, or more blocks are
            asked of an attention that has no output layer.
    """
    if type(lifter) is not type(other):
        raise InputError(f"a {type(lifter).__name__} cannot begin with the weights of a {type(other).__name__}")
    if lifter.config.get("joint_time") != other.config.get("joint_time"):
        raise InputError("one of the two lifters has joint_time=true, the other not: neither can begin with the other")
    state, there = lifter.state_dict(), other.state_dict()
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
