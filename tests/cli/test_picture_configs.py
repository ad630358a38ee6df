"""Pictures with 2D alone: trained on by themselves and in a mix with motion that has 3D."""

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from omegaconf import open_dict

from poselift.cli.config import CONF
from poselift.cli.train import train
from poselift.models import load_weights
from tests.data.formats.pictures import write_coco

pytestmark = pytest.mark.slow

SMALL = [
    "trainer=smoke",
    "data.batch_size=8",
    "frames=12",
    "callbacks.ema=null",
    *(f"model.{part}" for part in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")),
]
"""Two steps of a tiny lifter."""


def mix(name, folder, weight=1.0):
    """Synthetic walks and pictures of one dataset."""
    return [
        "data=mix",
        "+data@data.datasets.walk=synthetic",
        f"+data@data.datasets.{name}={name}",
        f"data.weights={{walk: 1, {name}: {weight}}}",
        "data.validate=walk",
        "data.datasets.walk.clips=4",
        f"data.datasets.{name}.root={folder}",
    ]


@pytest.fixture
def config_of():
    def build(*overrides):
        with initialize_config_dir(CONF, version_base="1.3"):
            return compose("train", [*SMALL, *overrides], return_hydra_config=True)

    return build


@pytest.fixture
def train_here(config_of, monkeypatch, tmp_path):
    """Trains in this process, as Hydra would have it; the weights."""

    def start(*overrides):
        config = config_of(f"output={tmp_path / 'run'}", *overrides)
        monkeypatch.setattr(HydraConfig.instance(), "cfg", config.copy())
        with open_dict(config):
            del config["hydra"]
        train(config)
        return load_weights(tmp_path / "run" / "lifter.safetensors")

    return start


# The warning is Lightning's own.
@pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")
@pytest.mark.parametrize("kind", ["alone", "mix"])
def test_pictures_take_two_steps(kind, tmp_path, train_here):
    """Alone they are masked too: with half of the frames hidden, half of the pictures are hidden whole."""
    write_coco(tmp_path / "data")
    alone = ["data=coco", f"data.root={tmp_path / 'data'}", "loss=pretrain", "masking.frames=0.5"]
    weights = train_here(*(alone if kind == "alone" else [*mix("coco", tmp_path / "data"), "loss=with_2d"]))
    assert weights.card["training"]["step"] == 2
    assert all(value.isfinite().all() for value in weights.lifter.state_dict().values())
