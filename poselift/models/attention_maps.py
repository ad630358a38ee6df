"""Where a lifter looks: each layer's attention in a forward pass."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.models.base import Lifter
from poselift.models.encoding import Encoded, mirror
from poselift.models.seq2seq import WeightedMean
from poselift.nn.attention import Attention
from poselift.nn.attention.maps import AttentionMap

Result = TypeVar("Result")


def attention_maps(lifter: Lifter, run: Callable[[], Result]) -> tuple[Result, list[AttentionMap]]:
    """The result of `run`, and each layer's attention.

    The attention is that of a layer's first forward pass.

    `run` may lift in any way. The window of the lifter's first call is shown, not its mirrored one. A
    decoder that writes one token after the other is watched at its last token, when it has written all of them.

    Args:
        lifter: in eval mode.
        run: calls the lifter with one window (b = 1), or with a window and its mirrored one.

    Raises:
        InputError: no layer attends, or no mechanism has an attention matrix.
        ValueError: `run` does not call the lifter, or its first call has several windows.
    """
    with _record_first_call(lifter) as calls, torch.no_grad():
        result = run()
    if not calls:
        raise ValueError(f"the callable does not run the {type(lifter).__name__} that is watched")
    # Once more, because the mirrored window goes with it through the lifter.
    (encoded, *others), kwargs = calls[0]
    window = _one_window(lifter, encoded)
    with _watch(lifter) as seen, torch.no_grad():
        lifter(window, *others, **kwargs)
    if not seen.weights:
        if seen.without_matrix:
            names = ", ".join(sorted(seen.without_matrix))
            raise InputError(f"{names} has no attention matrix to show; choose other weights")
        raise InputError(f"{type(lifter).__name__} has no attention to show; choose weights of a model that attends")
    return result, [_map(lifter, window, layer, weights) for layer, weights in seen.weights.items()]


@contextmanager
def _record_first_call(lifter: Lifter) -> Iterator[list[tuple[tuple[Any, ...], dict[str, Any]]]]:
    """The arguments of the lifter's first call while the block runs."""
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def note(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not calls:
            calls.append((args, kwargs))

    hook = lifter.register_forward_pre_hook(note, with_kwargs=True)
    try:
        yield calls
    finally:
        hook.remove()


def _one_window(lifter: Lifter, encoded: Encoded) -> Encoded:
    """The one window of a batch, without its mirrored one."""
    first = Encoded(**{each.name: getattr(encoded, each.name)[:1] for each in fields(Encoded)})
    mirrored = mirror(first, lifter.skeleton_in).coordinates
    if len(encoded.times) > 2 or not torch.equal(encoded.coordinates[1:], mirrored[: len(encoded.times) - 1]):
        raise ValueError(f"attention is shown for one window, not for {len(encoded.times)}; lift fewer frames")
    return first


@dataclass
class _SeenAttention:
    """What a forward pass showed.

    Attributes:
        weights: (1, heads, n, m) by layer.
        without_matrix: names of the mechanisms that have no attention matrix.
    """

    weights: dict[str, Tensor] = field(default_factory=dict)
    without_matrix: set[str] = field(default_factory=set)


@contextmanager
def _watch(lifter: Lifter) -> Iterator[_SeenAttention]:
    """Hooks into the layers of the lifter while the block runs."""
    seen = _SeenAttention()

    def watch_mechanism(layer: str, mechanism: Attention) -> Callable[..., None]:
        def record(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            try:
                seen.weights[layer] = mechanism.attention_map(*args, **kwargs)
            except InputError:
                seen.without_matrix.add(type(mechanism).__name__)

        return record

    def watch_mean(layer: str) -> Callable[..., None]:
        def record(module: nn.Module, args: tuple[Any, ...]) -> None:
            row = args[0][:, None, None]  # (b, m) -> (b, 1, 1, m): one query in each call
            seen.weights[layer] = torch.cat((seen.weights[layer], row), 2) if layer in seen.weights else row

        return record

    hooks = []
    for name, module in lifter.named_modules():
        if isinstance(module, Attention):
            hooks.append(module.register_forward_pre_hook(watch_mechanism(name, module), with_kwargs=True))
        elif isinstance(module, WeightedMean):
            hooks.append(module.register_forward_pre_hook(watch_mean(name)))
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()


def _map(lifter: Lifter, encoded: Encoded, layer: str, weights: Tensor) -> AttentionMap:
    """The map with named rows and columns.

    It is the mean over frames or joints if these were the batch.
    """
    present = encoded.mask.flatten(0, 1).any(0)  # (j,)
    if layer.startswith(("time_blocks", "joint_time_blocks")):
        # The joints may be the batch: average over those that were seen.
        weights = (weights[present] if len(weights) == len(present) else weights).mean(0, keepdim=True)
    frames, _, queries, keys = weights.shape
    if frames > 1 or layer.startswith("joint_blocks"):  # the frames are the batch: tokens are joints
        names = [name for name, there in zip(lifter.skeleton_in.joints, present, strict=True) if there]
        joints = tuple(names if keys == len(names) else lifter.skeleton_in.joints)
        valid = encoded.mask[0].any(-1)
        # The lifter pads the window at its end.
        return AttentionMap(layer, weights[: len(valid)][valid].mean(0), joints, joints)
    stride, t = lifter.temporal_stride, encoded.times.shape[1]
    # Blocks over frame tokens have a row for each frame, and for padding at the end.
    at_frames = queries == keys == -(-t // stride) * stride
    seconds = tuple(float(group.mean()) for group in encoded.times[0].split(1 if at_frames else stride))
    return AttentionMap(layer, weights[0, :, : len(seconds), : len(seconds)], seconds[:queries], seconds[:keys])
