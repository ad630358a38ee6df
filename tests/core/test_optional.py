import pytest

from poselift.core.errors import InputError
from poselift.core.optional import require


def test_a_missing_package_names_the_extra():
    with pytest.raises(InputError, match=r"poselift\[nothing\]"):
        require("no_such_package_anywhere", "nothing")


def test_a_package_that_is_there_is_imported():
    assert require("json", "nothing").dumps([1]) == "[1]"
