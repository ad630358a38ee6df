"""Pictures with 2D alone: trained on by themselves and in a mix with motion that has 3D."""

from dataclasses import replace

import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import OmegaConf, open_dict

from poselift.cli.config import CONF
from poselift.cli.train import train
from poselift.models import load_weights
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.training.objective import Objective
from tests.data.formats.people import moving_person
from tests.data.formats.pictures import write_coco, write_mpii

pytestmark = pytest.mark.slow

SMALL = [
    "trainer=smoke",
    "data.batch_size=8",
    "frames=12",
    "callbacks.ema=null",
    *(f"model.{part}" for part in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")),
]
"""Two steps of a tiny lifter."""

WRITERS = {"coco": write_coco, "mpii": write_mpii}


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


@pytest.mark.parametrize("name", WRITERS)
def test_pictures_are_read_as_their_config_says(name, tmp_path, config_of):
    WRITERS[name](tmp_path)
    data = instantiate(config_of(f"data={name}", f"data.root={tmp_path}", "loss=with_2d").data, _convert_="all")
    data.setup("fit")
    batch = next(iter(data.train_dataloader()))
    assert (batch.valid.sum(1) == 1).all()
    assert (batch.scores > 0).any(-1)[batch.valid].all()
    assert next(iter(data.val_dataloader())).joints.isfinite().any()


@pytest.mark.parametrize("name", WRITERS)
def test_pictures_without_a_2d_loss_are_refused(name, tmp_path, train_here):
    with pytest.raises(Exception, match="add loss=with_2d"):
        train_here(f"data={name}", f"data.root={tmp_path}")


class TestWhatPicturesTeachInAMix:
    @pytest.fixture
    def mixed(self, config_of, tmp_path):
        """A batch of a mix, which of its windows are pictures, and a prediction: everybody stands, not quite right."""
        write_coco(tmp_path)
        config = config_of(*mix("coco", tmp_path), "loss=with_2d", "data.batch_size=16", "data.batches=1")
        data = instantiate(config.data, _convert_="all")
        data.setup("fit")
        (batch,) = data.train_dataloader()
        pictures = batch.valid.sum(1) == 1
        assert 0 < int(pictures.sum()) < 16
        assert torch.equal(pictures, batch.joints.isnan().all(-1).all(-1).all(-1)), "no joint in 3D, in all frames"
        standing = moving_person(H36M17.joints, 1)[0] * [1, -1, -1]
        standing = torch.from_numpy(standing - standing[0]).float()
        noise = 0.05 * torch.randn(16, 12, 17, 3, generator=torch.Generator().manual_seed(0))
        return batch, pictures, standing + noise, OmegaConf.to_container(config.loss)

    @staticmethod
    def gradient(weights, predicted, batch):
        """Of the weighted sum of losses, with respect to the prediction; and the losses."""
        predicted = predicted.clone().requires_grad_()
        losses = Objective(weights, CMU28, H36M17)(predicted, batch)
        return torch.autograd.grad(losses["loss"], predicted)[0], losses

    def test_no_3d_loss(self, mixed):
        """Position, velocity and the like are those of the other windows alone, and leave pictures as they are."""
        batch, pictures, predicted, weights = mixed
        in_3d = {name: weights[name] for name in ("position", "velocity", "scale_free", "bone_length")}
        gradient, losses = self.gradient(in_3d, predicted, batch)
        assert (gradient[pictures] == 0).all()
        assert (gradient[~pictures] != 0).any()
        rest = replace(batch, **{key: value[~pictures] for key, value in vars(batch).items() if value is not None})
        _, alone = self.gradient(in_3d, predicted[~pictures], rest)
        for name, value in alone.items():
            assert value.detach() > 0
            torch.testing.assert_close(losses[name], value)

    def test_the_gradient_changes_by_the_2d_loss(self, mixed):
        """Where a picture is, it is that of the reprojection loss alone, in the frame and the joints that were seen."""
        batch, pictures, predicted, weights = mixed
        weights = {**weights, "symmetry": 0.0}
        whole, losses = self.gradient(weights, predicted, batch)
        in_3d, losses_3d = self.gradient({**weights, "reprojection": 0.0}, predicted, batch)
        in_2d, losses_2d = self.gradient({"reprojection": 1.0}, predicted, batch)
        torch.testing.assert_close(whole, in_3d + 0.5 * in_2d)
        torch.testing.assert_close(losses["loss"], losses_3d["loss"] + 0.5 * losses_2d["loss"])
        moved = whole[pictures].norm(dim=-1) > 0
        seen = [joint in COCO17.joints for joint in H36M17.joints]
        assert torch.equal(moved[:, 0].any(0), torch.tensor(seen))
        assert not moved[:, 1:].any()
