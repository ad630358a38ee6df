"""Every training and evaluation command of the documentation composes, and its lifter can be built."""

import re
import shlex
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from poselift.cli.config import CONF
from poselift.models import Lifter, build_model

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^poselift (train|evaluate)\b *(.*)$", re.MULTILINE)


def commands_of(page: Path) -> list[tuple[str, list[str]]]:
    """The configs and overrides of a page's commands."""
    blocks = (block.replace("\\\n", " ") for language, block in BLOCK.findall(page.read_text("utf-8")) if not language)
    found = [
        (config, shlex.split(overrides, comments=True))
        for block in blocks
        for config, overrides in COMMAND.findall(block)
    ]
    return [(config, overrides) for config, overrides in found if "-m" not in overrides]  # sweeps need their plugins


@pytest.mark.parametrize("page", [page for page in PAGES if commands_of(page)], ids=lambda page: page.stem)
def test_the_commands_of_a_page_compose(page):
    with initialize_config_dir(CONF, version_base="1.3"):
        configs = [(name, compose(name, overrides)) for name, overrides in commands_of(page)]
    for name, config in configs:
        if name == "train":
            assert isinstance(build_model(instantiate(config.model)), Lifter)
            assert callable(instantiate(config.schedule))


def test_commands_are_found(tmp_path):
    page = tmp_path / "page.md"
    python = "```python\nimport poselift\n```\n"
    page.write_text(python + "```\nposelift train  # x\nposelift evaluate a=1 \\\n    b=2\n```\n`poselift train c=3`\n")
    assert commands_of(page) == [("train", []), ("evaluate", ["a=1", "b=2"])]
