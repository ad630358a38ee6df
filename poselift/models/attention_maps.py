"""Where a lifter looks: the attention of each of its layers, watched while it lifts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.models.base import Lifter
from poselift.models.encoding import Encoded
from poselift.models.seq2seq import WeightedMean
from poselift.nn.attention import Attention
from poselift.nn.attention.maps import AttentionMap


def attention_maps(lifter: nn.Module, encoded: Encoded) -> list[AttentionMap]:
    """Lifts one window and gives the attention of each layer that has a matrix of it.

    A decoder that writes one token after the other is watched at its last, when it has written all of them.

    Args:
        lifter: in eval mode.
        encoded: one window, b = 1.

    Raises:
        InputError: nothing in the model attends, or by mechanisms without a matrix alone.
        ValueError: there is more than one window.
    """
    if len(encoded.times) != 1:
        raise ValueError(f"attention is shown of one window, not of {len(encoded.times)}")
    assert isinstance(lifter, Lifter)
    with _watched(lifter) as (seen, without), torch.no_grad():
        lifter(encoded)
    if not seen:
        if without:
            raise InputError(f"{', '.join(sorted(without))} has no attention matrix to show; choose other weights")
        raise InputError(f"{type(lifter).__name__} has no attention to show; choose weights of a model that attends")
    return [_map(lifter, encoded, layer, weights) for layer, weights in seen.items()]


@contextmanager
def _watched(lifter: nn.Module) -> Iterator[tuple[dict[str, Tensor], set[str]]]:
    """While the block runs, fills in (b, heads, n, m) by layer, and the names of mechanisms that have no matrix."""
    seen: dict[str, Tensor] = {}
    without: set[str] = set()

    def watch_mechanism(layer: str) -> Callable[..., None]:
        def look(module: Any, args: Any, kwargs: Any) -> None:
            try:
                seen[layer] = module.attention_map(*args, **kwargs)
            except InputError:
                without.add(type(module).__name__)

        return look

    def watch_mean(layer: str) -> Callable[..., None]:
        def look(module: Any, args: Any) -> None:
            row = args[0][:, None, None]  # (b, 1, 1, m): one query a call
            seen[layer] = torch.cat((seen[layer], row), 2) if layer in seen else row

        return look

    hooks = []
    for name, module in lifter.named_modules():
        if isinstance(module, Attention):
            hooks.append(module.register_forward_pre_hook(watch_mechanism(name), with_kwargs=True))
        elif isinstance(module, WeightedMean):
            hooks.append(module.register_forward_pre_hook(watch_mean(name)))
    try:
        yield seen, without
    finally:
        for hook in hooks:
            hook.remove()


def _map(lifter: Lifter, encoded: Encoded, layer: str, weights: Tensor) -> AttentionMap:
    """Names the rows and columns, and takes the mean over the frames where each was a batch of its own."""
    if layer.startswith("joint_time_blocks"):  # a batch of joints: the mean over those that were seen
        weights = weights[encoded.mask.any(1)[:, encoded.mask.flatten(0, 1).any(0)].flatten()].mean(0, keepdim=True)
    frames, _, queries, keys = weights.shape
    if len(encoded.times) == 1 and frames > 1:
        present = encoded.mask.flatten(0, 1).any(0)
        names = [name for name, there in zip(lifter.skeleton_in.joints, present, strict=True) if there]
        joints = tuple(names if keys == len(names) else lifter.skeleton_in.joints)
        valid = encoded.mask[0].any(-1)
        # Frames of padding come behind those of the window.
        return AttentionMap(layer, weights[: len(valid)][valid].mean(0), joints, joints)
    temporal_stride, t = getattr(lifter, "temporal_stride", 1), encoded.times.shape[1]
    # Blocks at the rate of the frames see those of padding too, behind the others.
    at_frames = queries == keys == -(-t // temporal_stride) * temporal_stride
    seconds = tuple(float(group.mean()) for group in encoded.times[0].split(1 if at_frames else temporal_stride))
    return AttentionMap(layer, weights[0, :, : len(seconds), : len(seconds)], seconds[:queries], seconds[:keys])
