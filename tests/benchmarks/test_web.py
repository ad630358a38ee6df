import json
import re

import pytest

from benchmarks import web
from poselift.core.errors import InputError
from poselift.models import load_weights
from poselift.models.onnx_export import export_onnx


@pytest.mark.slow
@pytest.mark.usefixtures("needs_chromium")
def test_the_page_lifts_as_torch_does(tmp_path, capsys):
    """More frames than a window, joints by name, missing joints, and frames without anybody."""
    try:
        web.check_runtime()
    except InputError as error:
        pytest.skip(str(error))
    pytest.importorskip("onnxscript")
    sample = json.loads((web.WEB / "sample.json").read_text("utf-8"))
    sample["frames"] = (sample["frames"] * 2)[:200]
    sample["frames"][50:53] = [None] * 3
    sample["K"] = [[900.0, 0, 480], [0, 910, 270], [0, 0, 1]]
    keypoints = tmp_path / "clip.json"
    keypoints.write_text(json.dumps(sample))
    weights = load_weights("tiny")
    export_onnx(weights, tmp_path / "tiny.onnx")
    web.main(["--lifter", str(tmp_path / "tiny.onnx"), "--keypoints", str(keypoints), "--out", str(tmp_path)])
    status, differences = capsys.readouterr().out.splitlines()
    assert status.startswith("200 frames lifted by tiny")
    joints, uncertainty = map(float, re.findall(r"([\d.]+) mm", differences))
    assert 0 < joints < 0.1
    assert 0 < uncertainty < 0.1
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
