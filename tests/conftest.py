"""What all tests share."""

from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no fault of the code's: tests never judge a time.
settings.register_profile("poselift", deadline=None)
settings.load_profile("poselift")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data beside the checkout; the test is skipped where it is not there."""
    folder = ROOT.parent / "shared"
    if not (folder / "data" / "cmu" / "cmu50.npz").is_file():
        pytest.skip("needs ../shared/data/cmu/cmu50.npz, which the project does not carry")
    return folder
