import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.kernel import KernelAttention


def elu(x):
    return torch.where(x > 0, x, x.exp() - 1) + 1


def relu(x):
    return x.clamp(min=0) + 0.001


def share(scores):
    return scores / scores.sum()


@pytest.mark.parametrize(("name", "phi"), [("elu", elu), ("relu", relu)])
def test_agrees_with_the_formula(agrees, name, phi):
    agrees(KernelAttention, lambda layer, head, q, k, i, j: phi(q) @ phi(k), share, feature_map=name)


def test_the_product_in_the_other_order_is_the_same():
    """Linear attention: phi(q)' (sum of phi(k) v') / phi(q)' (sum of phi(k))."""
    torch.manual_seed(0)
    layer = KernelAttention(12, 3).double()
    tokens = torch.randn(2, 9, 12, dtype=torch.float64)
    q, k, v = layer.project(AttentionContext(tokens))
    mixed = (q @ (k.mT @ v)) / (q @ k.sum(2)[..., None])
    torch.testing.assert_close(layer(AttentionContext(tokens)), layer.out(mixed.transpose(1, 2).flatten(2)))
