import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.detection.person_model import PersonModel

pytest.importorskip("onnx", reason="pip install 'poselift[dev]'")

from tests.detection.onnx_files import blue_finder, box_finder

THRESHOLDS = {"rtmdet": (200 - 103.53) / 57.375, "yolox": 200.0}
"""200 of 255 in blue, as each family has it."""


@pytest.mark.parametrize("family", THRESHOLDS)
@pytest.mark.parametrize(("height", "width"), [(360, 640), (500, 301), (100, 90)])
def test_boxes_come_back_to_the_picture(family, height, width, tmp_path):
    """From pictures wider, higher and smaller than the network's; normalised in the way of the family, blue first."""
    finder = PersonModel(blue_finder(tmp_path / f"{family}_m.onnx", THRESHOLDS[family]), "cpu")
    frame = np.full((height, width, 3), (255, 180, 190), np.uint8)  # red would be found in place of blue
    frame[height // 4 : height // 2, width // 3 : width // 2] = (10, 20, 250)
    boxes, scores = finder.people(frame)
    assert scores.tolist() == pytest.approx([0.9])
    truth = [[width // 3, height // 4, width // 2, height // 2]]
    np.testing.assert_allclose(boxes, truth, atol=1.5 * max(1, max(height, width) / 320))


def test_people_alone_are_taken_and_sure_ones(tmp_path):
    boxes = [
        [10, 10, 40, 60, 0.9],
        [11, 12, 30, 50, 0.8],
        [5, 5, 20, 20, 0.29],
        [-9, 30, 90, 33, 0.5],
        [7, 7, 7.5, 20, 1],
    ]
    path = box_finder(tmp_path / "yolox.onnx", boxes, [0, 16, 0, 0, 0])
    finder = PersonModel(path, "cpu")
    assert finder.weights == {"yolox.onnx": sha256(path)}
    found, scores = finder.people(np.zeros((64, 64, 3), np.uint8))
    np.testing.assert_allclose(found, [[10, 10, 40, 60], [0, 30, 63, 33]])
    np.testing.assert_allclose(scores, [0.9, 0.5])
    found, scores = finder.people(np.zeros((128, 64, 3), np.uint8))
    np.testing.assert_allclose(found[0], [20, 20, 63, 120])


@pytest.mark.parametrize("place", ["rtmdet_nano.onnx", "rtmdet-m/end2end.onnx", "yolox_m/20230831/end2end.onnx"])
def test_the_family_is_in_a_name(place, tmp_path):
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    PersonModel(box_finder(path, [], []), "cpu")


def test_models_in_another_form_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"rtmdet.onnx: no such file"):
        PersonModel(tmp_path / "rtmdet.onnx", "cpu")
    path = box_finder(tmp_path / "rtmdet.onnx", [[1, 1, 40, 40, 0.9]], [0, 1])
    with pytest.raises(InputError, match=r"dets \(1, 1, 5\) and labels \(1, 2\) are not"):
        PersonModel(path, "cpu")
