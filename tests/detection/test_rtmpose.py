import colorsys

import cv2
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.detection import Detector, RTMPose, network
from poselift.detection.multipose import MultiPose
from poselift.detection.rtmpose import decode_simcc
from poselift.samples import demo_video
from poselift.skeleton import COCO17, COCO_WHOLEBODY23, HALPE26
from poselift.video import VideoReader

pytest.importorskip("onnx", reason="pip install 'poselift[dev]'")


from tests.detection.onnx_files import box_finder, mark_finder, passing_on

pytestmark = pytest.mark.slow

FRAME = (420, 640)
BOXES = [[40, 30, 190, 230], [300, 100, 440, 290], [460, 200, 620, 400]]


def colours(count):
    """RGB of as many different hues."""
    return np.array([colorsys.hsv_to_rgb(k / count, 1, 1) for k in range(count)]) * 255


def marked(count, seed):
    """A frame with somebody of so many marks in each box, one colour a joint, and where the marks are."""
    rng = np.random.default_rng(seed)
    frame, truth = np.zeros((*FRAME, 3), np.uint8), []
    for x0, y0, x1, y1 in BOXES:
        grid = np.stack(np.meshgrid(np.linspace(x0 + 9, x1 - 9, 6), np.linspace(y0 + 9, y1 - 9, 6)), -1)
        points = rng.permutation(grid.reshape(-1, 2))[:count].round().astype(int) + rng.integers(-2, 3, (count, 2))
        for point, colour in zip(points, colours(count), strict=True):
            cv2.circle(frame, point.tolist(), 6, colour.tolist(), -1)
        truth.append(points)
    return frame, np.array(truth)


@pytest.fixture
def people(tmp_path):
    """A person detector that finds the people in the boxes; for frames of the size above alone."""
    found = [[*box, 0.9 - 0.1 * k] for k, box in enumerate(BOXES)]
    return str(box_finder(tmp_path / "yolox.onnx", found, [0] * len(BOXES), size=FRAME[::-1]))


@pytest.fixture
def build(tmp_path, people):
    def build(joints=17, person_model=people, **form):
        chosen = colours(joints if joints < 100 else 23)
        unused = np.full((joints - len(chosen), 3), 20.0)
        model = mark_finder(tmp_path / "rtmpose.onnx", np.concatenate([chosen, unused]), **form)
        return RTMPose("cpu", str(model), person_model)

    return build


@pytest.mark.parametrize(
    ("joints", "skeleton", "form"),
    [(17, COCO17, {}), (26, HALPE26, {}), (133, COCO_WHOLEBODY23, {"size": (144, 192)})],
)
def test_marks_are_found_where_they_are(joints, skeleton, form, build):
    """To half a pixel of the picture, joint by joint in the order of the model's data set, in two frames."""
    detector = build(joints, **form)
    assert isinstance(detector, Detector)
    assert detector.skeleton == skeleton
    frames, truth = zip(*(marked(len(skeleton), seed) for seed in range(2)), strict=True)
    for found, points in zip(detector.detect(frames), truth, strict=True):
        assert len(found) == len(BOXES)
        np.testing.assert_allclose(found.boxes, BOXES)
        np.testing.assert_allclose(found.box_scores, [0.9, 0.8, 0.7], atol=1e-6)
        assert np.abs(found.keypoints - points).max() < 0.5
        assert ((found.scores > 0.7) & (found.scores < 0.8 + 1e-6)).all()


@pytest.mark.parametrize("batch", ["people", 1, 4])
def test_a_batch_is_its_people_one_by_one(batch, build, monkeypatch):
    """With models that take any number at a time, one, and four."""
    frames = [marked(17, seed)[0] for seed in range(3)]
    detector = build(17, batch=batch, size=(96, 128))
    sizes, session = [], detector._network._session

    class Recorder:
        def run(self, names, inputs):
            sizes.append(len(next(iter(inputs.values()))))
            return session.run(names, inputs)

    monkeypatch.setattr(detector._network, "_session", Recorder())
    together = detector.detect(frames)
    assert sizes == {"people": [9], 1: [1] * 9, 4: [4, 4, 4]}[batch]
    for found, frame in zip(together, frames, strict=True):
        (alone,) = detector.detect([frame])
        np.testing.assert_allclose(found.keypoints, alone.keypoints, atol=1e-9)
        np.testing.assert_allclose(found.scores, alone.scores, atol=1e-6)
    if batch == "people":
        sizes.clear()
        monkeypatch.setattr(network, "_AT_ONCE", 2)
        for found, again in zip(together, detector.detect(frames), strict=True):
            np.testing.assert_allclose(found.keypoints, again.keypoints, atol=1e-9)
        assert sizes == [2, 2, 2, 2, 1]
    assert detector.detect([]) == []


def test_without_a_person_model_movenet_finds_the_people(build):
    frame = next(iter(VideoReader(demo_video()))).image
    detector = build(17, person_model=None, size=(48, 64))
    (found,) = detector.detect([frame])
    boxes, _ = MultiPose("cpu").people(frame)
    assert len(found.boxes) > 0
    assert set(map(tuple, found.boxes)) <= set(map(tuple, boxes))
    assert set(detector.weights) == {"rtmpose.onnx", "movenet_multipose.onnx"}


def test_simcc_is_decoded_as_the_formula_says():
    """Against a loop over people, joints and places."""
    rng = np.random.default_rng(0)
    x, y = (rng.uniform(-0.2, 1, (3, 5, length)).astype(np.float32) for length in (24, 64))
    points, scores = decode_simcc(x, y, (12, 16))
    for person in range(3):
        for joint in range(5):
            best = [
                max(range(len(axis)), key=lambda place, axis=axis: axis[place])
                for axis in (x[person, joint], y[person, joint])
            ]
            assert points[person, joint].tolist() == [best[0] / 2, best[1] / 4]
            assert scores[person, joint] == min(x[person, joint, best[0]], y[person, joint, best[1]])


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ([1, 3, 8, 6], {"outputs": ("dets", "labels")}, "has the outputs dets, labels, not simcc_x, simcc_y"),
        (["b", 3, "h", "w"], {}, "has no fixed picture size"),
        ([1, 3, 8, 6], {}, r"simcc_x \(1, 3, 8, 6\) and simcc_y \(1, 3, 8, 6\) are not"),
    ],
)
def test_models_in_another_form_are_refused(shape, options, message, tmp_path):
    path = passing_on(tmp_path / "other.onnx", shape, **options)
    with pytest.raises(InputError, match=message) as refused:
        RTMPose("cpu", str(path))
    assert "other.onnx" in str(refused.value)


def test_outputs_are_known_by_their_names(build):
    frame, _ = marked(17, 0)
    expected = build(17).detect([frame])[0]
    found = build(17, order=("simcc_y", "simcc_x")).detect([frame])[0]
    np.testing.assert_array_equal(found.keypoints, expected.keypoints)
