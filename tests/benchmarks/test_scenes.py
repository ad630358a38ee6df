import numpy as np
import pytest

from benchmarks.scenes import _behind_others, make_scene
from poselift.skeleton import CMU28, COCO17


@pytest.fixture(scope="module")
def scene(corpus):
    return make_scene(corpus, people=4, seed=3, seconds=4.0, fps=20.0)


def equal(one, other):
    same = [np.array_equal(one.boxes, other.boxes, equal_nan=True)]
    for a, b in zip(one.detections, other.detections, strict=True):
        for key in ("boxes", "box_scores", "keypoints", "scores"):
            same.append(np.array_equal(getattr(a, key), getattr(b, key), equal_nan=True))
    same += [np.array_equal(a, b) for a, b in zip(one.owners, other.owners, strict=True)]
    return all(same)


def test_the_same_seed_makes_the_same_scene(corpus, scene):
    assert equal(scene, make_scene(corpus, people=4, seed=3, seconds=4.0, fps=20.0))
    assert not equal(scene, make_scene(corpus, people=4, seed=4, seconds=4.0, fps=20.0))


def test_who_is_in_sight_is_found_where_the_person_is(scene):
    found_of = missed = 0
    for t, (found, owners) in enumerate(zip(scene.detections, scene.owners, strict=True)):
        for person in np.flatnonzero(np.isfinite(scene.boxes[:, t, 0])):
            own = np.flatnonzero(owners == person)
            found_of, missed = found_of + len(own), missed + (len(own) == 0)
            size = (scene.boxes[person, t, 2:] - scene.boxes[person, t, :2]).max()
            for i in own:
                assert np.abs(found.boxes[i] - scene.boxes[person, t]).max() < 0.5 * size
                middle = np.nanmedian(found.keypoints[i], axis=0)
                assert (middle > scene.boxes[person, t, :2] - 0.3 * size).all()
                assert (middle < scene.boxes[person, t, 2:] + 0.3 * size).all()
    assert found_of > 200
    assert 0 < missed < 0.15 * found_of


def test_people_go_out_of_sight_and_come_back(corpus):
    back = 0
    for seed in range(3):
        for boxes in make_scene(corpus, people=3, seed=seed).boxes:
            there = np.isfinite(boxes[:, 0])
            back += int(np.sum(np.diff(there[there.argmax() :].astype(int)) == 1))
    assert back > 3


def test_the_nearer_body_hides_what_is_behind_it(corpus):
    joints, _ = corpus.clip(0)
    joints = joints[:1].double().numpy() * [1, -1, 1]
    near, far = joints + [0, 0, 4.0], joints * 0.5 + [0, 0, 8.0]
    aside = joints + [2.5, 0, 8.0]
    bodies = np.stack([far, near, aside])
    pixels = 1000 * bodies[..., :2] / bodies[..., 2:]
    hidden = _behind_others(pixels, bodies, 1000.0)
    # The small one behind is at a quarter of the scale: all of the joints lie around the nearer one's pelvis.
    assert hidden[0, 0, [COCO17.index("left_hip"), COCO17.index("right_hip")]].all()
    assert not hidden[1:].any()
    assert CMU28.joints[0] == "pelvis"  # whose depth says who is nearer
