"""The lifter with every attention mechanism, over time and over joints."""

from dataclasses import replace

import pytest
import torch

from poselift.core.errors import InputError
from poselift.models import LifterConfig, SpatioTemporalLifter
from poselift.models.encoding import pad_time
from poselift.nn.attention import ATTENTION, build_attention, takes_rotation
from poselift.nn.positions import LearnedPosition, SinusoidalTime
from tests.models.encoded_view import encode_view

FOR_JOINTS, FOR_TIME = {"hierarchical"}, {"co_attention"}


def build(**options):
    torch.manual_seed(0)
    sizes = {"joint_dim": 16, "joint_heads": 2, "frame_dim": 16, "dim": 16, "depth": 2, "heads": 2}
    positions = "rotary" if takes_rotation(options.get("attention", "scaled_dot")) else "sinusoidal"
    return SpatioTemporalLifter(LifterConfig(**sizes, **{"positions": positions, **options})).eval()


@pytest.fixture(scope="module")
def window(view):
    encoded = encode_view(view, frames=slice(12))
    mask = encoded.mask.clone()
    mask[:, 3:9, 6] = False
    mask[:, :, 20] = False
    return replace(encoded, mask=mask, coordinates=encoded.coordinates * mask[..., None], scores=encoded.scores * mask)


@pytest.mark.parametrize("name", ATTENTION)
def test_every_mechanism_works_in_the_lifter(name, window):
    chosen = {
        key: name for key, others in (("attention", FOR_JOINTS), ("joint_attention", FOR_TIME)) if name not in others
    }
    lifter = build(**chosen)
    out = lifter(window)
    assert out.shape == (1, 12, 17, 3)
    assert out.isfinite().all()
    for key, blocks in (("attention", lifter.time_blocks), ("joint_attention", lifter.joint_blocks)):
        assert {type(block.attention) for block in blocks} == {ATTENTION[chosen.get(key, "scaled_dot")]}


# One with a rotary code and one without; the other mechanisms' own tests show the same of each.
@pytest.mark.parametrize("name", ["scaled_dot", "additive", "fnet"])
def test_over_time(name, window):
    lifter = build(attention=name, temporal_stride=1)  # so that times enter nowhere but in the attention
    out = lifter(window)
    padded = lifter(pad_time(window, 8))[:, :12]
    assert torch.allclose(padded, out, atol=1e-5, rtol=1e-4) == (name != "fnet")  # which counts padding
    # Times count by their differences, whether they enter the scores or the tokens.
    later = lifter(replace(window, times=window.times + 2.0))
    torch.testing.assert_close(later, out, atol=1e-4, rtol=1e-3)
    assert not torch.allclose(lifter(replace(window, times=window.times * 3.0)), out, atol=1e-4)


def test_over_joints(window):
    """The same of plain attention is in test_lifter.py."""
    lifter = build(joint_attention="hierarchical")
    other = replace(
        window,
        coordinates=window.coordinates + 7.0 * ~window.mask[..., None],
        scores=window.scores + 0.5 * ~window.mask,
    )
    torch.testing.assert_close(lifter(other), lifter(window))
    # Joint 20 is nowhere in the window; beside one that has it, it is masked: the same result.
    whole = replace(window, mask=torch.ones_like(window.mask))
    both = type(window)(
        **{field: torch.cat((getattr(window, field), getattr(whole, field))) for field in window.__dataclass_fields__}
    )
    torch.testing.assert_close(lifter(both)[:1], lifter(window), atol=1e-5, rtol=1e-4)


def test_the_penalty_is_the_sum_over_layers():
    lifter = build(attention={"name": "adaptive_span", "max_span": 16, "span_weight": 0.1})
    assert lifter.penalty().item() == pytest.approx(len(lifter.time_blocks) * 0.1 * 2.0)
    assert build().penalty() is None


def test_a_mechanism_for_other_tokens_is_refused_when_the_lifter_is_built():
    with pytest.raises(InputError, match="any number of tokens"):
        build(attention="hierarchical")
    with pytest.raises(InputError, match="another number of joints than the 28 of cmu28"):
        build(joint_attention={"name": "hierarchical", "skeleton": "h36m17"})
    with pytest.raises(InputError, match="joint_attention=co_attention is for tokens that follow each other in time"):
        build(joint_attention="co_attention")


@pytest.mark.parametrize("spec", [*ATTENTION, *({"name": "hard", "score": name} for name in ("dot", "additive"))])
def test_what_takes_rotary_positions_is_known_before_it_is_built(spec):
    layers = build_attention(spec, 12, 2, 2)
    assert {layer.takes_rotation for layer in layers} == {takes_rotation(spec)}


@pytest.mark.parametrize(
    ("spec", "name"),
    [("fastformer", "fastformer"), ({"name": "local_predictive", "score": "deep"}, "local_predictive with score=deep")],
)
def test_positions_that_a_mechanism_cannot_take_are_refused_with_both_ways_out(spec, name):
    with pytest.raises(
        InputError,
        match=rf"attention={name} takes no rotary positions; set positions=sinusoidal \(or learned\), or choose a "
        "mechanism that takes them: similarity, dot, ",
    ):
        LifterConfig(attention=spec, positions="rotary")
    for positions, code in (("sinusoidal", SinusoidalTime), ("learned", LearnedPosition)):
        lifter = build(attention=spec, positions=positions)
        assert isinstance(lifter.time_code, code)
        assert lifter.rotary is None
