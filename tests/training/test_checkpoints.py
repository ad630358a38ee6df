import pytest
import torch

from poselift.core.errors import InputError
from poselift.training.checkpoints import AtomicCheckpointIO, read_checkpoint
from tests.core.full_disk import full_disk


def checkpoint(value, size=200_000):
    return {"model": {}, "loops": {}, "state_dict": {"w": torch.full((size,), value)}, "global_step": 1}


@pytest.mark.parametrize("room", [0, 600_000])
@pytest.mark.parametrize("before", [True, False])
def test_a_full_disk_leaves_the_last_good_one_and_says_so(tmp_path, room, before):
    path = tmp_path / "last.ckpt"
    if before:
        AtomicCheckpointIO().save_checkpoint(checkpoint(1.0), path)
    with full_disk(room), pytest.raises(InputError) as error:
        AtomicCheckpointIO().save_checkpoint(checkpoint(2.0), path)
    message = str(error.value)
    assert message.startswith(f"cannot write {path} (")
    assert "\n" not in message
    assert message.endswith("free some space and continue with resume=auto")
    if before:
        assert "the earlier one is intact" in message
        assert (read_checkpoint(path)["state_dict"]["w"] == 1).all()
    else:
        assert "there is no earlier one" in message
    assert [file.name for file in tmp_path.iterdir()] == (["last.ckpt"] if before else [])


def test_a_checkpoint_takes_the_place_of_the_last(tmp_path):
    for value in (1.0, 2.0):
        AtomicCheckpointIO().save_checkpoint(checkpoint(value), tmp_path / "checkpoints" / "last.ckpt")
    assert (read_checkpoint(tmp_path / "checkpoints" / "last.ckpt")["state_dict"]["w"] == 2).all()
    assert len(list((tmp_path / "checkpoints").iterdir())) == 1


@pytest.mark.parametrize("change", [{"global_step": 2}, {"more": None}])
def test_a_content_that_changed_is_refused(tmp_path, change):
    path = tmp_path / "last.ckpt"
    AtomicCheckpointIO().save_checkpoint(checkpoint(1.0), path)
    content = torch.load(path, weights_only=True)
    torch.save(content, path)
    assert read_checkpoint(path)["global_step"] == 1
    content["state_dict"]["w"][7] += 1e-7
    torch.save(content, path)
    with pytest.raises(InputError, match="does not have its sha256"):
        read_checkpoint(path)
    content["state_dict"]["w"][7] = 1.0
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
