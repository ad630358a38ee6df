"""Every experiment reads small files in the formats of its data; one of each kind takes two steps."""

from pathlib import Path

import pytest
from hydra.utils import instantiate

from poselift.cli.config import CONF
from poselift.models import build_model
from poselift.models.saved_weights import shipped_weights
from poselift.reports.cost import example_window
from poselift.reports.counting import multiply_adds
from tests.cli.running import NOTHING_WRITTEN, TINY_LIFTER, assert_complete, composed, two_steps
from tests.data.formats.h36m import write_h36m
from tests.data.formats.mpi_inf_3dhp import write_mpi_inf_3dhp_test, write_mpi_inf_3dhp_train
from tests.data.formats.surreal import write_surreal

pytestmark = pytest.mark.slow

EXPERIMENTS = sorted(path.stem for path in (Path(CONF) / "experiment").glob("[a-z]*.yaml"))


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
    if experiment in ("first", "overfit"):
        return []
    if experiment.startswith("cmu"):
        return [f"data.{key}={path}" for key, path in zip(("corpus", "bench"), cmu_files, strict=True)]
    if experiment == "surreal_to_h36m":
        return [f"data.datasets.{name}.root={datasets}" for name in ("surreal", "h36m")]
    return [f"data.root={datasets}"]


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_experiment_is_whole(experiment, datasets, cmu_files):
    with composed(f"experiment={experiment}", *places(experiment, datasets, cmu_files)) as config:
        assert_complete(config)
    assert config.name == experiment, "so that runs do not write over each other"


@pytest.mark.parametrize("experiment", ["cmu_newest", "cmu_pretrain", "h36m_27_cpn", "mpi_inf_3dhp", "surreal_to_h36m"])
def test_an_experiment_takes_two_steps(experiment, datasets, cmu_files):
    # Shipped weights do not fit so small a lifter.
    given = [f"experiment={experiment}", "init=null", *TINY_LIFTER, "data.batch_size=2", *NOTHING_WRITTEN]
    with composed(*given, *places(experiment, datasets, cmu_files)) as config:
        task, errors = two_steps(config)
    assert task.window == config.frames
    assert errors["val/mpjpe_subjects"] > 0


def test_overfit_trains_on_one_batch():
    with composed("experiment=overfit", "data.clips=2", "data.clip_frames=40", *NOTHING_WRITTEN) as config:
        assert (config.data.batches, config.trainer.reload_dataloaders_every_n_epochs) == (1, 0)
        data = instantiate(config.data, _convert_="all")
    data.setup("fit")
    loader = data.train_dataloader()  # Lightning keeps it for all epochs
    (first,), (second,) = loader, loader
    assert first.joints.equal(second.joints)
    assert first.keypoints.nan_to_num().equal(second.keypoints.nan_to_num())


def test_the_family_costs_what_it_says():
    """Multiply-adds a frame with COCO's joints in; the weights that are shipped are less than 40 MB."""
    for size, (least, most) in {"tiny": (0.5, 2), "small": (3, 7), "base": (30, 50)}.items():
        with composed(f"experiment=cmu_{size}", "data.corpus=FILE") as config:
            lifter = build_model(instantiate(config.model, _convert_="all")).eval()
        window = example_window(lifter.skeleton_in, config.frames, "coco17")
        macs = multiply_adds(lambda lifter=lifter, window=window: lifter.estimate(window)) / config.frames
        assert least < macs / 1e6 < most
    assert 0 < sum(path.stat().st_size for path in shipped_weights().values()) < 40e6
