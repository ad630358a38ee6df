from dataclasses import replace

import numpy as np
import pytest

from benchmarks.made_worlds import Scene, hop, pedal, see, walk, walk_round
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.geometry import project
from poselift.lifting.prepare.exchanged_sides import (
    exchange,
    find_hidden_steps,
    find_unclear,
    follow_sides,
    group_pairs,
    short_runs,
)
from poselift.skeleton import CMU28, COCO17, COCO_WHOLEBODY23, H36M17
from poselift.structures import Keypoints2D


def named(skeleton, joints):
    return {skeleton.joints[joint] for joint in joints}


@pytest.mark.parametrize("skeleton", [COCO17, COCO_WHOLEBODY23, H36M17])
def test_groups_have_both_sides_of_each_pair_once(skeleton):
    body, *parts = group_pairs(skeleton)
    assert sorted(body) == sorted(joint for part in parts for joint in part)
    assert set(body) == {joint for joint in range(len(skeleton)) if skeleton.flip_indices[joint] != joint}
    for part in parts:
        assert {skeleton.flip_indices[joint] for joint in part} == set(part)
    assert {"left_knee", "right_ankle"} <= named(skeleton, parts[0])
    assert "left_wrist" in named(skeleton, parts[1])


def test_an_exchange_is_its_own_inverse(keypoints):
    frames = np.arange(len(keypoints)) % 3 == 1
    for joints in group_pairs(COCO17):
        changed = exchange(keypoints, frames, joints)
        assert ((changed.keypoints != keypoints.keypoints).any(-1).sum(0) > 0).sum() == len(joints)
        np.testing.assert_array_equal(exchange(changed, frames, joints).keypoints, keypoints.keypoints)


def planted(frames, kind):
    numbers = np.arange(frames)
    return {
        "single": numbers % 40 == 30,
        "spells of half a second": numbers % 60 < 15,
        "a third": np.random.default_rng(0).random(frames) < 1 / 3,
        "the end": numbers >= 0.6 * frames,
    }[kind]


@pytest.mark.parametrize("kind", ["single", "spells of half a second", "a third", "the end"])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_planted_exchanges_are_found(keypoints, kind, part):
    noise = np.random.default_rng(1).normal(0, 2.0, keypoints.keypoints.shape)  # 1 % of the body
    joints, frames = group_pairs(COCO17)[part], planted(len(keypoints), kind)
    given = exchange(replace(keypoints, keypoints=keypoints.keypoints + noise), frames, joints)
    found, stretches = follow_sides(given, joints, 0.2)
    assert not stretches.any()
    np.testing.assert_array_equal(found, frames)


@pytest.mark.slow
def test_nothing_is_found_where_nothing_was_exchanged():
    """Whatever the people do: walk, turn about, sit down, at 50, 25 and 12.5 frames a second."""
    for view in render_views(synthetic_corpus(4, 150, seed=5), seed=6):
        points = (view.joints + view.root[:, None])[:, CMU28.indices(list(COCO17.joints))]
        pixels = project(points.reshape(-1, 3), view.K).view(len(points), 17, 2).double().numpy()
        times, size = view.times.double().numpy(), tuple(int(side) for side in view.image_size)
        whole = Keypoints2D(pixels, np.full(pixels.shape[:2], 0.9), times, COCO17, size)
        for every in (1, 2, 4):
            for joints in group_pairs(COCO17):
                assert not follow_sides(whole[::every], joints, 0.2)[0].any()


@pytest.mark.parametrize("around_s", [0.4, 0.8, 3.0])
@pytest.mark.parametrize("fps", [12, 30])
def test_who_turns_about_keeps_the_sides(around_s, fps):
    """A body that turns once around its own axis, seen from the front."""
    times = np.arange(2 * fps) / fps
    angle = 2 * np.pi * np.clip((times - 0.5) / around_s, 0, 1)
    half = np.array([0.1, 0.18, 0.25]) * 300  # half widths of hips, shoulders and hands, pixels
    body = np.zeros((len(times), 17, 2)) + [320, 240]
    body[..., 1] += np.linspace(-150, 150, 17)
    for joint, name in enumerate(COCO17.joints):
        width = half[0 if name.endswith(("hip", "knee", "ankle")) else 2 if name.endswith("wrist") else 1]
        side = {"l": 1, "r": -1}.get(name[0], 0) if "_" in name else 0
        body[:, joint, 0] += side * width * np.cos(angle)
    body += np.random.default_rng(2).normal(0, 3, body.shape)
    keypoints = Keypoints2D(body, np.ones(body.shape[:2]), times, COCO17, (640, 480))
    for joints in group_pairs(COCO17):
        assert not follow_sides(keypoints, joints, 0.2)[0].any()


@pytest.mark.parametrize("heading", [0, 180])
@pytest.mark.parametrize(("body", "every"), [(walk, 1), (walk, 2), (walk_round, 2), (pedal, 2)])
def test_an_exchange_while_the_sides_hide_each_other_is_found(body, every, heading):
    """From the side, from the moment on in which the legs pass each other."""
    right = see(Scene("", body, heading, 10), noise=2.0)[0][::every]
    joints = group_pairs(COCO17)[0]
    others = [COCO17.flip_indices[joint] for joint in joints]
    apart = np.linalg.norm(right.keypoints[:, joints] - right.keypoints[:, others], axis=-1).mean(1)
    frames = len(right)
    first = frames // 4 + int(apart[frames // 4 : 3 * frames // 4].argmin())
    after = np.arange(frames) >= first
    found, _ = follow_sides(exchange(right, after, joints), joints, 0.2)
    assert not follow_sides(right, joints, 0.2)[0].any()
    assert min((found != after).sum(), (found == after).sum()) <= 1
    assert not find_hidden_steps(right, joints, 0.2).any()


def test_who_stands_still_in_profile_hides_an_exchange():
    right = see(Scene("", hop, 0, 10))[0]
    joints = group_pairs(COCO17)[0]
    given = exchange(right, np.arange(len(right)) >= 60, joints)
    assert not follow_sides(given, joints, 0.2)[0].any() or follow_sides(given, joints, 0.2)[0].sum() >= 55
    assert find_hidden_steps(right, joints, 0.2).any()


@pytest.mark.parametrize("other", [walk, hop])
@pytest.mark.parametrize("part", [0, 1, 2])
@pytest.mark.parametrize("frames", [60, 8])
def test_joints_that_are_taken_from_another_person_are_no_exchange(other, part, frames):
    """Two people beside each other, one going towards the camera: a detector gives one the joints of the other."""
    joints = group_pairs(COCO17)[part]
    right, taken = (see(Scene("", body, way, 10), seed)[0] for seed, body, way in ((0, walk, 90), (1, other, -90)))
    places = right.keypoints.copy()
    beside = (right.keypoints[:, [11, 12]] - taken.keypoints[:, [11, 12]]).mean(1, keepdims=True) + [80, 0]
    places[60 : 60 + frames, joints] = (taken.keypoints + beside)[60 : 60 + frames, joints]
    given = replace(right, keypoints=places)
    assert not follow_sides(given, joints, 0.2)[0].any()
    numbers = np.arange(len(given))
    exchanged = ((numbers >= 20) & (numbers < 26)) | (numbers == 45)
    np.testing.assert_array_equal(follow_sides(exchange(given, exchanged, joints), joints, 0.2)[0], exchanged)


@pytest.mark.parametrize(("body", "unclear"), [(hop, True), (walk, False), (pedal, False)])
def test_frequent_exchanges_of_somebody_in_profile_are_unclear(body, unclear):
    right = see(Scene("", body, 0, 10), noise=2.0)[0]
    joints = group_pairs(COCO17)[0]
    given = exchange(right, np.random.default_rng(0).random(len(right)) < 1 / 3, joints)
    assert (find_unclear(given, joints, 0.2) == unclear).all()
    assert not find_unclear(replace(right, scores=np.zeros_like(right.scores)), joints, 0.2).any()


def test_a_longer_gap_parts_two_stretches(keypoints):
    scores = keypoints.scores.copy()
    scores[60:80] = 0
    joints = group_pairs(COCO17)[0]
    given = exchange(replace(keypoints, scores=scores), np.arange(len(keypoints)) >= 70, joints)
    found, stretches = follow_sides(given, joints, 0.2)
    assert not found.any()
    assert (stretches[0], stretches[-1]) == (0, 1)


def test_short_runs():
    """A run at an end of a stretch has frames on one side only that tell."""
    flags, times = np.array([1, 1, 0, 1, 1, 1, 0, 1, 1], bool), np.arange(9) / 10
    stretch = np.zeros(9, int)
    assert short_runs(flags, times, stretch, 0.25, 0.15).tolist() == [1, 1, 0, 1, 1, 1, 0, 1, 1]
    assert short_runs(flags, times, stretch, 0.15, 0.15).tolist() == [1, 1, 0, 0, 0, 0, 0, 1, 1]
    assert short_runs(flags, times, stretch, 0.25, 0.05).tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0]
    stretch[6:] = 1
    assert short_runs(flags, times, stretch, 0.25, 0.05).tolist() == [0] * 9
