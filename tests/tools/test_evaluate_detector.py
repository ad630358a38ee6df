import json

import cv2
import numpy as np
import pytest

from poselift.skeleton import COCO17, HALPE26
from poselift.structures import Detections
from tools.evaluate_detector import average_precision, main

pytest.importorskip("pycocotools", reason="comes with mmpose: bash tools/install_mmpose.sh")

SIZE = 120.0


@pytest.fixture
def data(tmp_path):
    """Four pictures of one grey level each, one person in each; the people by the grey level."""
    rng = np.random.default_rng(0)
    people = {50 * k: rng.uniform(20, 20 + SIZE, (17, 2)) for k in range(1, 5)}
    images, annotations = [], []
    for number, (grey, points) in enumerate(people.items()):
        cv2.imwrite(str(tmp_path / f"{number}.png"), np.full((200, 220, 3), grey, np.uint8))
        images.append({"id": number, "file_name": f"{number}.png", "width": 220, "height": 200})
        keypoints = np.column_stack([points, np.full(17, 2)]).ravel().tolist()
        person = {"id": number + 1, "image_id": number, "category_id": 1, "iscrowd": 0, "num_keypoints": 17}
        annotations.append(person | {"area": SIZE**2, "bbox": [20, 20, SIZE, SIZE], "keypoints": keypoints})
    categories = [{"id": 1, "name": "person"}]
    content = {"info": {}, "images": images, "annotations": annotations, "categories": categories}
    (tmp_path / "people.json").write_text(json.dumps(content))
    return tmp_path / "people.json", tmp_path, people


class Knowing:
    """A detector that knows who is in the picture, moves everyone by `error` pixels, and overlooks some."""

    name, skeleton, weights = "knowing", HALPE26, {}

    def __init__(self, people, error=0.0, overlooked=()):
        self.people, self.error, self.overlooked = people, error, overlooked

    def detect(self, frames):
        return [self.find(int(frame[0, 0, 0])) for frame in frames]

    def find(self, grey):
        count = 0 if grey in self.overlooked else 1
        keypoints = np.full((count, 26, 2), np.nan)
        keypoints[:, HALPE26.indices(COCO17.joints)] = self.people[grey] + [self.error, 0]
        return Detections(
            np.tile([20.0, 20, 140, 140], (count, 1)), np.full(count, 0.9), keypoints, np.ones((count, 26)), HALPE26
        )


def test_the_truth_scores_one(data):
    found = average_precision(Knowing(data[2]), *data[:2])
    assert found["AP"] == pytest.approx(1.0)
    assert found["AR"] == pytest.approx(1.0)


def test_an_error_counts_by_the_object_keypoint_similarity(data):
    """By hand: OKS = mean exp(-d² / (2 area (2 sigma)²)), and AP is the share of the thresholds that it passes."""
    sigmas = np.array([26, 25, 25, 35, 35, 79, 79, 72, 72, 62, 62, 107, 107, 87, 87, 89, 89]) / 1000
    error = 8.0
    oks = np.exp(-(error**2) / (2 * SIZE**2 * (2 * sigmas) ** 2)).mean()
    passed = np.mean(oks >= np.arange(0.5, 0.96, 0.05))
    assert 0.2 < passed < 0.9
    assert average_precision(Knowing(data[2], error), *data[:2])["AP"] == pytest.approx(passed)


def test_people_who_are_overlooked_lower_the_recall(data):
    assert average_precision(Knowing(data[2], overlooked=(50, 100)), *data[:2])["AR"] == pytest.approx(0.5)
    assert average_precision(Knowing(data[2], overlooked=(50, 100)), *data[:2], limit=3)["AR"] == pytest.approx(1 / 3)
    assert average_precision(Knowing(data[2], overlooked=tuple(data[2])), *data[:2])["AP"] == 0


def test_the_command_prints_a_table(data, capsys):
    main(["--annotations", str(data[0]), "--images", str(data[1]), "--detector", "movenet-fast", "--device", "cpu"])
    assert "AP .75     0.00" in capsys.readouterr().out
