import re
import shlex
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from poselift.cli.config import CONF
from poselift.models import Lifter, build_model

PAGES = sorted((Path(__file__).parents[2] / "docs" / "attention").glob("*.md"))
COMMANDS = [
    command
    for page in PAGES
    for block in re.findall(r"^```\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    for command in re.findall(r"^python tools/train\.py (.*)$", block, re.MULTILINE)
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_pages_builds_its_lifter(command):
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", shlex.split(command, comments=True))
    assert isinstance(build_model(instantiate(config.model)), Lifter)
    assert callable(instantiate(config.schedule))
