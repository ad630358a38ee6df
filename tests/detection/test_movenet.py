import itertools
from pathlib import Path

import av
import numpy as np
import pytest

from poselift.detection import Search, build_detector
from poselift.detection.movenet import FastMoveNet, MoveNet, choose_pose
from poselift.detection.session import Session

pytestmark = [pytest.mark.slow, pytest.mark.many_calls]

NETWORKS = ("movenet_multipose", "movenet_thunder")
ROOT = Path(__file__).parents[2]
CLIPS = [ROOT / "poselift" / "samples" / "two_people.mp4", ROOT.parent / "shared" / "samples" / "two_people.mp4"]


@pytest.fixture(scope="module")
def detector():
    return build_detector("movenet", "cpu")


@pytest.fixture(scope="module")
def pictures():
    clip = next((path for path in CLIPS if path.is_file()), None)
    if clip is None:
        pytest.skip("the demo clip is not there")
    with av.open(str(clip)) as container:
        wanted = [container.streams.video[0].frames // 4, container.streams.video[0].frames // 2]
        decoded = itertools.islice(enumerate(container.decode(video=0)), wanted[-1] + 1)
        return [frame.to_ndarray(format="rgb24") for index, frame in decoded if index in wanted]


@pytest.fixture(scope="module")
def found(detector, pictures):
    """Who is found in each picture."""
    return detector.detect(pictures)


def close(a, b, share=0.03):
    size = np.nanmax(np.ptp(a, axis=-2))
    return np.nanmedian(np.linalg.norm(a - b, axis=-1)) < share * size


def by_column(found):
    return np.argsort(found.boxes[:, 0])


def test_people_are_found_with_heads_above_feet(detector, found):
    found = found[0]
    assert len(found) == 2
    joints = detector.skeleton.indices(["left_ankle", "right_ankle"])
    for person in range(2):
        assert found.scores[person].mean() > 0.5
        assert found.keypoints[person, 0, 1] < found.keypoints[person, joints, 1].min()
        x0, y0, x1, y1 = found.boxes[person]
        middle = np.nanmean(found.keypoints[person], axis=0)
        assert x0 < middle[0] < x1
        assert y0 < middle[1] < y1


def test_a_batch_is_its_frames_one_by_one(detector, pictures, found):
    for together, frame in zip(found, pictures, strict=True):
        alone = detector.detect([frame])[0]
        np.testing.assert_array_equal(together.keypoints, alone.keypoints)
        np.testing.assert_array_equal(together.boxes, alone.boxes)


def test_a_mirrored_picture_has_left_and_right_swapped(detector, pictures, found):
    found = found[0]
    mirrored = detector.detect([np.ascontiguousarray(pictures[0][:, ::-1])])[0]
    assert len(found) == len(mirrored)
    expected = mirrored.keypoints[:, list(detector.skeleton.flip_indices)]
    expected[..., 0] = pictures[0].shape[1] - 1 - expected[..., 0]
    for one, other in zip(by_column(found), by_column(mirrored)[::-1], strict=True):
        assert close(found.keypoints[one], expected[other])


@pytest.mark.parametrize("turns", [1, 2])
def test_people_are_found_in_a_turned_picture(detector, pictures, found, turns):
    """A single picture has no past, so the detector itself looks for people who are turned."""
    picture, found = pictures[0], found[0]
    turned = detector.detect([np.ascontiguousarray(np.rot90(picture, turns))])[0]
    assert len(found) == len(turned)
    back, middle = np.array([[0, -1], [1, 0]]), (np.array(picture.shape[1::-1]) - 1) / 2
    points = turned.keypoints - (middle[::-1] if turns % 2 else middle)
    points = points @ np.linalg.matrix_power(back, turns).T + middle
    for person in found.keypoints:
        assert any(close(person, other) for other in points)


def test_somebody_who_fills_the_picture_is_one_person(detector, pictures, found):
    for picture, people in zip(pictures, found, strict=True):
        clear = np.flatnonzero(people.box_scores > 0.5)
        assert len(clear)
        for person in clear:
            x0, y0, x1, y1 = people.boxes[person].round().astype(int)
            left, top = max(x0 - 10, 0), max(y0 - 10, 0)
            alone = detector.detect([np.ascontiguousarray(picture[top : y1 + 10, left : x1 + 10])])[0]
            assert len(alone) == 1
            assert close(people.keypoints[person], alone.keypoints[0] + np.array([left, top]), share=0.05)


class Recorder(Session):
    """Stands in for a network: remembers what it was given and returns one person in the middle."""

    def __init__(self):
        pass

    def run(self, pictures):
        (self.given,) = pictures
        person = np.full((1, 1, 17, 3), 0.5)
        person[..., :2] += np.linspace(-0.1, 0.1, 17)[:, None]
        people = np.zeros((1, 6, 56))
        people[0, 0] = [*person.ravel(), 0.4, 0.4, 0.6, 0.6, 0.9]
        return people if self.given.shape[0] != 256 else person


def test_the_networks_are_given_rgb(monkeypatch):
    detector = build_detector("movenet", "cpu")
    multipose, thunder = Recorder(), Recorder()
    monkeypatch.setattr(detector._multipose, "_session", multipose)
    monkeypatch.setattr(detector, "_thunder", thunder)
    orange = np.broadcast_to(np.array([250, 120, 10], np.uint8), (180, 320, 3)).copy()
    assert len(detector.detect([orange])[0]) >= 1
    for network in (multipose, thunder):
        assert network.given[128, 128].tolist() == [250, 120, 10]


def test_a_gpu_gets_several_pictures_at_once_and_finds_the_same(monkeypatch, detector, pictures):
    """On the CPU, which runs the same graphs."""
    alone, picture = FastMoveNet("cpu"), pictures[0]
    for module in ("movenet", "multipose"):
        monkeypatch.setattr(f"poselift.detection.{module}.wants_cuda", lambda _: True)
    together, fast = MoveNet("cpu"), FastMoveNet("cpu")
    boxes = np.repeat(detector.search(picture, Search()).boxes, 3, axis=0)[:5]
    pairs = [[each.look(picture, boxes, np.linspace(0, 1, 5)) for each in (detector, together)]]
    pairs += zip(alone.detect([*pictures, picture]), fast.detect([*pictures, picture]), strict=True)
    for one, other in pairs:
        assert len(one) == len(other) > 0
        np.testing.assert_allclose(one.keypoints, other.keypoints, atol=1e-3)
        np.testing.assert_allclose(one.scores, other.scores, atol=1e-5)
    assert len(together.look(picture, np.zeros((0, 4)), np.zeros(0))) == 0
    assert len(fast.detect([picture, picture[:400]])) == 2
    assert {name for name in together.weights if "batch" in name} == {f"{n}_batch.onnx" for n in NETWORKS}


def test_thunder_replaces_multipose_unless_it_went_wrong():
    rng = np.random.default_rng(0)
    box = np.array([0.0, 0, 100, 200])
    found = np.concatenate([rng.uniform(0, 100, (17, 2)), np.full((17, 1), 0.6)], axis=-1)
    better = found + np.array([3.0, -2.0, 0.1])
    unsure, somebody_else = found - np.array([0, 0, 0.4]), found + np.array([80.0, 0, 0.2])
    assert choose_pose(found, better, box) is better
    assert choose_pose(found, unsure, box) is found
    assert choose_pose(found, somebody_else, box) is found


def test_a_look_shows_the_person_in_each_box(detector, pictures, found):
    found = found[0]
    boxes = detector.search(pictures[0], Search()).boxes
    assert len(boxes) == len(found)
    seen = detector.look(pictures[0], boxes, np.zeros(len(boxes)))
    assert len(seen) == len(boxes)
    for number in range(len(found)):
        assert min(np.nanmedian(np.linalg.norm(pose - found.keypoints[number], axis=-1)) for pose in seen.keypoints) < 2
    # One box goes through another session, on all cores.
    for number, box in enumerate(boxes):
        alone = detector.look(pictures[0], box[None], np.zeros(1))
        np.testing.assert_array_equal(alone.keypoints[0], seen.keypoints[number])
    assert len(detector.look(pictures[0], np.zeros((0, 4)), np.zeros(0))) == 0


def test_quick_searches_and_looks_show_nearly_the_same(detector, pictures):
    found, quick = (detector.search(pictures[0], Search(quick=quick)) for quick in (False, True))
    assert len(found) == len(quick)
    exact, near = (detector.look(pictures[0], found.boxes, np.zeros(len(found)), quick) for quick in (False, True))
    for one, other in ((found, quick), (exact, near)):
        apart = np.linalg.norm(one.keypoints - other.keypoints, axis=-1)
        assert 0 < np.nanmedian(apart) < 0.01 * np.ptp(one.boxes[:, [1, 3]], axis=1).max()
        np.testing.assert_allclose(other.box_scores, one.box_scores, atol=0.1)
