import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention import AttentionContext, ScaledDotAttention
from tests.nn.attention.formula import scaled


def test_agrees_with_the_formula(agrees):
    agrees(ScaledDotAttention, lambda layer, *pair: scaled(*pair))


def test_agrees_with_torchs_own_module():
    torch.manual_seed(0)
    layer, own = ScaledDotAttention(12, 3), torch.nn.MultiheadAttention(12, 3, batch_first=True)
    own.load_state_dict(
        {
            "in_proj_weight": layer.qkv.weight,
            "in_proj_bias": layer.qkv.bias,
            "out_proj.weight": layer.out.weight,
            "out_proj.bias": layer.out.bias,
        }
    )
    tokens = torch.randn(2, 7, 12)
    expected, weights = own(tokens, tokens, tokens, average_attn_weights=False)
    torch.testing.assert_close(layer(AttentionContext(tokens)), expected)
    torch.testing.assert_close(layer.attention_map(AttentionContext(tokens)), weights)


def test_scores_that_can_be_negative_cannot_be_weights():
    with pytest.raises(InputError, match="proportional needs scores that are never negative"):
        ScaledDotAttention(12, 3, distribution="proportional")
