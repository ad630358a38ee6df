import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.dot import DotAttention
from poselift.nn.attention.general import GeneralAttention


def test_agrees_with_the_formula(agrees):
    agrees(GeneralAttention, lambda layer, head, q, k, i, j: q @ (layer.weight[head] @ k))


def test_with_the_identity_it_is_the_dot_product():
    torch.manual_seed(0)
    dot, general = DotAttention(12, 3), GeneralAttention(12, 3)
    general.load_state_dict({**dot.state_dict(), "weight": torch.eye(4).expand(3, 4, 4)})
    tokens = torch.randn(2, 5, 12)
    torch.testing.assert_close(general(AttentionContext(tokens)), dot(AttentionContext(tokens)))
