"""RTMPose from ONNX beside the same model in mmpose."""

import numpy as np
import pytest
import torch
from torch import nn

from poselift.detection import RTMPose
from poselift.detection.mmpose.compat import silence

pytestmark = pytest.mark.slow

pytest.importorskip("onnx", reason="pip install 'poselift[dev]'")

CONFIG = "rtmpose-t_8xb1024-700e_body8-halpe26-256x192"
BOXES = [[100, 60, 330, 500], [400, 90, 600, 520], [-20, 300, 150, 600]]


class Exported(nn.Module):
    """What mmdeploy exports of a model: from normalised crops to the responses along the axes."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, crops):
        return self.model.head.forward(self.model.extract_feat(crops))


def test_an_exported_model_finds_what_it_finds_in_mmpose(build, pictures, tmp_path, monkeypatch):
    """With the same boxes in two frames: the crop, its normalisation, the decoding and the order of the joints."""
    reference = build(CONFIG)
    reference._pose.test_cfg["flip_test"] = False  # an exported model sees no mirrored pictures
    axes = {name: {0: "people"} for name in ("input", "simcc_x", "simcc_y")}
    with silence(), torch.inference_mode():
        torch.onnx.export(
            Exported(reference._pose).eval(),
            (torch.zeros(1, 3, 256, 192),),
            tmp_path / "rtmpose.onnx",
            dynamo=False,
            input_names=["input"],
            output_names=["simcc_x", "simcc_y"],
            dynamic_axes=axes,
        )
    detector = RTMPose("cpu", str(tmp_path / "rtmpose.onnx"))
    people = np.array(BOXES, float), np.full(len(BOXES), 0.9)
    monkeypatch.setattr(reference, "_find_people", lambda pictures: [people] * len(pictures))
    monkeypatch.setattr(detector._finder, "people", lambda frame: people)
    assert detector.skeleton == reference.skeleton
    for found, expected in zip(detector.detect(pictures[:2]), reference.detect(pictures[:2]), strict=True):
        assert np.isfinite(expected.keypoints).any()
        np.testing.assert_allclose(found.boxes, expected.boxes)
        np.testing.assert_allclose(found.scores, expected.scores, atol=1e-3)
        np.testing.assert_allclose(found.keypoints, expected.keypoints, atol=1e-2)
