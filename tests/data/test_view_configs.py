"""conf/views names loaders with arguments that they take, and its values are those that Hydra gives."""

from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from poselift.cli.config import CONF
from tests.data.formats.humaneva import write_humaneva
from tests.data.formats.mpi_inf_3dhp import write_mpi_inf_3dhp_npz, write_mpi_inf_3dhp_test
from tests.data.formats.pw3d import write_pw3d
from tests.data.formats.surreal import write_surreal


def write_humaneva_here(folder):
    write_humaneva(folder, frames=2)


def write_test_clips(folder):
    write_mpi_inf_3dhp_test(folder, {f"TS{number}": 2 for number in range(1, 7)})


def write_npz(folder):
    write_mpi_inf_3dhp_npz(folder, {"S1 Seq1": 2}, {f"TS{number}": 2 for number in range(1, 7)})


def write_runs(folder):
    write_surreal(folder, {f"test/run{run}/01_01/1": 2 for run in range(3)})


@pytest.mark.parametrize(
    ("name", "write", "count"),
    [
        ("surreal", write_runs, 3),
        ("mpi_inf_3dhp", write_test_clips, 6),
        ("mpi_inf_3dhp_npz", write_npz, 6),
        ("humaneva", write_humaneva_here, 27),
        ("pw3d", write_pw3d, 1),
    ],
)
def test_the_test_split_by_default(tmp_path, name, write, count):
    config = OmegaConf.load(Path(CONF) / "views" / f"{name}.yaml")
    assert OmegaConf.missing_keys(config) == {"root"}
    write(tmp_path)
    config.root = str(tmp_path)
    assert len(instantiate(config)) == count
