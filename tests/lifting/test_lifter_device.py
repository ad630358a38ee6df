import pytest

from poselift.core.errors import InputError
from poselift.detection.session import wants_cuda
from poselift.lifting.lifter_device import choose_lifter_device
from poselift.lifting.request import DetectorRequest


@pytest.fixture
def gpu(monkeypatch):
    """A machine with a GPU that PyTorch sees; returns what switches onnxruntime's CUDA on."""
    monkeypatch.setattr("poselift.core.device._has_gpu", lambda: True)
    monkeypatch.setattr("poselift.detection.session.has_nvidia_driver", lambda: True)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)

    def offer_cuda(names=("CUDAExecutionProvider", "CPUExecutionProvider")):
        monkeypatch.setattr("onnxruntime.get_available_providers", lambda: list(names))

    offer_cuda(["CPUExecutionProvider"])
    return offer_cuda


def test_auto_takes_the_gpu_where_the_detector_does(gpu):
    detectors = [DetectorRequest(name) for name in ("movenet", "movenet-fast", "rtmpose", "mmpose")]
    assert [choose_lifter_device("auto", "tiny", each) for each in detectors] == ["cpu", "cpu", "cpu", "cuda"]
    gpu()
    assert [choose_lifter_device("auto", "tiny", each) for each in detectors] == ["cpu", "cpu", "cuda", "cuda"]


def test_onnxruntime_with_cuda_stays_on_the_cpu_without_a_driver(gpu, monkeypatch):
    gpu()
    assert wants_cuda("auto")
    monkeypatch.setattr("poselift.detection.session.has_nvidia_driver", lambda: False)
    assert [wants_cuda(device) for device in ("auto", "cpu", "cuda")] == [False, False, True]


def test_a_device_that_is_named_and_weights_without_a_graph_take_the_gpu(gpu, tmp_path):
    assert choose_lifter_device("cuda:1", "tiny", DetectorRequest()) == "cuda:1"
    assert choose_lifter_device("auto", str(tmp_path / "own.safetensors"), DetectorRequest()) == "cuda"


def test_an_unknown_device_is_an_error():
    with pytest.raises(InputError, match="no device 'toaster'"):
        choose_lifter_device("toaster", "tiny", DetectorRequest())
