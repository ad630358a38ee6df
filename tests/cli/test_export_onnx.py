import pytest

from poselift.models import onnx_export
from tests.cli.running import poselift

pytestmark = pytest.mark.slow


def test_it_writes_the_file_and_prints_the_difference(tmp_path, monkeypatch):
    asked = []

    def export(weights, path, flip):
        asked.append((weights.name, flip))
        path.write_bytes(bytes(1_500_000))
        return 2e-6

    monkeypatch.setattr(onnx_export, "export_onnx", export)
    ran = poselift("export-onnx", tmp_path / "tiny.onnx", "--weights", "tiny")
    assert ran.out.endswith("1.5 MB; its joints differ from PyTorch's by at most 0.0020 mm\n")
    poselift("export-onnx", tmp_path / "tiny.onnx", "--no-flip")
    assert asked == [("tiny", True), ("small", False)]
