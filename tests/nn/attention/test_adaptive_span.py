import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from poselift.core.errors import InputError
from poselift.nn.attention import AttentionContext
from poselift.nn.attention.adaptive_span import AdaptiveSpanAttention


def with_spans(*spans, max_span=16, ramp=4, **options):
    """A layer whose heads have these spans, in tokens."""
    torch.manual_seed(0)
    layer = AdaptiveSpanAttention(8, len(spans), max_span=max_span, ramp=ramp, **options).double()
    with torch.no_grad():
        layer.span_logits.copy_(torch.tensor(spans) / max_span).logit_()
    return layer


@pytest.mark.parametrize(("start", "ramp"), [(2.0, 3), (5.5, 1), (0.3, 4), (15.0, 9)])
def test_agrees_with_the_formula(agrees_where, start, ramp):
    def mechanism(*arguments, **keywords):
        layer = AdaptiveSpanAttention(*arguments, max_span=16, ramp=ramp, **keywords)
        with torch.no_grad():
            layer.span_logits.copy_(torch.tensor([start, 2 * start / 3]) / 16).logit_()
        return layer

    def sees(i, j, head):
        return min(max((ramp + (start, 2 * start / 3)[head] - abs(i - j)) / ramp, 0), 1)

    agrees_where(mechanism, sees)


@pytest.mark.parametrize("causal", [False, True])
def test_a_span_as_long_as_the_sequence_is_exact(is_exact, causal):
    assert is_exact(with_spans(30.0, 20.0, max_span=40, causal=causal).float())


def test_the_penalty_is_the_mean_span_and_shortens_the_longest():
    layer = with_spans(2.0, 12.0, span_weight=0.5)
    torch.testing.assert_close(layer.penalty().item(), 3.5)
    layer.penalty().backward()
    assert (layer.span_logits.grad > 0).all()
    fresh = AdaptiveSpanAttention(8, 2, max_span=64)
    torch.testing.assert_close(fresh.spans, torch.full((2,), 8.0))


def test_the_gradient_of_the_spans_is_that_of_differences():
    layer = with_spans(3.3, 7.6)
    tokens = torch.randn(1, 12, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))

    def loss(logits):
        return torch.func.functional_call(layer, {"span_logits": logits}, AttentionContext(tokens)).square().sum()

    assert torch.autograd.gradcheck(loss, layer.span_logits.detach().clone().requires_grad_(True))


def test_what_no_head_looks_at_is_not_computed():
    tokens = torch.randn(1, 256, 8, dtype=torch.float64)
    counts = []
    for span in (4.0, 60.0):
        with FlopCounterMode(display=False) as counter:
            with_spans(2.0, span, max_span=64)(AttentionContext(tokens))
        counts.append(counter.get_total_flops())
    assert counts[1] > 3 * counts[0]


@pytest.mark.parametrize("start", [4.0, 25.0])
def test_it_learns_how_far_to_look(start):
    """Where the mean of the last 12 tokens is wanted, the span comes to 12, less half of the ramp."""
    layer = with_spans(start, max_span=32, causal=True)
    with torch.no_grad():  # all tokens alike to a query, and values as they are
        layer.qkv.weight.copy_(torch.cat((torch.zeros(16, 8), torch.eye(8))))
        layer.out.weight.copy_(torch.eye(8))
        layer.qkv.bias.zero_(), layer.out.bias.zero_()
    tokens = torch.randn(4, 60, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    wanted = tokens.unfold(1, 12, 1).mean(-1)
    optimizer = torch.optim.Adam([layer.span_logits], lr=0.15)
    for _ in range(40):
        optimizer.zero_grad()
        (layer(AttentionContext(tokens))[:, 11:] - wanted).square().mean().backward()
        optimizer.step()
    assert 8.5 < layer.spans.item() < 11


@pytest.mark.parametrize("options", [{"max_span": 0}, {"ramp": 0}])
def test_options_out_of_range(options):
    with pytest.raises(InputError, match="max_span and ramp must be 1 or more"):
        AdaptiveSpanAttention(8, 2, **options)
