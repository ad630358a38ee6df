import jaxtyping
import pytest


@pytest.fixture
def without_type_checks():
    """They double the time; the tests of the packages check types."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
