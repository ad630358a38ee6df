import numpy as np
import pytest

from benchmarks import duplicates
from benchmarks.duplicates import choose_parameters, count, half_guessed, median_rule, with_parameters
from poselift.data.scenes import make_scene
from poselift.detection.duplicates import PARAMETERS
from poselift.skeleton import COCO17
from poselift.structures import Detections


@pytest.fixture(scope="module")
def scene(corpus):
    return make_scene(corpus, people=3, seed=1, seconds=3.0)


def detections(shifts, box_scores):
    pose = 100 * np.random.default_rng(0).random((17, 2))
    poses = np.stack([pose + np.array([shift, 0.0]) for shift in shifts])
    boxes = np.tile([0.0, 0, 100, 100], (len(shifts), 1)) + np.array(shifts)[:, None] * [1, 0, 1, 0]
    return Detections(boxes, np.array(box_scores), poses, np.full(poses.shape[:2], 0.8), COCO17)


def test_the_median_rule_keeps_the_surest_of_each_person():
    assert median_rule(detections([0.0, 7.9, 60.0], [0.5, 0.9, 0.7])) == [1, 2]
    assert median_rule(detections([0.0, 8.1], [0.9, 0.5])) == [0, 1]
    apart = detections([0.0, 0.0], [0.9, 0.5])
    apart.keypoints[1, :8] += 1000  # 8 of 17: the median is with the others
    assert median_rule(apart) == [0]
    apart.keypoints[1] = np.nan
    assert median_rule(apart) == [0, 1]


def test_what_is_left_and_lost_is_counted(scene):
    people = sum(len(set(owners[owners >= 0])) for owners in scene.owners)
    doubles = sum((owners >= 0).sum() for owners in scene.owners) - people
    assert doubles > 0
    assert count([scene], lambda found: range(len(found))) == (doubles, doubles, people, 0)
    assert count([scene, scene], lambda found: []) == (2 * doubles, 0, 2 * people, 2 * people)


def test_parameters_are_chosen_by_what_they_leave_and_lose(scene, monkeypatch):
    monkeypatch.setattr(duplicates, "SIGMA_SCORES", (PARAMETERS.sigma_score,))
    monkeypatch.setattr(duplicates, "SIGMA_DISTANCES", (PARAMETERS.sigma_distance,))
    monkeypatch.setattr(duplicates, "SPATIALS", (PARAMETERS.spatial,))
    # The first drops whoever is near somebody, the last nobody.
    monkeypatch.setattr(duplicates, "THRESHOLDS", (0.001, 0.6, 0.999))
    low, middle, high = (PARAMETERS._replace(threshold=share * 1.25) for share in (0.001, 0.6, 0.999))
    assert count([scene], with_parameters(low)).lost > 10
    assert count([scene], with_parameters(high)).left > count([scene], with_parameters(middle)).left
    assert choose_parameters([scene]) == middle


def test_half_guessed_changes_only_who_is_found_twice(scene):
    changed = half_guessed(scene)
    number = 0
    for before, after, owners in zip(scene.detections, changed.detections, scene.owners, strict=True):
        for i in range(len(before)):
            if not np.array_equal(before.keypoints[i], after.keypoints[i], equal_nan=True):
                assert (owners == owners[i]).sum() > 1
                number += 1
    assert number > 0
