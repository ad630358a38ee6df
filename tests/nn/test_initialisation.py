from contextlib import nullcontext

import pytest
import torch
from torch import nn

from poselift.core.errors import InputError
from poselift.models import EncoderDecoder, EncoderDecoderConfig, LifterConfig, SpatioTemporalLifter
from poselift.nn.attention import build_attention
from poselift.nn.blocks import DecoderBlock, EncoderBlock, FeedForward
from poselift.nn.initialisation import t_fixup_

DIM, DEPTH = 64, 6


def bound(rows, columns):
    """Of Xavier's uniform draw."""
    return (6 / (rows + columns)) ** 0.5


def largest(matrix):
    return float(matrix.detach().abs().max())


@pytest.fixture(scope="module")
def stacks():
    torch.manual_seed(0)
    encoder = [
        EncoderBlock(DIM, attention=layer, feed_forward=FeedForward(DIM, 4 * DIM), norm="none")
        for layer in build_attention("scaled_dot", DIM, 8, DEPTH)
    ]
    decoder = [
        DecoderBlock(DIM, attention=own, cross_attention=across, feed_forward=FeedForward(DIM, 4 * DIM), norm="none")
        for own, across in zip(
            build_attention("scaled_dot", DIM, 8, DEPTH, causal=True),
            build_attention("scaled_dot", DIM, 8, DEPTH, cross=True),
            strict=True,
        )
    ]
    embedding = nn.Linear(DIM, DIM)
    t_fixup_(encoder, decoder, [embedding])
    return encoder, decoder, embedding


def test_the_encoders_scale_is_the_papers(stacks):
    """0.67 N^(-1/4) on values, outputs and feed-forward; queries and keys are left as Xavier draws them."""
    scale = 0.67 * DEPTH**-0.25
    for block in stacks[0]:
        qkv = block.attention.qkv.weight
        assert largest(qkv[: 2 * DIM]) == pytest.approx(bound(DIM, 3 * DIM), rel=0.01)
        assert largest(qkv[2 * DIM :]) == pytest.approx(scale * bound(DIM, 3 * DIM), rel=0.01)
        assert largest(block.attention.out.weight) == pytest.approx(scale * bound(DIM, DIM), rel=0.01)
        for layer in (block.feed_forward[0], block.feed_forward[3]):
            assert largest(layer.weight) == pytest.approx(scale * bound(DIM, 4 * DIM), rel=0.01)
            assert not layer.bias.any()


def test_the_decoders_scale_is_the_papers(stacks):
    """(9 N)^(-1/4), in cross attention and embeddings too."""
    _, decoder, embedding = stacks
    scale = (9 * DEPTH) ** -0.25
    for block in decoder:
        for attention in (block.attention, block.cross_attention):
            assert largest(attention.qkv.weight[2 * DIM :]) == pytest.approx(scale * bound(DIM, 3 * DIM), rel=0.01)
            assert largest(attention.out.weight) == pytest.approx(scale * bound(DIM, DIM), rel=0.01)
        assert largest(block.feed_forward[0].weight) == pytest.approx(scale * bound(DIM, 4 * DIM), rel=0.01)
    assert largest(embedding.weight) == pytest.approx(scale * bound(DIM, DIM), rel=0.01)


@pytest.mark.parametrize(("mechanism", "has_values"), [("lsh", True), ("fnet", False), ("fastformer", False)])
def test_a_mechanism_without_values_is_refused(mechanism, has_values):
    (attention,) = build_attention(mechanism, 32, 4, 1)
    block = EncoderBlock(32, attention=attention, feed_forward=FeedForward(32, 64), norm="none")
    with nullcontext() if has_values else pytest.raises(InputError, match=type(attention).__name__):
        t_fixup_([block], [], [])


@pytest.mark.parametrize("norm", ["pre", "post", "none"])
def test_lifters_have_as_many_norms_as_they_say(norm):
    init = "t_fixup" if norm == "none" else "default"
    lifter = SpatioTemporalLifter(LifterConfig(dim=32, depth=2, heads=4, frame_dim=32, norm=norm, init=init))
    norms = [m for m in (*lifter.time_blocks.modules(), lifter.time_norm) if isinstance(m, nn.LayerNorm)]
    assert len(norms) == {"pre": 5, "post": 4, "none": 0}[norm]
    model = EncoderDecoder(EncoderDecoderConfig(dim=32, depth=2, heads=4, norm=norm, init=init))
    assert sum(isinstance(m, nn.LayerNorm) for m in model.modules()) == {"pre": 12, "post": 10, "none": 0}[norm]


@pytest.mark.parametrize("choice", [{"norm": "none"}, {"init": "t_fixup"}, {"init": "xavier"}, {"norm": "late"}])
def test_what_makes_no_sense_is_refused(choice):
    with pytest.raises(InputError, match=r"init=|norm=|no norm is called 'late'"):
        SpatioTemporalLifter(LifterConfig(dim=32, depth=1, heads=4, frame_dim=32, **choice))
