import pytest

from poselift.core.errors import InputError
from poselift.nn.attention.choices import choose


def test_a_choice_by_name():
    assert choose("letter", "alpha", {"alpha": 1, "beta": 2}) == 1


def test_an_error_names_the_nearest_and_lists_all():
    with pytest.raises(InputError, match=r"no letter is called 'alfa'; did you mean 'alpha'\? there are alpha, beta"):
        choose("letter", "alfa", {"alpha": 1, "beta": 2})
    with pytest.raises(InputError, match=r"no letter is called 'x'; there are alpha$"):
        choose("letter", "x", {"alpha": 1})
    with pytest.raises(InputError, match="there are none"):
        choose("letter", "x", {})
