import pytest

from poselift.core.cells import harmless


@pytest.mark.parametrize("name", ["=1+1", "+1", "-x", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1"])
def test_formulas_become_text(name):
    assert harmless(name) == f"'{name}"
