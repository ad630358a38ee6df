import pytest

from poselift.nn.attention.fixed import FixedAttention


@pytest.mark.parametrize(("block", "summaries"), [(5, 2), (30, 1)])
def test_agrees_with_the_formula(agrees_where, block, summaries):
    def sees(i, j, head):
        return i // block == j // block or j % block >= block - summaries

    agrees_where(FixedAttention, sees, block=block, summaries=summaries)
