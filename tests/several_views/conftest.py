"""People who walk in a circle under virtual cameras."""

import pytest

from tests.several_views.stage import make_stage


@pytest.fixture(scope="session")
def alone():
    return make_stage()


@pytest.fixture(scope="session")
def pair():
    return make_stage(people=2)
