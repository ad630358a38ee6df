import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.adaptive_span import AdaptiveSpanAttention


def with_spans(*spans, max_span=16, ramp=4, **options):
    """A layer whose heads have these spans, in tokens."""
    torch.manual_seed(0)
    layer = AdaptiveSpanAttention(8, len(spans), max_span=max_span, ramp=ramp, **options).double()
    with torch.no_grad():
        layer.span_logits.copy_(torch.tensor(spans) / max_span).logit_()
    return layer


@pytest.mark.parametrize(("start", "ramp"), [(2.0, 3), (5.5, 1)])
def test_agrees_with_the_formula(agrees_where, start, ramp):
    def mechanism(*arguments, **keywords):
        layer = AdaptiveSpanAttention(*arguments, max_span=16, ramp=ramp, **keywords)
        with torch.no_grad():
            layer.span_logits.copy_(torch.tensor([start, 2 * start / 3]) / 16).logit_()
        return layer

    def sees(i, j, head):
        return min(max((ramp + (start, 2 * start / 3)[head] - abs(i - j)) / ramp, 0), 1)

    agrees_where(mechanism, sees)


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
