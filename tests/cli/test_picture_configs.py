"""Pictures with 2D alone: trained on by themselves and in a mix with motion that has 3D."""

import pytest

from poselift.models import load_weights
from tests.cli.running import TINY_LIFTER, trained
from tests.data.formats.pictures import write_coco

pytestmark = pytest.mark.slow

SMALL = ["trainer=smoke", "data.batch_size=8", "frames=12", "callbacks.ema=null", *TINY_LIFTER]
"""Two steps of a tiny lifter."""


MIX = [
    "data=mix",
    "+data@data.datasets.walk=synthetic",
    "+data@data.datasets.coco=coco",
    "data.weights={walk: 1, coco: 1}",
    "data.validate=walk",
    "data.datasets.walk.clips=4",
    "loss=with_2d",
]
"""Synthetic walks and pictures."""


# The warning is Lightning's own.
@pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")
@pytest.mark.parametrize("kind", ["alone", "mix"])
def test_pictures_take_two_steps(kind, tmp_path):
    """Alone they are masked too: with half of the frames hidden, half of the pictures are hidden whole."""
    write_coco(tmp_path / "data")
    alone = ["data=coco", f"data.root={tmp_path / 'data'}", "loss=pretrain", "masking.frames=0.5"]
    chosen = alone if kind == "alone" else [*MIX, f"data.datasets.coco.root={tmp_path / 'data'}"]
    trained(f"output={tmp_path / 'run'}", *SMALL, *chosen)
    weights = load_weights(tmp_path / "run" / "lifter.safetensors")
    assert weights.card["training"]["step"] == 2
    assert all(value.isfinite().all() for value in weights.lifter.state_dict().values())
