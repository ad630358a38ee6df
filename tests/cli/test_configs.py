from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from poselift.cli.config import CONF
from poselift.models import LifterConfig
from tests.cli.running import assert_complete

pytestmark = pytest.mark.slow

GROUPS = ["masking", "loss", "trainer", "callbacks", "logger"]
"""Those whose choices other tests do not compose; see test_every_name.py, test_experiments.py, test_data_configs.py."""
CHOICES = [
    (group, path.stem)
    for group in GROUPS
    for path in sorted((Path(CONF) / group).glob("*.yaml"))
    if not path.stem.startswith("_")
]


@pytest.fixture(autouse=True)
def configs():
    with initialize_config_dir(CONF, version_base="1.3"):
        yield


@pytest.mark.parametrize(("group", "choice"), CHOICES)
def test_every_choice_composes(group, choice):
    assert_complete(compose("train", [f"{group}={choice}"]))


def test_the_config_of_the_model_is_its_defaults():
    """What conf/model/lifter.yaml adds to the dataclass, its attention and initialisation, changes nothing."""
    assert instantiate(compose("train").model) == LifterConfig()


def test_evaluate_composes():
    config = compose(
        "evaluate",
        ["protocol=cmu_bench", "data.corpus=a", "data.bench=b", "data.skeleton=coco17", "weights=x", "output=y"],
    )
    assert config.data.skeleton == "coco17"
