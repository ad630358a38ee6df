from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from poselift.cli.config import CONF
from poselift.models import LifterConfig

GROUPS = [
    *("model", "data", "optimizer", "schedule", "schedule/warmup", "masking", "loss", "trainer", "callbacks", "logger"),
    "experiment",
]
CHOICES = [
    (group, path.stem)
    for group in GROUPS
    for path in sorted((Path(CONF) / group).glob("*.yaml"))
    if not path.stem.startswith("_")
]
PLACES = {
    "synthetic": [],
    **{
        name: ["data.corpus=a.npz", "data.bench=b.npz"]
        for name in ("cmu", "cmu_tiny", "cmu_small", "cmu_base", "cmu_large", "cmu_pretrain")
    },
    "mix": ["+data@data.datasets.walk=synthetic", "data.validate=walk"],
    "surreal_to_h36m": ["data.datasets.surreal.root=DIR", "data.datasets.h36m.root=DIR"],
}
"""What data and experiments must be told, by their name; all others the root of their data."""


@pytest.fixture(autouse=True)
def configs():
    with initialize_config_dir(CONF, version_base="1.3"):
        yield


@pytest.mark.parametrize(("group", "choice"), CHOICES)
def test_every_choice_composes(group, choice):
    overrides = [f"{group}={choice}"]
    if group in ("data", "experiment"):
        overrides += PLACES.get(choice, ["data.root=DIR"])
    config = compose("train", overrides)
    assert OmegaConf.missing_keys(config) == set()
    OmegaConf.to_container(config, resolve=True)


def test_the_config_of_the_model_is_its_defaults():
    """conf/model/lifter.yaml and the dataclass say the same; whoever changes one changes both."""
    assert instantiate(compose("train").model) == LifterConfig()


def test_evaluate_composes():
    config = compose("evaluate", ["data.corpus=a", "data.bench=b", "data.skeleton=coco17", "weights=x", "output=y"])
    assert config.data.skeleton == "coco17"
