import pytest
import torch

from poselift.core.errors import InputError
from poselift.training.checkpoints import AtomicCheckpointIO, read_checkpoint
from tests.core.full_disk import full_disk


def checkpoint(value, size=200_000):
    return {"model": {}, "loops": {}, "state_dict": {"w": torch.full((size,), value)}, "global_step": 1}


@pytest.mark.parametrize(("room", "before"), [(0, False), (600_000, True)])
def test_a_full_disk_leaves_the_last_good_one_and_says_so(tmp_path, room, before):
    path = tmp_path / "last.ckpt"
    if before:
        AtomicCheckpointIO().save_checkpoint(checkpoint(1.0), path)
    earlier = "the earlier one is intact" if before else "there is no earlier one"
    with full_disk(room), pytest.raises(InputError, match=rf"^cannot write .*last\.ckpt \(.*\); {earlier}; free some"):
        AtomicCheckpointIO().save_checkpoint(checkpoint(2.0), path)
    assert [file.name for file in tmp_path.iterdir()] == ["last.ckpt"] * before
    assert not before or (read_checkpoint(path)["state_dict"]["w"] == 1).all()


def test_a_checkpoint_takes_the_place_of_the_last(tmp_path):
    for value in (1.0, 2.0):
        AtomicCheckpointIO().save_checkpoint(checkpoint(value), tmp_path / "checkpoints" / "last.ckpt")
    assert (read_checkpoint(tmp_path / "checkpoints" / "last.ckpt")["state_dict"]["w"] == 2).all()
    assert len(list((tmp_path / "checkpoints").iterdir())) == 1


@pytest.mark.parametrize("change", [{"global_step": 2}, {"more": None}, {"state_dict": {"w": torch.ones(200_000)}}])
def test_a_content_that_changed_is_refused(tmp_path, change):
    path = tmp_path / "last.ckpt"
    AtomicCheckpointIO().save_checkpoint(checkpoint(1.0 + 1e-6), path)
    content = torch.load(path, weights_only=True)
    torch.save(content, path)
    assert read_checkpoint(path)["global_step"] == 1
    torch.save(content | change, path)
    with pytest.raises(InputError, match="does not have its sha256"):
        read_checkpoint(path)


def test_what_is_not_a_checkpoint_is_refused(tmp_path):
    path = tmp_path / "x.ckpt"
    with pytest.raises(InputError, match="no such file"):
        read_checkpoint(path)
    with pytest.raises(InputError, match=r"is a folder; resume= takes a checkpoint, e\.g\. .*checkpoints/last\.ckpt"):
        read_checkpoint(tmp_path)
    path.write_bytes(b"nonsense")
    with pytest.raises(InputError, match="cannot be read as a checkpoint"):
        read_checkpoint(path)
    torch.save({"something": 1}, path)
    with pytest.raises(InputError, match=r"not a checkpoint of poselift train"):
        read_checkpoint(path)
    AtomicCheckpointIO().save_checkpoint(checkpoint(1.0), path)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(InputError, match="cannot be read as a checkpoint"):
        read_checkpoint(path)
