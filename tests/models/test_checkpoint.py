from dataclasses import asdict

import pytest
import torch

from poselift.core.errors import InputError
from poselift.models import LifterConfig, SpatioTemporalLifter
from poselift.models.checkpoint import load_checkpoint


@pytest.fixture
def checkpoint():
    lifter = SpatioTemporalLifter(LifterConfig(joint_dim=8, frame_dim=16, dim=16, depth=1, heads=2))
    return lifter, {
        "state_dict": {f"lifter.{key}": value for key, value in lifter.state_dict().items()},
        "model": {"name": "SpatioTemporalLifter", "config": asdict(lifter.config), "window": 16},
        "epoch": 3,
        "global_step": 40,
    }


def test_the_lifter_comes_back(checkpoint, tmp_path):
    lifter, content = checkpoint
    torch.save(content, tmp_path / "last.ckpt")
    weights = load_checkpoint(tmp_path / "last.ckpt")
    assert (weights.name, weights.window, weights.card["training"]) == ("last", 16, {"epoch": 3, "steps": 40})
    assert not weights.lifter.training
    assert weights.pelvis is None
    for key, value in lifter.state_dict().items():
        assert torch.equal(weights.lifter.state_dict()[key], value)


def test_it_says_where_the_pelvis_lies(checkpoint, tmp_path):
    _, content = checkpoint
    torch.save({**content, "model": {**content["model"], "pelvis": "hips"}}, tmp_path / "last.ckpt")
    assert load_checkpoint(tmp_path / "last.ckpt").pelvis == "hips"
    torch.save({**content, "model": {**content["model"], "pelvis": "nose"}}, tmp_path / "last.ckpt")
    with pytest.raises(InputError, match='pelvis is "nose"'):
        load_checkpoint(tmp_path / "last.ckpt")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"state_dict": {}}, "do not fit the lifter"),
        ({"state_dict": [3]}, "is not a checkpoint of a lifter"),
        ({"model": {}}, "is not a checkpoint of a lifter"),
        ({"epoch": ...}, "is not a checkpoint of a lifter"),
    ],
)
def test_what_is_no_checkpoint_is_refused(checkpoint, tmp_path, change, message):
    _, content = checkpoint
    path = tmp_path / "last.ckpt"
    torch.save({key: value for key, value in (content | change).items() if value is not ...}, path)
    with pytest.raises(InputError, match=rf"last\.ckpt is not a checkpoint of a lifter.*{message}|{message}"):
        load_checkpoint(path)


def test_damaged_files_and_weights_that_are_no_numbers_are_refused(checkpoint, tmp_path):
    _, content = checkpoint
    path = tmp_path / "last.ckpt"
    with pytest.raises(InputError, match="no such file"):
        load_checkpoint(path)
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be read as a checkpoint"):
        load_checkpoint(path)
    content["state_dict"]["lifter.token_in.bias"] = torch.full((16,), torch.nan)
    torch.save(content, path)
    with pytest.raises(InputError, match=r"is not a checkpoint of a lifter: the weights 'token_in\.bias' have NaN"):
        load_checkpoint(path)
