import sys

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.detection import build_detector
from poselift.detection.mmpose import compat
from poselift.detection.mmpose.compat import mmpose_imports, nms


def overlap(a, b, offset):
    wide = min(a[2], b[2]) - max(a[0], b[0]) + offset
    high = min(a[3], b[3]) - max(a[1], b[1]) + offset
    area = [(box[2] - box[0] + offset) * (box[3] - box[1] + offset) for box in (a, b)]
    shared = max(wide, 0) * max(high, 0)
    return shared / (area[0] + area[1] - shared)


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("threshold", [0.2, 0.6])
def test_nms_is_the_loop_over_pairs(offset, threshold):
    rng = np.random.default_rng(0)
    corners = rng.uniform(0, 60, (80, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(5, 40, (80, 2))], axis=1).astype(np.float32)
    scores = rng.permutation(80).astype(np.float32)
    expected = []
    for index in np.argsort(-scores):
        if all(overlap(boxes[index], boxes[other], offset) <= threshold for other in expected):
            expected.append(index)
    kept = nms(torch.from_numpy(boxes), torch.from_numpy(scores), threshold, offset)
    assert kept.tolist() == expected
    assert 1 < len(expected) < 80
    assert len(nms(torch.zeros(0, 4), torch.zeros(0), threshold)) == 0


@pytest.mark.slow
def test_stand_ins_are_there_only_inside(installed):
    with mmpose_imports():
        from torchvision import transforms

        assert transforms.ToPILImage()(torch.zeros(3, 4, 5)).size == (5, 4)
        inside = {name: sys.modules[name] for name in compat._stand_ins()}
    for name, module in inside.items():
        assert sys.modules.get(name) is not module


def test_a_missing_mmpose_says_how_to_install_it(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "mmpose"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mmpose", None)
    with pytest.raises(InputError, match=r"run: bash tools/install_mmpose.sh"):
        build_detector("mmpose", "cpu")
