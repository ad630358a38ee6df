from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from poselift.cli.config import CONF
from poselift.models import LifterConfig
from tests.cli.running import assert_complete

pytestmark = pytest.mark.slow

GROUPS = ["data", "masking", "loss", "trainer", "callbacks", "logger"]
"""Those whose choices other tests do not compose; for the others see test_every_name.py and test_experiments.py."""
CHOICES = [
    (group, path.stem)
    for group in GROUPS
    for path in sorted((Path(CONF) / group).glob("*.yaml"))
    if not path.stem.startswith("_")
]
PLACES = {
    "synthetic": [],
    "cmu": ["data.corpus=a.npz", "data.bench=b.npz"],
    "mix": ["+data@data.datasets.walk=synthetic", "data.validate=walk"],
}
"""Where the data is, by the name of its config; all others need the root of their data."""


@pytest.fixture(autouse=True)
def configs():
    with initialize_config_dir(CONF, version_base="1.3"):
        yield


@pytest.mark.parametrize(("group", "choice"), CHOICES)
def test_every_choice_composes(group, choice):
    overrides = [f"{group}={choice}"]
    if group == "data":
        overrides += PLACES.get(choice, ["data.root=DIR"])
    assert_complete(compose("train", overrides))


def test_the_config_of_the_model_is_its_defaults():
    """What conf/model/lifter.yaml adds to the dataclass, its attention and initialisation, changes nothing."""
    assert instantiate(compose("train").model) == LifterConfig()


def test_evaluate_composes():
    config = compose(
        "evaluate",
        ["protocol=cmu_bench", "data.corpus=a", "data.bench=b", "data.skeleton=coco17", "weights=x", "output=y"],
    )
    assert config.data.skeleton == "coco17"
