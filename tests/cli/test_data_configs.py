"""conf/data and conf/views: each config reads small files in its format, to train and to validate on."""

from functools import partial
from pathlib import Path

import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from poselift.cli.config import CONF
from poselift.skeleton import CMU28, H36M17
from poselift.training.objective import Objective
from tests.data.formats.aist import write_aist
from tests.data.formats.h36m import write_h36m, write_h36m_mmpose, write_h36m_motionbert
from tests.data.formats.humaneva import write_humaneva
from tests.data.formats.jta import write_jta
from tests.data.formats.mpi_inf_3dhp import (
    write_mpi_inf_3dhp_npz,
    write_mpi_inf_3dhp_test,
    write_mpi_inf_3dhp_train,
)
from tests.data.formats.pictures import write_coco, write_mpii
from tests.data.formats.pw3d import write_pw3d
from tests.data.formats.surreal import write_surreal
from tests.data.formats.totalcapture import write_totalcapture

pytestmark = pytest.mark.slow


def names(group):
    """The configs of a group, without those that others are made of."""
    return sorted(path.stem for path in (Path(CONF) / group).glob("[a-z]*.yaml"))


def mpi_inf_3dhp(folder):
    write_mpi_inf_3dhp_train(folder, {f"S{subject}/Seq{part}": 6 for subject in range(1, 9) for part in (1, 2)})
    write_mpi_inf_3dhp_test(folder, {f"TS{clip}": 6 for clip in range(1, 7)})


def mpi_inf_3dhp_npz(folder):
    write_mpi_inf_3dhp_npz(folder, {"S1 Seq1": 14}, {f"TS{clip}": 6 for clip in range(1, 7)})


def surreal(folder):
    write_surreal(folder, {f"{split}/run{run}/01_01/1": 12 for split in ("train", "val", "test") for run in range(3)})


WRITERS = {
    "aist": write_aist,
    "coco": write_coco,
    "h36m": partial(write_h36m, frames=14, some=3),
    "h36m_motionbert": partial(write_h36m_motionbert, frames=14, some=3),
    "h36m_mmpose": partial(write_h36m_mmpose, frames=14, some=3),
    "h36m_virtual": partial(write_h36m, frames=14, some=3),
    "humaneva": write_humaneva,
    "jta": write_jta,
    "mpi_inf_3dhp": mpi_inf_3dhp,
    "mpi_inf_3dhp_npz": mpi_inf_3dhp_npz,
    "mpii": write_mpii,
    "pw3d": write_pw3d,
    "surreal": surreal,
    "totalcapture": write_totalcapture,
    "totalcapture_virtual": write_totalcapture,
}
"""What writes the files of a dataset."""

DATASETS = [name for name in names("data") if name not in ("synthetic", "cmu", "mix")]
"""Those that are read from a folder. For the CMU corpus and synthetic data see test_train.py."""
PICTURES = ("coco", "mpii")
"""2D alone."""
VIEWS = {"surreal": 3, "mpi_inf_3dhp": 6, "mpi_inf_3dhp_npz": 6, "humaneva": 27, "pw3d": 1}
"""Views of the written files' test split, of some datasets."""
PELVIS = {**dict.fromkeys(DATASETS, "hips"), "cmu": "spine", "pw3d": "spine", "surreal": "spine", "synthetic": "hips"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Gives the folder with a dataset's files, which the first call writes."""
    written = {}

    def folder(name):
        if name not in written:
            place = tmp_path_factory.mktemp(name)
            WRITERS[name](place)
            written[name] = place
        return written[name]

    return folder


def data(*overrides):
    """The data module that the overrides give, set up."""
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", ["frames=12", *overrides, "data.batch_size=16", "data.batches=1"])
    module = instantiate(config.data, _convert_="all")
    module.setup("fit")
    return module


@pytest.mark.parametrize("name", [name for name in DATASETS if name not in PICTURES])
def test_a_dataset_is_read_to_train_and_to_validate_on(name, folders):
    module = data(f"data={name}", f"data.root={folders(name)}")
    assert module.pelvis == PELVIS[name]
    (batch,) = module.train_dataloader()
    assert batch.keypoints.shape == (16, 12, 28, 2)
    assert batch.joints.shape == (16, 12, 17, 3)
    known = batch.joints.isfinite().all(-1)
    assert 12 <= int(known.flatten(0, 1).any(0).sum()) <= 17
    assert 12 <= int((batch.scores > 0).flatten(0, 1).any(0).sum()) <= 28
    # People: every ankle is between 30 cm and 1.5 m from the pelvis.
    ankle = module.skeleton_out.index("left_ankle")
    reach = batch.joints[:, :, ankle].norm(dim=-1)[known[:, :, ankle]]
    assert float(reach.min()) > 0.3
    assert float(reach.max()) < 1.5
    view = next(iter(module.val_dataloader()))
    assert view.joints.shape[1:] == (17, 3)
    assert view.joints.isfinite().any()
    # Forward and back: each window teaches, and only by finite gradients.
    predicted = torch.randn(16, 12, 17, 3, generator=torch.Generator().manual_seed(0)).requires_grad_()
    losses = Objective({"position": 1.0, "velocity": 1.0}, CMU28, H36M17)(predicted, batch)
    (gradient,) = torch.autograd.grad(losses["loss"], predicted)
    assert gradient.isfinite().all()
    assert (gradient != 0).flatten(1).any(1).all()


@pytest.mark.parametrize("name", [name for name in names("views") if name not in ("cmu_bench", "made")])
def test_views_to_evaluate_on(name, folders):
    config = OmegaConf.load(Path(CONF) / "views" / f"{name}.yaml")
    assert OmegaConf.missing_keys(config) == {"root"}
    config.root = str(folders(name))
    views = instantiate(config)
    assert len(views) == VIEWS.get(name, len(views)) > 0
    assert len({view.name for view in views}) == len(views)
    for view in views:
        assert view.keypoints.shape == (len(view), len(view.keypoint_skeleton), 2)
        assert view.joints.shape == (len(view), len(view.skeleton), 3)
        assert (view.scores > 0).any()
    assert any(view.joints.isfinite().any() for view in views) == (name not in PICTURES)


@pytest.mark.parametrize("name", ["coco", "cmu", "synthetic"])
def test_where_the_pelvis_lies(name):
    with initialize_config_dir(CONF, version_base="1.3"):
        files = {"cmu": ["data.corpus=a.npz"], "synthetic": []}.get(name, ["data.root=DIR"])
        config = compose("train", [f"data={name}", *files, *["loss=with_2d"] * (name in PICTURES)])
    assert instantiate(config.data, _convert_="all").pelvis == (None if name in PICTURES else PELVIS[name])


def test_a_mix_as_its_config_says(folders):
    folder = folders("h36m")
    module = data(
        "data=mix",
        "+data@data.datasets.virtual=h36m_virtual",
        "+data@data.datasets.real=h36m",
        "data.weights={virtual: 1, real: 0}",
        "data.validate=real",
        f"data.datasets.virtual.root={folder}",
        f"data.datasets.real.root={folder}",
        "data.datasets.real.views.keypoints=gt",
    )
    (batch,) = module.train_dataloader()
    assert (batch.K[:, :2, 2] == 0.5 * batch.image_size).all(), "virtual cameras look through the picture's middle"
    view = next(iter(module.val_dataloader()))
    assert view.camera == "54138969"
    assert torch.equal(view.scores.unique(), torch.tensor([0.0, 1.0])), "1, and 0 for the joints that it lacks"
