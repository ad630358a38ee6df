import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention.strided import StridedAttention


@pytest.mark.parametrize("stride", [1, 3, 5, 30])
def test_agrees_with_the_formula(agrees_where, stride):
    agrees_where(StridedAttention, lambda i, j, head: abs(i - j) <= stride or (i - j) % stride == 0, stride=stride)


@pytest.mark.parametrize("causal", [False, True])
def test_as_long_as_the_sequence_it_is_exact(is_exact, causal):
    assert is_exact(StridedAttention(16, 2, causal=causal, stride=19))


def test_two_steps_lead_from_any_token_to_any_before_it():
    steps = StridedAttention(8, 2, stride=5).pattern(25, torch.device("cpu"))[0].tril().float()
    assert ((steps @ steps) > 0).equal(torch.ones(25, 25, dtype=torch.bool).tril())
    assert steps.sum() < 25 * 26 / 2


def test_options_out_of_range():
    with pytest.raises(InputError, match="stride must be 1 or more tokens, not 0"):
        StridedAttention(8, 2, stride=0)
