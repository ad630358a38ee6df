from dataclasses import replace

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.geometry import bone_lengths
from poselift.lifting import LiftOptions, StreamingLifter, StreamingPeople, lift
from poselift.lifting.live.streamed_person import StreamedPerson
from poselift.lifting.live.streaming import FORGOTTEN, Network
from poselift.lifting.prepare.gaps import MAX_GAP
from poselift.skeleton import COCO17

SMALL = LiftOptions(flip=False, window=15)
BARE = LiftOptions(flip=False, window=15, refine=False, constant_bones=False)


def push_all(lifter, keypoints, rows=None):
    """What each push returns."""
    rows = range(len(keypoints)) if rows is None else rows
    return [lifter.push(keypoints.keypoints[k], keypoints.scores[k], float(keypoints.timestamps[k])) for k in rows]


def lost(keypoints, *rows):
    values, scores = keypoints.keypoints.copy(), keypoints.scores.copy()
    values[list(rows)], scores[list(rows)] = np.nan, 0
    return replace(keypoints, keypoints=values, scores=scores)


@pytest.mark.parametrize("lookahead", [0, 3])
def test_each_push_gives_the_frame_of_lookahead_pushes_ago(keypoints, weights, camera, lookahead):
    lifter = StreamingLifter(weights, camera, COCO17, lookahead, SMALL)
    poses = push_all(lifter, keypoints[:30])
    assert poses[:lookahead] == [None] * lookahead
    poses = [*poses[lookahead:], *lifter.flush()]
    assert [pose.timestamp for pose in poses] == keypoints.timestamps[:30].tolist()
    assert not any(pose.interpolated for pose in poses)
    assert lifter.skeleton is weights.lifter.skeleton_out
    for k, pose in enumerate(poses):
        assert pose.joints.shape == (17, 3)
        np.testing.assert_array_equal(pose.keypoints, keypoints.keypoints[k])
        np.testing.assert_allclose(pose.positions, pose.joints + pose.root)
    assert lifter.flush() == []


def test_the_network_sees_the_frames_up_to_the_newest_only(keypoints, weights, camera):
    """The network's own poses are those of `lift` for the same frames; later frames change nothing."""
    lifter = StreamingLifter(weights, camera, COCO17, 2, BARE, smooth=False)
    for newest, pose in enumerate(push_all(lifter, keypoints[:25])):
        if newest in (20, 24):
            window = keypoints[newest - 14 : newest + 1]
            expected = lift(window, weights, camera, BARE)
            np.testing.assert_allclose(pose.joints, expected.joints[-3], atol=1e-5)
            np.testing.assert_allclose(pose.root, expected.root[-3], atol=2e-3)


def test_a_large_lookahead_gives_the_motion_of_lift(keypoints, weights, camera):
    options = LiftOptions(flip=False, window=63, constant_bones=False)
    lifter = StreamingLifter(weights, camera, COCO17, 62, options, smooth=False)
    poses = [push_all(lifter, keypoints[:63])[-1], *lifter.flush()]
    expected = lift(keypoints[:63], weights, camera, options)
    np.testing.assert_allclose(np.stack([pose.joints for pose in poses]), expected.joints, atol=1e-4)
    np.testing.assert_allclose(np.stack([pose.root for pose in poses]), expected.root, atol=1e-3)


def test_bones_keep_a_length_that_settles(keypoints, weights, camera):
    def variation(constant):
        options = replace(SMALL, constant_bones=constant)
        poses = push_all(StreamingLifter(weights, camera, COCO17, 0, options), keypoints, range(80))[60:]
        skeleton = weights.lifter.skeleton_out
        lengths = bone_lengths(torch.from_numpy(np.stack([pose.joints for pose in poses])), skeleton.parent_indices)
        return float(lengths.diff(dim=0).abs().mean())

    assert variation(True) < 0.3 * variation(False)


def test_poses_are_smoothed(keypoints, weights, camera):
    rough, smooth = (
        np.stack([pose.positions for pose in push_all(lifter, keypoints, range(40))])
        for lifter in (
            StreamingLifter(weights, camera, COCO17, 0, SMALL, smooth=smoothed) for smoothed in (False, True)
        )
    )
    assert np.abs(np.diff(smooth, 2, axis=0)).mean() < 0.7 * np.abs(np.diff(rough, 2, axis=0)).mean()


def test_a_slow_stream_is_lifted_as_a_slow_clip(keypoints, weights, camera):
    """At ten looks a second the lifter gets interpolated frames between them, as in `lift`."""
    rows = range(0, 60, 5)
    slow = replace(
        keypoints,
        keypoints=keypoints.keypoints[rows],
        scores=keypoints.scores[rows],
        timestamps=keypoints.timestamps[rows],
    )
    options = replace(BARE, window=23)
    pose = push_all(StreamingLifter(weights, camera, COCO17, 0, options, smooth=False), slow)[-1]
    np.testing.assert_allclose(pose.joints, lift(slow, weights, camera, options).joints[-1], atol=1e-5)


def test_a_lost_person_keeps_the_last_pose_and_then_has_none(keypoints, weights, camera):
    keypoints = lost(keypoints, *range(40, 150))
    poses = push_all(StreamingLifter(weights, camera, COCO17, 0, SMALL, smooth=False), keypoints)
    end = keypoints.timestamps[39] + MAX_GAP
    for time, pose in zip(keypoints.timestamps[40:], poses[40:], strict=True):
        assert (pose is None) == (time > end)
        if pose is not None:
            assert pose.interpolated
            assert np.isnan(pose.keypoints).all()
            np.testing.assert_allclose(pose.joints, poses[39].joints, atol=1e-6)


def test_with_lookahead_a_gap_is_interpolated(keypoints, weights, camera):
    lifter = StreamingLifter(weights, camera, COCO17, 4, BARE)
    poses = [*push_all(lifter, lost(keypoints, 30, 31), range(50)), *lifter.flush()][4:]
    assert [k for k, pose in enumerate(poses) if pose.interpolated] == [30, 31]
    # The frame after the gap was known when the gap's poses were given.
    assert np.abs(poses[31].joints - poses[29].joints).max() > 1e-6


def test_a_long_gap_starts_a_new_window(keypoints, weights, camera):
    """Frames before the gap do not reach the poses after it, nor the reverse."""
    gap = range(30, 110)
    lifter = StreamingLifter(weights, camera, COCO17, 2, replace(BARE, window=63), smooth=False)
    seen = [k for k in range(150) if k not in gap]
    poses = {pose.timestamp: pose for pose in [*push_all(lifter, keypoints, seen), *lifter.flush()] if pose}
    assert len(poses) == len(seen)
    bare = replace(BARE, window=63)
    before, after = (
        lift(keypoints[rows], weights, camera, bare).joints[-1] for rows in (slice(3, 30), slice(111, 150))
    )
    np.testing.assert_allclose(poses[keypoints.timestamps[29]].joints, before, atol=1e-5)
    np.testing.assert_allclose(poses[keypoints.timestamps[149]].joints, after, atol=1e-5)


def test_fast_cameras_are_lifted_at_60_frames_a_second_or_less(keypoints, weights, camera):
    fast = replace(keypoints, timestamps=keypoints.timestamps / 4)  # 200 frames a second
    person, network = StreamedPerson(weights, camera, COCO17, 0, BARE), Network(weights, camera, False)
    for k in range(100):
        person.add(fast.keypoints[k], fast.scores[k], float(fast.timestamps[k]))
        window = person.next_window()
        network.lift([person])
        assert person.next_pose().timestamp == fast.timestamps[k]
    assert window is not None
    assert len(window.times) == 15
    assert window.times[-1] == fast.timestamps[99]
    np.testing.assert_allclose(np.diff(window.times), 4 / 200, rtol=1e-5)


def test_people_are_lifted_together_as_they_are_alone(keypoints, weights, camera):
    people = StreamingPeople(weights, camera, COCO17, 2, SMALL)
    alone = {number: StreamingLifter(weights, camera, COCO17, 2, SMALL) for number in (1, 2)}
    moved = replace(keypoints, keypoints=keypoints.keypoints + 20.0)
    for k in range(25):
        pushed = {1: keypoints} | ({2: moved} if k >= 10 else {})
        poses = people.push(
            {n: (one.keypoints[k], one.scores[k]) for n, one in pushed.items()}, keypoints.timestamps[k]
        )
        for number, one in pushed.items():
            (expected,) = push_all(alone[number], one, [k])
            assert (number in poses) == (expected is not None)
            if expected is not None:
                np.testing.assert_allclose(poses[number].joints, expected.joints, atol=1e-5)
                np.testing.assert_allclose(poses[number].root, expected.root, atol=1e-3)
    last = people.flush()
    assert [sorted(poses) for poses in last] == [[1, 2], [1, 2]]
    assert [poses[1].timestamp for poses in last] == keypoints.timestamps[23:25].tolist()
    assert people.flush() == []


def test_people_who_are_gone_are_forgotten(keypoints, weights, camera):
    people = StreamingPeople(weights, camera, COCO17, 0, SMALL)
    body = keypoints.keypoints[0], keypoints.scores[0]
    assert sorted(people.push({1: body}, 0.0)) == [1]
    poses = people.push({2: body}, 0.5)
    assert {number: pose.interpolated for number, pose in poses.items()} == {1: True, 2: False}
    assert sorted(people.push({2: body}, 2.0)) == [2]
    assert sorted(people._people) == [1, 2]
    people.push({2: body}, FORGOTTEN + 0.1)
    assert sorted(people._people) == [2]
    people.push({}, 2 * FORGOTTEN + 0.2)
    assert not people._people
    assert sorted(people.push({1: body}, 20.0)) == [1]


def test_memory_is_bounded(keypoints, weights, camera):
    person, network = StreamedPerson(weights, camera, COCO17, 3, SMALL), Network(weights, camera, False)
    sizes = []
    for k in range(100):
        person.add(keypoints.keypoints[k % 150], keypoints.scores[k % 150], k / 30)
        network.lift([person])
        person.next_pose()
        sizes.append((len(person._observed), len(person._waiting)))
    assert max(sizes) <= (15 + 3, 3)


def test_wrong_arguments_are_refused(keypoints, weights, camera):
    with pytest.raises(InputError, match="lookahead=15"):
        StreamingLifter(weights, camera, COCO17, 15, SMALL)
    with pytest.raises(InputError, match="lookahead=-1"):
        StreamingPeople(weights, camera, COCO17, -1, SMALL)
    lifter = StreamingLifter(weights, camera, COCO17, 0, SMALL)
    push_all(lifter, keypoints, [3])
    with pytest.raises(InputError, match="does not come after"):
        push_all(lifter, keypoints, [3])
    with pytest.raises(InputError, match="keypoints has the shape"):
        lifter.push(keypoints.keypoints[0, :5], keypoints.scores[0, :5], 9.0)
