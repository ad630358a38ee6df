"""T-Fixup: Transformers that train without layer norm and without warm-up."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.blocks import FeedForward

INITS = ("default", "t_fixup")
"""Initialisations of a Transformer: PyTorch's own, or `t_fixup_`."""


def initialise_(
    init: str,
    norm: str,
    *,
    encoder: Iterable[Any] = (),
    decoder: Iterable[Any] = (),
    embeddings: Iterable[nn.Linear] = (),
) -> None:
    """Initialises the blocks of a Transformer in place.

    Args:
        init: one of `INITS`.
        norm: norm of the blocks, one of `poselift.nn.blocks.NORMS`.
        encoder: `EncoderBlock`s.
        decoder: `DecoderBlock`s.
        embeddings: layers that make the tokens of the blocks.

    Raises:
        InputError: no initialisation has this name, or it does not suit the norm or the attention.
    """
    if init not in INITS:
        raise InputError(f"init={init} is not known; choose {', '.join(INITS)}")
    if (init == "t_fixup") != (norm == "none"):
        raise InputError(
            f"init={init} does not suit norm={norm}: T-Fixup needs blocks without norm, and such blocks train only "
            "with it; choose both init=t_fixup and norm=none, or neither"
        )
    if init == "t_fixup":
        t_fixup_(encoder, decoder, embeddings)


def t_fixup_(encoder: Iterable[Any], decoder: Iterable[Any], embeddings: Iterable[nn.Linear]) -> None:
    """Initialises the blocks of a Transformer as T-Fixup does, in place.

    Huang et al. 2020, "Improving Transformer optimization through better initialization",
    https://proceedings.mlr.press/v119/huang20f.html:

    1. Matrices are drawn from Xavier's uniform distribution, and biases are 0.
    2. The value, output and feed-forward matrices of N encoder blocks are scaled by 0.67 N^(-1/4).
    3. Those of N decoder blocks are scaled by (9 N)^(-1/4), including cross attention.
    4. Embeddings are scaled by (9 N)^(-1/4), with the N of the deeper side. In a lifter these are the linear layers
       that make the tokens.

    Args:
        encoder: `EncoderBlock`s without norm.
        decoder: `DecoderBlock`s without norm; none in a model that only encodes.
        embeddings: layers that make the tokens of the blocks.

    Raises:
        InputError: an attention mechanism has no value and output projections.
    """
    encoder, decoder, embeddings = list(encoder), list(decoder), list(embeddings)
    for part in (*encoder, *decoder, *embeddings):
        for parameter in part.parameters():
            if parameter.ndim == 2:
                nn.init.xavier_uniform_(parameter)
        for module in part.modules():
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
    with torch.no_grad():
        for block in encoder:
            for matrix in (*_value_and_output(block.attention), *_matrices(block.feed_forward)):
                matrix.mul_(0.67 * len(encoder) ** -0.25)
        for block in decoder:
            parts = (block.attention, block.cross_attention)
            for matrix in (*(m for part in parts for m in _value_and_output(part)), *_matrices(block.feed_forward)):
                matrix.mul_((9 * len(decoder)) ** -0.25)
        for layer in embeddings:
            layer.weight.mul_((9 * max(len(encoder), len(decoder))) ** -0.25)


def _value_and_output(attention: nn.Module) -> list[Tensor]:
    """Matrices in which attention's output is linear: value and output projections."""
    for module in attention.modules():
        out = getattr(module, "out", None)
        for name in ("qkv", "kv", "value", "values"):
            values = getattr(module, name, None)
            if isinstance(values, nn.Linear) and isinstance(out, nn.Linear):
                # If one layer makes queries, keys and values, the values are its last rows.
                return [values.weight[-out.in_features :], out.weight]
    raise InputError(
        f"T-Fixup scales the value and output projections of attention, and {type(attention).__name__} lacks one; "
        "choose another mechanism or another initialisation"
    )


def _matrices(feed_forward: nn.Module) -> list[Tensor]:
    assert isinstance(feed_forward, FeedForward)
    return [layer.weight for layer in feed_forward if isinstance(layer, nn.Linear)]
