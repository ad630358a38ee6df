import shutil

import numpy as np
import onnxruntime

from benchmarks import quantize
from poselift.core.registry import published


def test_a_graph_that_opens_beside_its_weights(short_clip, tmp_path):
    quantize.main([str(short_clip), "--frames", "1", "--network", "movenet_thunder", "--out", str(tmp_path)])
    weights = published("movenet_thunder").path
    shutil.copy(weights, tmp_path)
    session = onnxruntime.InferenceSession(tmp_path / "movenet_thunder_int8.onnx")
    image = next(image for name, image in quantize.inputs([short_clip], 1) if name == "movenet_thunder")
    given = {session.get_inputs()[0].name: image[None].astype(np.int32)}
    own, whole = (each.run(None, given)[0] for each in (session, onnxruntime.InferenceSession(weights)))
    seen = whole[..., 2] > 0.3
    assert seen.any()
    assert np.abs(own - whole)[seen, :2].max() < 0.1
