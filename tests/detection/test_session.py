import pytest

from poselift.core.errors import InputError
from poselift.core.onnx_runtime import onnxruntime
from poselift.core.registry import published
from poselift.detection.session import Session, open_session

WEIGHTS = published("movenet_thunder").path


@pytest.mark.parametrize("content", [WEIGHTS.read_bytes()[:1000], b"", b"no model"])
def test_what_is_no_model(content, tmp_path):
    path = tmp_path / "half.onnx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"half\.onnx cannot be used by onnxruntime: .") as refused:
        open_session(path, "cpu")
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(
    "CUDAExecutionProvider" in onnxruntime.get_available_providers(), reason="this onnxruntime has CUDA"
)
def test_cuda_that_is_not_there():
    for device in ("cuda", "cuda:1"):
        with pytest.raises(InputError, match=f"device {device}: .* pip install .onnxruntime-gpu"):
            open_session(WEIGHTS, device)
        with pytest.raises(InputError, match=f"device {device}: .* pip install .onnxruntime-gpu"):
            Session(WEIGHTS, device)
    assert open_session(WEIGHTS, "auto").get_providers() == ["CPUExecutionProvider"]
