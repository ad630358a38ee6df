import pytest

from poselift.nn.attention.local import LocalAttention


@pytest.mark.parametrize(("block", "reach"), [(4, 3), (3, 7), (40, 2)])
def test_agrees_with_the_formula(agrees_where, block, reach):
    def sees(i, j, head):
        first = i // block * block
        return first - reach <= j < first + block + reach

    agrees_where(LocalAttention, sees, block=block, reach=reach)
