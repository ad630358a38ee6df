import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention.fixed import FixedAttention


@pytest.mark.parametrize(("block", "summaries"), [(4, 1), (5, 2), (3, 3), (1, 1), (30, 1)])
def test_agrees_with_the_formula(agrees_where, block, summaries):
    def sees(i, j, head):
        return i // block == j // block or j % block >= block - summaries

    agrees_where(FixedAttention, sees, block=block, summaries=summaries)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("options", [{"block": 19}, {"block": 3, "summaries": 3}])
def test_where_all_are_looked_at_it_is_exact(is_exact, causal, options):
    assert is_exact(FixedAttention(16, 2, causal=causal, **options))


def test_two_steps_lead_from_any_token_to_any_other_of_a_full_block():
    steps = FixedAttention(8, 2, block=5).pattern(25, torch.device("cpu"))[0].float()
    assert ((steps @ steps) > 0).all()
    assert steps.sum() == 25 * (5 + 4)


@pytest.mark.parametrize("options", [{"summaries": 0}, {"block": 2, "summaries": 3}])
def test_options_out_of_range(options):
    with pytest.raises(InputError, match="choose one summary or more"):
        FixedAttention(8, 2, **options)
