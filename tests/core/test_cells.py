import pytest

from poselift.core.cells import escape_formula


@pytest.mark.parametrize("name", ["=1+1", "+1", "-x", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1"])
def test_formulas_become_text(name):
    assert escape_formula(name) == f"'{name}"


@pytest.mark.parametrize("name", ["", "ours", "S1 = S2", "1+1"])
def test_names_stay(name):
    assert escape_formula(name) == name
