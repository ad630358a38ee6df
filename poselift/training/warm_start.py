"""A warm start: a lifter from another one's weights.

The other one may be smaller, larger or equal.
"""

import re
from dataclasses import asdict

import torch
from torch import Tensor

from poselift.core.errors import InputError
from poselift.models import Lifter, LifterConfig, SpatioTemporalLifter
from poselift.nn.attention import attention_spec
from poselift.skeleton import Skeleton

_BLOCK = re.compile(r"(\w+_blocks)\.(\d+)\.(.+)")
_LAST = re.compile(r"(attention\.out|feed_forward\.3)\.(weight|bias)")
"""The last layers of a block's two branches: if they are 0, the block changes nothing."""

_HEAD = re.compile(r"(uncertainty_)?head\.2\.(weight|bias)")
"""The layers whose rows belong to output joints."""

_NEW = ("uncertainty_head.",)
"""Parts that the other lifter may lack."""

_LEFT_OUT = re.compile(r"(uncertainty_head|time_code|(time|encoder|decoder)_norm)\..+")
"""Parts that the lifter may lack: they belong to `uncertainty`, `positions` and `norm`."""


@torch.no_grad()
def warm_start(lifter: Lifter, other: Lifter) -> None:
    """Initialises a lifter from another one of the same class.

    A larger lifter first gives the output of the smaller one (Net2Net: Chen et al. 2016,
    https://arxiv.org/abs/1511.05641): new blocks come last and change nothing, and neither do new channels and heads of
    joint tokens. The exception is a new `joint_time`, for joints that are missing in some frames. A smaller lifter
    leaves out the blocks whose last layers are smallest. The number of blocks may differ in lifters that name them
    `..._blocks`: `SpatioTemporalLifter` and `JointTokenTransformer`. A new output joint of a `SpatioTemporalLifter` is
    initialised from its nearest available ancestor. `causal`, `norm`, `positions` and `temporal_upsampling` may differ;
    the output then differs too.

    Args:
        lifter: changed in place.
        other: gives the weights.

    Raises:
        InputError: classes, input skeletons, widths or numbers of heads differ (joint tokens may become wider), output
            skeletons differ in a class that has its rows by joint, only the other one has `joint_time`, the other one
            has layers without a place here, or an attention without an output layer would get more blocks.
    """
    if type(lifter) is not type(other):
        raise InputError(f"a {type(lifter).__name__} cannot be initialised from a {type(other).__name__}")
    _check_skeletons(lifter, other)
    config, before = asdict(lifter.config), asdict(other.config)
    if before.get("joint_time") and not config.get("joint_time"):
        raise InputError("these weights have joint_time=true; set model.joint_time=true")
    wider = config.get("joint_dim", 0) > before.get("joint_dim", 0)
    for key in ("heads",) if wider else ("heads", "joint_heads"):
        if config.get(key) != before.get(key):  # The shapes would fit, but each head would get parts of others.
            raise InputError(
                f"model.{key}={config.get(key)} does not fit weights with {key}={before.get(key)}; "
                f"set model.{key}={before.get(key)}"
            )
    state, there = lifter.state_dict(), other.state_dict()
    if wider and isinstance(lifter, SpatioTemporalLifter) and isinstance(other, SpatioTemporalLifter):
        there = _widen(lifter, other)
    blocks = {kind: _count(there, kind) for kind in {m[1] for m in map(_BLOCK.fullmatch, {**state, **there}) if m}}
    for name in there:
        if name not in state and not _BLOCK.fullmatch(name) and not _LEFT_OUT.fullmatch(name):
            raise InputError(
                f"these weights also have {name}, which this lifter lacks; choose the model= that they are of"
            )
    for name, value in state.items():
        match = _BLOCK.fullmatch(name)
        source = name
        if match:
            kind, number, rest = match[1], int(match[2]), match[3]
            old, new = blocks[kind], _count(state, kind)
            if new < old:
                number = _largest(there, kind, old, new)[number]
            elif number >= old:
                if f"{kind}.{number}.attention.out.weight" not in state:
                    raise InputError(
                        f"{kind} cannot grow, because their attention has no output layer; keep their number at {old}"
                    )
                if _LAST.fullmatch(rest):
                    value.zero_()
                continue
            source = f"{kind}.{number}.{rest}"
        if source not in there:
            if name.startswith(_NEW):
                continue
            raise InputError(f"these weights have no {name}; choose the model= that they are of")
        given = there[source]
        if _HEAD.fullmatch(name):
            given = _for_joints(given, other.skeleton_out, lifter.skeleton_out)
        if name.startswith("token_out.") and len(given) != len(value) and isinstance(lifter, SpatioTemporalLifter):
            given = _upsample(given, lifter.config)
        if given.shape != value.shape:
            raise _misfit(name, value, given)
        value.copy_(given)


def _check_skeletons(lifter: Lifter, other: Lifter) -> None:
    """Raises an InputError if layers would get other joints' weights.

    Their shapes may be equal.
    """
    by_name = isinstance(lifter, SpatioTemporalLifter)  # its output layers are copied joint by joint
    for key in ("skeleton_in",) if by_name else ("skeleton_in", "skeleton_out"):
        here, there = getattr(lifter, key), getattr(other, key)
        if here.joints != there.joints:
            raise InputError(f"these weights have {key}={there.name}, not {here.name}; set {key}={there.name}")


def _widen(lifter: SpatioTemporalLifter, other: SpatioTemporalLifter) -> dict[str, Tensor]:
    """The other one's weights at the lifter's width.

    Joint tokens and joint heads are as wide and as many.

    Layers that write into a new channel start at 0; layers that read one keep their initial weights. A layer norm
    removes the mean of a token, so the layers that write into tokens may remove it first. Zeros appended to a token
    without mean make its normed length grow by a constant factor; the norms' weights undo that factor.

    Raises:
        InputError: the lifter has fewer or narrower heads; heads over time would become wider, but their channels code
            time; or the joint attention changes when zeros are appended to queries and keys.
    """
    wide, narrow = lifter.config.joint_dim, other.config.joint_dim
    heads, heads_before = lifter.config.joint_heads, other.config.joint_heads
    head, head_before = wide // heads, narrow // heads_before
    if heads < heads_before or head < head_before or (other.config.joint_time and head != head_before):
        raise InputError(
            f"{heads} joint heads of {head} channels cannot be initialised from {heads_before} of {head_before}; "
            f"set model.joint_heads={wide // head_before}"
        )
    mechanism = attention_spec(other.config.joint_attention)["name"]
    if mechanism != "scaled_dot":
        raise InputError(
            f"joint tokens cannot become wider with joint_attention={mechanism}; set model.joint_dim={narrow}"
        )
    widened = other.state_dict()
    for name, begun in lifter.state_dict().items():
        if name not in widened or not name.startswith(("joint_", "frame_in.weight")):
            continue
        given, new = widened[name], begun.clone()
        if name == "frame_in.weight":  # (frame_dim, joints * channels)
            _place(name, given.unflatten(1, (-1, narrow)), new.unflatten(1, (-1, wide)))
        elif name == "joint_name":
            _place(name, given - given.mean(1, keepdim=True), new.zero_())
        elif name.startswith("joint_in.") or _LAST.search(name):
            given, new = given - given.mean(0, keepdim=True), new.zero_()
            if name.endswith("out.weight"):
                _place(name, given.unflatten(1, (heads_before, head_before)), new.view(wide, heads, head))
            else:
                _place(name, given, new)
        elif ".qkv." in name:  # Attention divides scores by the square root of a head's width.
            given, qkv = given.unflatten(0, (3, heads_before, head_before)), new.view(3, heads, head, *new.shape[1:])
            qkv[0, :, head_before:] = 0
            _place(name, torch.cat((given[:1] * (head / head_before) ** 0.5, given[1:])), qkv)
        elif name.endswith("norm.weight"):
            _place(name, given * (narrow / wide) ** 0.5, new)
        else:
            _place(name, given, new)
        widened[name] = new
    return widened


def _place(name: str, given: Tensor, new: Tensor) -> None:
    """Copies a layer's weights into a larger tensor's first places.

    Raises InputError if it is smaller.
    """
    if any(a > b for a, b in zip(given.shape, new.shape, strict=True)):
        raise _misfit(name, new, given)
    new[tuple(slice(size) for size in given.shape)] = given


def _misfit(name: str, here: Tensor, there: Tensor) -> InputError:
    """The error for a layer whose shapes differ."""
    return InputError(
        f"{name} is {tuple(here.shape)} in this lifter and {tuple(there.shape)} in these weights; choose the "
        "model= that they are of"
    )


def _largest(state: dict[str, Tensor], kind: str, before: int, now: int) -> list[int]:
    """The blocks with the largest last layers, by number.

    They are those that change most.
    """
    size = [0.0] * before
    for name, value in state.items():
        match = _BLOCK.fullmatch(name)
        if match and match[1] == kind and _LAST.fullmatch(match[3]) and value.ndim == 2:
            size[int(match[2])] += float(value.norm())
    return sorted(sorted(range(before), key=size.__getitem__, reverse=True)[:now])


def _count(state: dict[str, Tensor], kind: str) -> int:
    """The number of blocks of a kind."""
    numbers = [int(match[2]) for match in map(_BLOCK.fullmatch, state) if match and match[1] == kind]
    return max(numbers, default=-1) + 1


def _upsample(rows: Tensor, config: LifterConfig) -> Tensor:
    """The rows of `token_out` for the other temporal upsampling."""
    if config.temporal_upsampling == "interpolate":
        return rows.unflatten(0, (config.temporal_stride, -1)).mean(0)  # (stride * d, ...) -> (d, ...)
    return rows.repeat(config.temporal_stride, *[1] * (rows.ndim - 1))  # (d, ...) -> (stride * d, ...)


def _for_joints(rows: Tensor, source: Skeleton, target: Skeleton) -> Tensor:
    """A layer's rows for another skeleton.

    The layer has one or three outputs a joint.
    """
    by_joint = rows.unflatten(0, (len(source), -1))
    chosen = []
    for joint in target.joints:
        nearest: str | None = joint
        while nearest is not None and nearest not in source.joints:
            nearest = target.parents[target.index(nearest)]
        chosen.append(source.index(nearest or source.joints[0]))
    return by_joint[chosen].flatten(0, 1)
