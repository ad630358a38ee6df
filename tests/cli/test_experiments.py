"""Every experiment takes two steps and validates once, on small files in the formats of its data."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from poselift.cli.config import CONF
from poselift.cli.train import train
from poselift.models import load_weights
from tests.data.formats.h36m import write_h36m
from tests.data.formats.mpi_inf_3dhp import write_mpi_inf_3dhp_test, write_mpi_inf_3dhp_train
from tests.data.formats.surreal import write_surreal

EXPERIMENTS = sorted(path.stem for path in (Path(CONF) / "experiment").glob("[a-z]*.yaml"))
SMALL = [
    "trainer=smoke",
    "data.batch_size=4",
    "callbacks.ema.update_starting_at_step=0",
    *(f"model.{part}" for part in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")),
]
"""Two steps of a tiny lifter."""


def h36m(folder, cmu_files):
    write_h36m(folder)
    return [f"data.root={folder}"]


def mpi_inf_3dhp(folder, cmu_files):
    write_mpi_inf_3dhp_train(folder, {"S1/Seq1": 30})
    write_mpi_inf_3dhp_test(folder, {"TS1": 20, "TS5": 20})
    return [f"data.root={folder}"]


def surreal_to_h36m(folder, cmu_files):
    write_surreal(folder)
    write_h36m(folder)
    return [f"data.sources.surreal.root={folder}", f"data.sources.h36m.root={folder}"]


def cmu(folder, cmu_files):
    corpus, bench = cmu_files
    return [f"data.corpus={corpus}", f"data.bench={bench}"]


DATA = {"h36m": h36m, "mpi": mpi_inf_3dhp, "surreal": surreal_to_h36m, "cmu": cmu}
"""Writes an experiment's data and says where it is, by how the experiment's name begins."""


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_experiment_takes_two_steps(experiment, tmp_path, cmu_files):
    overrides = [*SMALL, *DATA[experiment.split("_")[0]](tmp_path, cmu_files), f"output={tmp_path / 'run'}"]
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", [f"experiment={experiment}", *overrides])
    assert config.name == experiment, "so that runs do not write over each other"
    train(config)
    weights = load_weights(tmp_path / "run" / f"{experiment}.safetensors")
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
    assert config.model.joints_in == "h36m17"
