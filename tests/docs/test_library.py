"""The service of docs/library.md runs, in threads; tests/test_type_checkers.py has type checkers read it."""

import re
from pathlib import Path

import pytest

from poselift.samples import demo_video
from poselift.structures import Recording

PAGE = Path(__file__).parents[2] / "docs" / "library.md"


@pytest.fixture(scope="module")
def service():
    """The code of the page's service."""
    return re.search(r"<!-- service -->\n```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]


def test_it_is_short(service):
    lines = [line for line in service.splitlines() if line.strip() and not line.startswith(("import", "from"))]
    assert len(lines) <= 40


@pytest.mark.slow
def test_it_lifts_and_says_what_is_wrong(service, tmp_path):
    space = {"__name__": "service"}
    exec(compile(service, "service.py", "exec"), space)
    broken = tmp_path / "broken.mp4"
    broken.write_text("no video")
    lifted, refused = space["serve"]([demo_video(), broken])
    assert isinstance(lifted, Recording)
    assert [motion.frame for motion in lifted.people] == ["world"]
    assert "broken.mp4" in refused
    assert "\n" not in refused
