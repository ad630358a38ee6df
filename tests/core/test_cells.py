import pytest

from poselift.core.cells import escape_formula


@pytest.mark.parametrize("name", ["=1+1", "-x", "\t=1", "\uff1d1"])
def test_formulas_become_text(name):
    assert escape_formula(name) == f"'{name}"


@pytest.mark.parametrize("name", ["", "S1 = S2"])
def test_names_stay(name):
    assert escape_formula(name) == name
