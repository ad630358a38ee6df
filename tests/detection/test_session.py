import onnxruntime
import pytest

from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.detection import movenet
from poselift.detection.session import open_session

WEIGHTS = movenet._FOLDER / movenet._THUNDER


def test_missing_weights(tmp_path):
    with pytest.raises(InputError, match=r"gone\.onnx are missing"):
        open_session(tmp_path / "gone.onnx", "0", "cpu")


def test_damaged_weights(tmp_path):
    cut_off = tmp_path / "half.onnx"
    cut_off.write_bytes(WEIGHTS.read_bytes()[:1000])
    with pytest.raises(InputError, match=r"half\.onnx are damaged"):
        open_session(cut_off, sha256(WEIGHTS), "cpu")


def test_unknown_device():
    with pytest.raises(InputError, match="'tpu' is not one of auto, cpu, cuda"):
        open_session(WEIGHTS, sha256(WEIGHTS), "tpu")


@pytest.mark.skipif(
    "CUDAExecutionProvider" in onnxruntime.get_available_providers(), reason="this onnxruntime has CUDA"
)
def test_cuda_that_is_not_there():
    with pytest.raises(InputError, match="pip install onnxruntime-gpu"):
        open_session(WEIGHTS, sha256(WEIGHTS), "cuda")
    assert open_session(WEIGHTS, sha256(WEIGHTS), "auto").get_providers() == ["CPUExecutionProvider"]
