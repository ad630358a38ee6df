import pytest

from poselift.nn.attention.strided import StridedAttention


@pytest.mark.parametrize("stride", [3, 30])
def test_agrees_with_the_formula(agrees_where, stride):
    agrees_where(StridedAttention, lambda i, j, head: abs(i - j) <= stride or (i - j) % stride == 0, stride=stride)
