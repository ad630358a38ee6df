"""Every experiment takes two steps and validates once, on small files in the formats of its data."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import open_dict

from poselift.cli.config import CONF
from poselift.cli.train import train
from poselift.models import build_model, load_weights
from poselift.models.weights import shipped_weights
from poselift.reports.cost import example_window
from poselift.reports.counting import multiply_adds
from tests.data.formats.h36m import write_h36m
from tests.data.formats.mpi_inf_3dhp import write_mpi_inf_3dhp_test, write_mpi_inf_3dhp_train
from tests.data.formats.surreal import write_surreal

EXPERIMENTS = sorted(path.stem for path in (Path(CONF) / "experiment").glob("[a-z]*.yaml"))
SMALL = [
    "trainer=smoke",
    "data.batch_size=4",
    "callbacks.ema.start=0",
    *(f"model.{part}" for part in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")),
]
"""Two steps of a tiny lifter."""


@pytest.fixture(scope="module")
def datasets(tmp_path_factory):
    """A folder with small files of every dataset."""
    folder = tmp_path_factory.mktemp("datasets")
    write_h36m(folder, frames=30)
    write_mpi_inf_3dhp_train(folder, {f"S{subject}/Seq{part}": 6 for subject in range(1, 9) for part in (1, 2)})
    write_mpi_inf_3dhp_test(folder, {f"TS{clip}": 6 for clip in range(1, 7)})
    write_surreal(folder, {f"train/run{run}/01_01/1": 12 for run in range(3)})
    return folder


def places(experiment, datasets, cmu_files):
    """The overrides that say where an experiment's data is."""
    if experiment.startswith("cmu"):
        return [f"data.{key}={path}" for key, path in zip(("corpus", "bench"), cmu_files, strict=True)]
    if experiment == "surreal_to_h36m":
        return [f"data.sources.{name}.root={datasets}" for name in ("surreal", "h36m")]
    return [f"data.root={datasets}"]


# The warning is Lightning's own.
@pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_experiment_takes_two_steps(experiment, tmp_path, datasets, cmu_files, monkeypatch):
    where = [*places(experiment, datasets, cmu_files), f"output={tmp_path}"]
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", [f"experiment={experiment}", *SMALL, *where], return_hydra_config=True)
        monkeypatch.setattr(HydraConfig.instance(), "cfg", config.copy())
        with open_dict(config):
            del config["hydra"]
        train(config)
    assert config.name == experiment, "so that runs do not write over each other"
    weights = load_weights(tmp_path / f"{experiment}.safetensors")
    assert weights.window == config.frames
    assert weights.card["training"]["step"] == 2
    assert weights.card["training"]["val/mpjpe_subjects"] > 0


@pytest.mark.parametrize("keypoints", ["cpn", "gt"])
@pytest.mark.parametrize("frames", [27, 81, 243])
def test_the_rows_that_papers_compare(frames, keypoints):
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", [f"experiment=h36m_{frames}_{keypoints}", "data.root=DIR"])
    assert (config.frames, config.data.frames) == (frames, frames)
    assert config.data.views.keypoints == {"cpn": "cpn_ft_h36m_dbb", "gt": "gt"}[keypoints]
    assert config.data.train == {"split": "train"}
    assert config.data.val == {"split": "test"}
    assert config.model.skeleton_in == "h36m17"


def test_the_family_costs_what_it_says():
    """Multiply-adds a frame with COCO's joints in; the weights that are shipped are less than 40 MB."""
    for size, (least, most) in {"tiny": (0.5, 2), "small": (3, 7), "base": (30, 50), "large": (120, 180)}.items():
        with initialize_config_dir(CONF, version_base="1.3"):
            config = compose("train", [f"experiment=cmu_{size}", "data.corpus=FILE"])
        lifter = build_model(instantiate(config.model, _convert_="all")).eval()
        window = example_window(lifter.skeleton_in, config.frames, "coco17")
        assert least < multiply_adds(lambda lifter=lifter, window=window: lifter(window)) / config.frames / 1e6 < most
    assert 0 < sum(path.stat().st_size for path in shipped_weights().values()) < 40e6
