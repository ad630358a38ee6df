"""Beginning a lifter with the weights of a smaller, a larger or an equal one."""

import re
from typing import Any

import torch
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.models import Lifter, SpatioTemporalLifter
from poselift.skeleton import Skeleton

_BLOCK = re.compile(r"(\w+_blocks)\.(\d+)\.(.+)")
_LAST = re.compile(r"(attention\.out|feed_forward\.3)\.(weight|bias)")
"""The last layers of a block's two branches: where they are 0, the block changes nothing."""

_HEAD = re.compile(r"(uncertainty_)?head\.2\.(weight|bias)")
"""The layers that give something of each joint that comes out."""

_NEW = ("uncertainty_head.",)
"""Parts that may be new altogether."""


@torch.no_grad()
def begin_with(lifter: Lifter, other: nn.Module) -> None:
    """Copies what two lifters of one class have in common.

    Further blocks come after those that are there and change nothing at first, and so do further channels and heads of
    joint tokens, so that a lifter that has grown gives what the smaller one gave (Net2Net: Chen et al. 2016,
    https://arxiv.org/abs/1511.05641); but for joints that are not in all frames, where `joint_time` is new. Where there
    are fewer blocks, those are left out whose last layers are smallest. A joint that the other one did not give begins
    where the nearest joint above it is that it did give. `causal`, `norm`, `positions` and `temporal_upsampling` may
    differ; the lifter then begins with these weights, but does not give what the other one gave.

    Args:
        lifter: changed in place.
        other: where the weights are from.

    Raises:
        InputError: the two are of other classes, or of other widths or numbers of heads (joint tokens may be wider than
            they were), the other one alone has `joint_time`, or more blocks are asked of an attention that has no
            output layer.
    """
    if type(lifter) is not type(other):
        raise InputError(f"a {type(lifter).__name__} cannot begin with the weights of a {type(other).__name__}")
    if other.config.get("joint_time") and not lifter.config.get("joint_time"):
        raise InputError("the weights to begin with have joint_time=true, and cannot do without it")
    state, there = lifter.state_dict(), other.state_dict()
    wider = lifter.config.get("joint_dim", 0) > other.config.get("joint_dim", 0)
    for key in ("heads",) if wider else ("heads", "joint_heads"):
        heads, before = lifter.config.get(key), other.config.get(key)
        if heads != before:  # The shapes would fit, and each head get parts of others.
            raise InputError(
                f"model.{key}={heads} cannot begin with weights of {key}={before}; set model.{key}={before}"
            )
    if wider and isinstance(lifter, SpatioTemporalLifter) and isinstance(other, SpatioTemporalLifter):
        there = _widened(lifter, other)
    blocks = {kind: _count(there, kind) for kind in {m[1] for m in map(_BLOCK.fullmatch, {**state, **there}) if m}}
    for name, value in state.items():
        match = _BLOCK.fullmatch(name)
        source = name
        if match:
            kind, number, rest = match[1], int(match[2]), match[3]
            before, now = blocks[kind], _count(state, kind)
            if now < before:
                number = _largest(there, kind, before, now)[number]
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
        if name.startswith("token_out.") and len(given) != len(value):
            given = _upsampled(given, lifter.config)
        if given.shape != value.shape:
            raise InputError(
                f"{name} is {tuple(value.shape)} here and {tuple(given.shape)} in the weights to begin with"
            )
        value.copy_(given)


def _widened(lifter: SpatioTemporalLifter, other: SpatioTemporalLifter) -> dict[str, Tensor]:
    """The other one's weights with joint tokens, and heads over the joints, as wide and as many as the lifter's.

    What writes into a new channel begins at 0, and what reads one as the lifter was initialised. Layer norms take the
    mean out of a token, so all that writes into tokens may do so beforehand; a token without mean that zeros are
    appended to comes out of its norm longer by one factor, whatever it holds, and the norms' weights make up for that.

    Raises:
        InputError: the lifter has fewer heads, or narrower ones; heads over time, which know time by their channels,
            are to be wider; or the joints' attention is none that zeros appended to queries and keys leave as it is.
    """
    wide, narrow = lifter.config["joint_dim"], other.config["joint_dim"]
    heads, heads_before = lifter.config["joint_heads"], other.config["joint_heads"]
    head, head_before = wide // heads, narrow // heads_before
    if heads < heads_before or head < head_before or (other.config.get("joint_time") and head != head_before):
        raise InputError(
            f"{heads} heads of {head} channels over the joints cannot begin with {heads_before} of {head_before}; "
            f"set model.joint_heads={wide // head_before}"
        )
    mechanism = other.config["joint_attention"]["name"]
    if mechanism != "scaled_dot":
        raise InputError(f"joint tokens under joint_attention={mechanism} cannot begin wider than they were")
    widened = other.state_dict()
    for name, begun in lifter.state_dict().items():
        if name not in widened or not name.startswith(("joint_", "frame_in.weight")):
            continue
        given, new = widened[name], begun.clone()
        if name == "frame_in.weight":  # (frame_dim, joints * channels)
            _place(given.unflatten(1, (-1, narrow)), new.unflatten(1, (-1, wide)))
        elif name == "joint_name":
            _place(given - given.mean(1, keepdim=True), new.zero_())
        elif name.startswith("joint_in.") or _LAST.search(name):
            given, new = given - given.mean(0, keepdim=True), new.zero_()
            if name.endswith("out.weight"):
                _place(given.unflatten(1, (heads_before, head_before)), new.view(wide, heads, head))
            else:
                _place(given, new)
        elif ".qkv." in name:  # Scores are divided by the square root of a head's width.
            given, qkv = given.unflatten(0, (3, heads_before, head_before)), new.view(3, heads, head, *new.shape[1:])
            qkv[0, :, head_before:] = 0
            _place(torch.cat((given[:1] * (head / head_before) ** 0.5, given[1:])), qkv)
        elif name.endswith("norm.weight"):
            _place(given * (narrow / wide) ** 0.5, new)
        else:
            _place(given, new)
        widened[name] = new
    return widened


def _place(given: Tensor, new: Tensor) -> None:
    """Writes a tensor over the first places of one that is to be no smaller along any axis.

    Raises:
        InputError: it is smaller along one.
    """
    if any(a > b for a, b in zip(given.shape, new.shape, strict=True)):
        raise InputError(f"a layer is {tuple(new.shape)} here and {tuple(given.shape)} in the weights to begin with")
    new[tuple(slice(size) for size in given.shape)] = given


def _largest(state: dict[str, Tensor], kind: str, before: int, now: int) -> list[int]:
    """The numbers of the blocks whose last layers are largest, in their order: those that do most."""
    size = [0.0] * before
    for name, value in state.items():
        match = _BLOCK.fullmatch(name)
        if match and match[1] == kind and _LAST.fullmatch(match[3]) and value.ndim == 2:
            size[int(match[2])] += float(value.norm())
    return sorted(sorted(range(before), key=size.__getitem__, reverse=True)[:now])


def _count(state: dict[str, Tensor], kind: str) -> int:
    """How many blocks of a kind there are."""
    numbers = [int(match[2]) for match in map(_BLOCK.fullmatch, state) if match and match[1] == kind]
    return max(numbers, default=-1) + 1


def _upsampled(rows: Tensor, config: dict[str, Any]) -> Tensor:
    """The rows of the layer that makes frames of time tokens, where one of two lifters interpolates them."""
    if config["temporal_upsampling"] == "interpolate":
        return rows.unflatten(0, (config["temporal_stride"], -1)).mean(0)
    return rows.repeat(config["temporal_stride"], *[1] * (rows.ndim - 1))


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
