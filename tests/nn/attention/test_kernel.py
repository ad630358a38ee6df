import pytest
import torch

from poselift.nn.attention.kernel import KernelAttention
from tests.nn.attention.formula import share


def elu(x):
    return torch.where(x > 0, x, x.exp() - 1) + 1


def relu(x):
    return x.clamp(min=0) + 0.001


@pytest.mark.parametrize(("name", "phi"), [("elu", elu), ("relu", relu)])
def test_agrees_with_the_formula(agrees, name, phi):
    agrees(KernelAttention, lambda layer, head, q, k, i, j: phi(q) @ phi(k), share, feature_map=name)
