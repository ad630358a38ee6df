import pytest
import torch

from poselift.core.device import choose_device
from poselift.core.errors import InputError


@pytest.mark.parametrize("name", ["toaster", "cuda:x", "cuda:-1", ""])
def test_what_is_no_device(name):
    with pytest.raises(InputError, match="there is no device"):
        choose_device(name)


@pytest.mark.skipif(torch.cuda.is_available(), reason="PyTorch sees a GPU")
def test_without_a_gpu():
    assert choose_device("auto") == choose_device("cpu") == "cpu"
    for name in ("cuda", "cuda:1"):
        with pytest.raises(InputError, match=f"no GPU here for device {name}"):
            choose_device(name)


def test_a_gpu_by_number(monkeypatch):
    monkeypatch.setattr("poselift.core.device._has_gpu", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [choose_device(name) for name in ("auto", "cuda:1")] == ["cuda", "cuda:1"]
    with pytest.raises(InputError, match="PyTorch sees 2 GPUs"):
        choose_device("cuda:2")
