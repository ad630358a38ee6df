import os
import zipfile
from fractions import Fraction

import pytest
import torch

from poselift.core.errors import InputError
from poselift.core.torch_files import read_checkpoint_file, read_foreign_weights


@pytest.fixture
def saved(tmp_path):
    torch.save({"w": torch.ones(1000), "step": 3}, tmp_path / "a.ckpt")
    return tmp_path / "a.ckpt"


def test_one_flipped_bit_in_the_weights_is_found(saved):
    content = bytearray(saved.read_bytes())
    at = content.index(torch.ones(1000).numpy().tobytes()) + 2002
    content[at] ^= 64
    saved.write_bytes(content)
    assert torch.load(saved, weights_only=True)["w"].sum() != 1000, "PyTorch checks it itself"
    with pytest.raises(InputError, match=r"a\.ckpt cannot be read .*wrong check sum of .*data/0\); copy it again"):
        read_checkpoint_file(saved)


def test_other_files(saved, tmp_path):
    for content in (b"", b"text", saved.read_bytes()[:-100], saved.read_bytes()[:100]):
        (tmp_path / "b.ckpt").write_bytes(content)
        with pytest.raises(InputError, match=r"b\.ckpt cannot be read as a checkpoint"):
            read_checkpoint_file(tmp_path / "b.ckpt")
    torch.save([1], tmp_path / "b.ckpt")
    with pytest.raises(InputError, match="it holds a list"):
        read_checkpoint_file(tmp_path / "b.ckpt")


@pytest.mark.parametrize("content", [b"", b"x" * 500, bytes(range(256)), b"PK\x03\x04" + bytes(300)])
def test_weights_of_others_that_are_another_file(content, tmp_path):
    (tmp_path / "a.pth").write_bytes(content)
    with pytest.raises(InputError, match=r"PyTorch \(it is another kind of file, or cut short\); copy it again"):
        read_foreign_weights(tmp_path / "a.pth")


def test_no_error_advises_to_run_the_code_of_a_file(tmp_path):
    for content in (os.system, {"a": Fraction(1, 2)}):
        torch.save({"w": content}, tmp_path / "a.ckpt")
        with pytest.raises(InputError, match=r"it wants [\w.]+, which is no plain data") as caught:
            read_checkpoint_file(tmp_path / "a.ckpt")
        assert "weights_only" not in str(caught.value)


def test_a_bomb_is_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.ckpt", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/data.pkl", bytes(1 << 20))
    with pytest.raises(InputError, match="its parts are compressed"):
        read_checkpoint_file(tmp_path / "a.ckpt")
