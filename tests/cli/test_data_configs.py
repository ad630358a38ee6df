"""conf/data: each config reads small files in its format, to train and to validate on."""

import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from poselift.cli.config import CONF
from tests.data.formats.h36m import write_h36m, write_h36m_mmpose, write_h36m_motionbert
from tests.data.formats.humaneva import write_humaneva
from tests.data.formats.mpi_inf_3dhp import (
    write_mpi_inf_3dhp_npz,
    write_mpi_inf_3dhp_test,
    write_mpi_inf_3dhp_train,
)
from tests.data.formats.pw3d import write_pw3d
from tests.data.formats.surreal import write_surreal


def data(*overrides):
    """The data module that the overrides give, set up."""
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", ["frames=12", *overrides, "data.batch_size=16", "data.batches=1"])
    module = instantiate(config.data, _convert_="all")
    module.setup("fit")
    return module


def mpi_inf_3dhp(folder):
    write_mpi_inf_3dhp_train(folder, {f"S{subject}/Seq{part}": 6 for subject in range(1, 9) for part in (1, 2)})
    write_mpi_inf_3dhp_test(folder, {f"TS{clip}": 6 for clip in range(1, 7)})


def mpi_inf_3dhp_npz(folder):
    write_mpi_inf_3dhp_npz(folder, {"S1 Seq1": 14}, {f"TS{clip}": 6 for clip in range(1, 7)})


def surreal(folder):
    write_surreal(folder, {f"{split}/run{run}/01_01/1": 12 for split in ("train", "val") for run in range(3)})


DATASETS = {
    "h36m": write_h36m,
    "h36m_motionbert": write_h36m_motionbert,
    "h36m_mmpose": write_h36m_mmpose,
    "h36m_virtual": write_h36m,
    "humaneva": write_humaneva,
    "mpi_inf_3dhp": mpi_inf_3dhp,
    "mpi_inf_3dhp_npz": mpi_inf_3dhp_npz,
    "pw3d": write_pw3d,
    "surreal": surreal,
}


@pytest.mark.parametrize("name", DATASETS)
def test_a_dataset_is_read_to_train_and_to_validate_on(name, tmp_path):
    DATASETS[name](tmp_path)
    module = data(f"data={name}", f"data.root={tmp_path}")
    (batch,) = module.train_dataloader()
    assert batch.keypoints.shape == (16, 12, 28, 2)
    assert batch.joints.shape == (16, 12, 17, 3)
    known = batch.joints.isfinite().all(-1)
    assert 12 <= int(known.flatten(0, 1).any(0).sum()) <= 17
    assert 12 <= int((batch.scores > 0).flatten(0, 1).any(0).sum()) <= 28
    # People: nobody's ankle is less than 30 cm or more than 1.5 m from the pelvis.
    ankle = module.skeleton_out.index("left_ankle")
    reach = batch.joints[:, :, ankle].norm(dim=-1)[known[:, :, ankle]]
    assert float(reach.min()) > 0.3
    assert float(reach.max()) < 1.5
    view = next(iter(module.val_dataloader()))
    assert view.joints.shape[1:] == (17, 3)
    assert view.joints.isfinite().any()


def test_a_mix_as_its_config_says(tmp_path):
    write_h36m(tmp_path)
    module = data(
        "data=mix",
        "+data@data.sources.virtual=h36m_virtual",
        "+data@data.sources.real=h36m",
        "data.weights={virtual: 1, real: 0}",
        "data.validate=real",
        f"data.sources.virtual.root={tmp_path}",
        f"data.sources.real.root={tmp_path}",
        "data.sources.real.views.keypoints=gt",
    )
    (batch,) = module.train_dataloader()
    assert (batch.K[:, :2, 2] == 0.5 * batch.image_size).all(), "virtual cameras look through the picture's middle"
    view = next(iter(module.val_dataloader()))
    assert view.camera == "54138969"
    assert torch.equal(view.scores.unique(), torch.tensor([0.0, 1.0])), "1, and 0 for the joints that it lacks"


def test_a_mix_without_sources_says_how_to_add_them():
    with pytest.raises(Exception, match=r"\+data@data\.sources\.NAME=NAME"):
        data("data=mix", "data.validate=walk")
