"""Streams beside files, over time: one file, because all tests push the same clip through the same helpers."""

from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.geometry import bone_lengths
from poselift.lifting import LiftOptions, StreamingPeople, lift
from poselift.lifting.live.sides_so_far import other_reading, part_columns
from poselift.lifting.live.streamed_person import StreamedPerson
from poselift.lifting.live.streaming import FORGOTTEN, lift_people
from poselift.lifting.network.torch_network import TorchNetwork
from poselift.lifting.prepare.gaps import MAX_GAP
from poselift.models import SpatioTemporalLifter
from poselift.skeleton import COCO17

pytestmark = pytest.mark.many_calls

SMALL = LiftOptions(flip=False, window=15)
BARE = LiftOptions(flip=False, window=15, refine=False, constant_bones=False)


def push_all(people, keypoints, rows=None):
    """What each push of person 1 returns for them."""
    rows = range(len(keypoints)) if rows is None else rows
    return [
        people.push({1: (keypoints.keypoints[k], keypoints.scores[k])}, float(keypoints.timestamps[k])).get(1)
        for k in rows
    ]


def rest(people):
    """The poses of person 1 at the end of the stream."""
    return [poses.get(1) for poses in people.flush()]


def lost(keypoints, *rows):
    values, scores = keypoints.keypoints.copy(), keypoints.scores.copy()
    values[list(rows)], scores[list(rows)] = np.nan, 0
    return replace(keypoints, keypoints=values, scores=scores)


def every(keypoints, step):
    """Every n-th frame of the keypoints alone."""
    rows = slice(None, None, step)
    return replace(
        keypoints,
        keypoints=keypoints.keypoints[rows],
        scores=keypoints.scores[rows],
        timestamps=keypoints.timestamps[rows],
    )


@pytest.fixture
def sure(weights):
    """Weights of a lifter that gives uncertainties."""
    return replace(weights, loaded=SpatioTemporalLifter(replace(weights.lifter.config, uncertainty=True)).eval())


@pytest.mark.parametrize("lookahead", [0, 3])
def test_each_push_gives_the_frame_of_lookahead_pushes_ago(keypoints, weights, camera, lookahead):
    people = StreamingPeople(weights, camera, COCO17, lookahead, SMALL)
    poses = push_all(people, keypoints[:30])
    assert poses[:lookahead] == [None] * lookahead
    poses = [*poses[lookahead:], *rest(people)]
    assert [pose.timestamp for pose in poses] == keypoints.timestamps[:30].tolist()
    assert not any(pose.interpolated for pose in poses)
    assert people.skeleton is weights.lifter.skeleton_out
    for k, pose in enumerate(poses):
        assert pose.joints.shape == (17, 3)
        np.testing.assert_array_equal(pose.keypoints, keypoints.keypoints[k])
        np.testing.assert_allclose(pose.positions, pose.joints + pose.root)
    assert people.flush() == []


def test_the_network_sees_the_frames_up_to_the_newest_only(keypoints, weights, camera):
    """The network's own poses are those of `lift` for the same frames; later frames change nothing."""
    people = StreamingPeople(weights, camera, COCO17, 2, BARE, smooth=False)
    for newest, pose in enumerate(push_all(people, keypoints[:25])):
        if newest in (20, 24):
            window = keypoints[newest - 14 : newest + 1]
            expected = lift(window, weights, camera, BARE)
            np.testing.assert_allclose(pose.joints, expected.joints[-3], atol=1e-5)
            np.testing.assert_allclose(pose.root, expected.root[-3], atol=2e-3)


@pytest.mark.parametrize("kind", ["plain", "slow", "every second frame empty"])
def test_a_lookahead_as_long_as_the_clip_gives_the_motion_of_lift(keypoints, sure, camera, monkeypatch, kind):
    """But for the bones, which a stream measures so far, and level feet, which it does not have."""
    monkeypatch.setattr("poselift.lifting.finish.finish_stage.level_feet", lambda motion: motion.joints)
    clip = {
        "plain": keypoints[:63],
        "slow": every(keypoints, 5),  # ten frames a second
        "every second frame empty": lost(keypoints[:63], *range(1, 63, 2)),
    }[kind]
    options = LiftOptions(flip=False, window=63, constant_bones=False)
    people = StreamingPeople(sure, camera, COCO17, len(clip) - 1, options, smooth=False)
    poses = [push_all(people, clip)[-1], *rest(people)]
    expected = lift(clip, sure, camera, options)
    assert [pose.timestamp for pose in poses] == clip.timestamps.tolist()
    assert [pose.interpolated for pose in poses] == expected.interpolated.tolist()
    for name, tolerance in (("joints", 1e-5), ("root", 1e-4), ("uncertainty", 1e-5)):
        found = np.stack([getattr(pose, name) for pose in poses])
        np.testing.assert_allclose(found, getattr(expected, name), atol=tolerance)


def test_the_window_of_a_slow_stream_has_the_frame_whose_pose_is_due(keypoints, weights, camera):
    """With frames between, the later frames alone are more than a window."""
    clip = every(keypoints, 5)
    person = StreamedPerson(weights, camera, COCO17, 14, BARE)
    for k in range(15):
        person.add(clip.keypoints[k], clip.scores[k], float(clip.timestamps[k]))
    window = person.next_window()
    assert window.keypoints.timestamps[0] <= clip.timestamps[0]
    lift_people([person], TorchNetwork(weights.lifter), 15, False)
    expected = lift(clip[:15], weights, camera, BARE)
    np.testing.assert_allclose(person.next_pose().joints, expected.joints[0], atol=1e-5)


@pytest.mark.slow
def test_bones_keep_a_length_that_settles(keypoints, weights, camera):
    def variation(constant):
        options = replace(SMALL, constant_bones=constant)
        poses = push_all(StreamingPeople(weights, camera, COCO17, 0, options), keypoints, range(80))[60:]
        joints = np.stack([pose.joints for pose in poses])
        return float(np.abs(np.diff(bone_lengths(joints, weights.lifter.skeleton_out.parent_indices), axis=0)).mean())

    assert variation(True) < 0.3 * variation(False)


@pytest.mark.slow
def test_poses_are_smoothed(keypoints, weights, camera):
    rough, smooth = (
        np.stack([pose.positions for pose in push_all(people, keypoints, range(40))])
        for people in (
            StreamingPeople(weights, camera, COCO17, 0, SMALL, smooth=smoothed) for smoothed in (False, True)
        )
    )
    assert np.abs(np.diff(smooth, 2, axis=0)).mean() < 0.7 * np.abs(np.diff(rough, 2, axis=0)).mean()


def test_frames_in_which_the_person_was_not_found_are_lifted_as_in_a_file(keypoints, weights, camera):
    """They get interpolated keypoints."""
    clip, options = lost(keypoints[:30], *range(1, 30, 2)), replace(BARE, window=29)
    poses = push_all(StreamingPeople(weights, camera, COCO17, 0, options, smooth=False), clip)
    expected = lift(clip[:29], weights, camera, options)
    np.testing.assert_allclose(poses[28].joints, expected.joints[-1], atol=1e-5)
    assert [pose.interpolated for pose in poses] == [k % 2 == 1 for k in range(30)]
    np.testing.assert_allclose(poses[29].joints, poses[28].joints, atol=1e-6)


def test_a_slow_stream_is_lifted_as_a_slow_clip(keypoints, weights, camera):
    """At ten detections a second the lifter gets interpolated frames between them, as in `lift`."""
    slow, options = every(keypoints[:60], 5), replace(BARE, window=23)
    pose = push_all(StreamingPeople(weights, camera, COCO17, 0, options, smooth=False), slow)[-1]
    np.testing.assert_allclose(pose.joints, lift(slow, weights, camera, options).joints[-1], atol=1e-5)


@pytest.mark.slow
def test_a_lost_person_keeps_the_last_pose_and_then_has_none(keypoints, sure, camera):
    keypoints = lost(keypoints, *range(40, 150))
    poses = push_all(StreamingPeople(sure, camera, COCO17, 0, SMALL, smooth=False), keypoints)
    last = keypoints.timestamps[39]
    for time, pose in zip(keypoints.timestamps[40:], poses[40:], strict=True):
        assert (pose is None) == (time > last + MAX_GAP)
        if pose is not None:
            assert pose.interpolated
            assert np.isnan(pose.keypoints).all()
            np.testing.assert_allclose(pose.joints, poses[39].joints, atol=1e-6)
            wider = 1 + 2 * min(time - last, MAX_GAP / 2)
            np.testing.assert_allclose(pose.uncertainty, wider * poses[39].uncertainty, rtol=1e-5)


def test_with_lookahead_a_gap_is_interpolated(keypoints, weights, camera):
    people = StreamingPeople(weights, camera, COCO17, 4, BARE)
    poses = [*push_all(people, lost(keypoints, 30, 31), range(50)), *rest(people)][4:]
    assert [k for k, pose in enumerate(poses) if pose.interpolated] == [30, 31]
    # The frame after the gap was known when the gap's poses were given.
    assert np.abs(poses[31].joints - poses[29].joints).max() > 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("pushed", [False, True])
def test_a_long_gap_starts_a_new_window(keypoints, weights, camera, pushed):
    """Frames before the gap do not reach the poses after it, nor the reverse, with or without frames in the gap.

    The windows are as long as tokens of four frames and the window's length allow.
    """
    gap, bare = range(30, 110), replace(BARE, window=63)
    people = StreamingPeople(weights, camera, COCO17, 2, bare, smooth=False)
    seen = [k for k in range(150) if k not in gap]
    rows = range(150) if pushed else seen
    found = [*push_all(people, lost(keypoints, *gap), rows), *rest(people)]
    poses = {pose.timestamp: pose for pose in found if pose and not pose.interpolated}
    assert len(poses) == len(seen)
    before, after = (
        lift(keypoints[rows], weights, camera, bare).joints[-1] for rows in (slice(3, 30), slice(111, 150))
    )
    np.testing.assert_allclose(poses[keypoints.timestamps[29]].joints, before, atol=1e-5)
    np.testing.assert_allclose(poses[keypoints.timestamps[149]].joints, after, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("fps", "stride"), [(60, 1), (100, 2)])
def test_fast_cameras_are_lifted_at_60_frames_a_second_or_less(keypoints, weights, camera, fps, stride):
    fast = replace(keypoints, timestamps=keypoints.timestamps * 50 / fps)
    person, network = StreamedPerson(weights, camera, COCO17, 0, BARE), TorchNetwork(weights.lifter)
    for k in range(100):
        person.add(fast.keypoints[k], fast.scores[k], float(fast.timestamps[k]))
        window = person.next_window()
        lift_people([person], network, 15, False)
        assert person.next_pose().timestamp == fast.timestamps[k]
    (segment,) = window.segments
    assert len(segment.times) == 15
    assert segment.motions == 1
    assert segment.times[-1] == fast.timestamps[99]
    np.testing.assert_allclose(np.diff(segment.times), stride / fps, rtol=1e-5)


def test_a_window_is_lifted_once(keypoints, weights, camera):
    """Without a new frame with keypoints there is nothing to lift."""
    person, network = StreamedPerson(weights, camera, COCO17, 0, BARE), TorchNetwork(weights.lifter)
    clip = lost(keypoints, 2, 3)
    for k in range(4):
        person.add(clip.keypoints[k], clip.scores[k], float(clip.timestamps[k]))
        assert (person.next_window() is None) == (k in (2, 3))
        lift_people([person], network, 15, False)
        assert person.next_window() is None
        assert person.next_pose().interpolated == (k in (2, 3))


@pytest.mark.slow
def test_people_are_lifted_together_as_they_are_alone(keypoints, weights, camera):
    people = StreamingPeople(weights, camera, COCO17, 2, SMALL)
    alone = {number: StreamingPeople(weights, camera, COCO17, 2, SMALL) for number in (1, 2)}
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


@pytest.mark.slow
@pytest.mark.parametrize(("every_nth", "fps"), [(5, 30), (1, 120)])
def test_memory_is_bounded(keypoints, weights, camera, every_nth, fps):
    """Whoever is seen in each frame, in a fifth of them, or once."""
    person, network = StreamedPerson(weights, camera, COCO17, 3, SMALL), TorchNetwork(weights.lifter)
    nobody, sizes = np.full((17, 2), np.nan), []
    for k in range(80):
        found = k % every_nth == 0
        person.add(keypoints.keypoints[k] if found else nobody, keypoints.scores[0] * found, k / fps)
        lift_people([person], network, 15, False)
        person.next_pose()
        sizes.append((len(person._frames), person.pending))
    stride = fps // 60 if fps > 60 else 1
    assert max(sizes) <= (2 * (15 * stride + 3), 3)
    assert (len(person._frames) <= 15 * stride + 3) or every_nth == 5


@pytest.mark.parametrize("unit", [1e3, 1e-3])
def test_timestamps_of_another_unit_are_refused_as_in_files(keypoints, weights, camera, unit):
    wrong = replace(keypoints, timestamps=keypoints.timestamps * unit)
    with pytest.raises(InputError, match="give seconds"):
        lift(wrong, weights, camera)
    people = StreamingPeople(weights, camera, COCO17, 0, SMALL)
    with pytest.raises(InputError, match="give seconds"):
        push_all(people, wrong, range(10))


@pytest.mark.slow
def test_joints_that_the_last_keypoints_do_not_show_are_marked(keypoints, weights, camera):
    people = StreamingPeople(weights, camera, COCO17, 0, SMALL)
    scores = keypoints.scores.copy()
    scores[30:, COCO17.index("left_ankle")] = 0
    scores[52:] = 0
    poses = push_all(people, replace(keypoints, scores=scores), range(60))
    ankle, wrist = (people.skeleton.index(f"left_{joint}") for joint in ("ankle", "wrist"))
    # 11 of the 15 frames of a window: fewer than 30 % show it.
    assert [bool(pose.seen[ankle]) for pose in poses] == [k < 40 for k in range(60)]
    # The person is lost after frame 51: the pose is held, and 0.15 s later it shows nothing.
    held = [k for k in range(60) if keypoints.timestamps[k] - keypoints.timestamps[51] > 0.15]
    assert held
    assert [bool(pose.seen[wrist]) for pose in poses] == [k not in held for k in range(60)]


def test_wrong_arguments_are_refused(keypoints, weights, camera):
    with pytest.raises(InputError, match="lookahead=15"):
        StreamingPeople(weights, camera, COCO17, 15, SMALL)
    with pytest.raises(InputError, match="lookahead=-1"):
        StreamingPeople(weights, camera, COCO17, -1, SMALL)
    people = StreamingPeople(weights, camera, COCO17, 0, SMALL)
    push_all(people, keypoints, [3])
    with pytest.raises(InputError, match="does not come after"):
        push_all(people, keypoints, [3])
    for time in (np.nan, np.inf):
        with pytest.raises(InputError, match="is no time; give seconds"):
            StreamingPeople(weights, camera, COCO17, 0, SMALL).push({}, time)
    with pytest.raises(InputError, match="keypoints has the shape"):
        people.push({1: (keypoints.keypoints[0, :5], keypoints.scores[0, :5])}, 9.0)
    assert 1 in people.push({1: (keypoints.keypoints[0], keypoints.scores[0])}, 9.0), "the refused push left no trace"


@pytest.mark.slow
def test_exchanged_sides_are_told_and_widen_the_uncertainty(keypoints, sure, camera):
    """A stream leaves them: `lift` has later frames, which tell more."""
    values, others = keypoints.keypoints.copy(), list(COCO17.flip_indices)
    values[40:] = values[40:][:, others]
    people = StreamingPeople(sure, camera, COCO17, options=LiftOptions(flip=False, window=31), smooth=False)
    poses = push_all(people, replace(keypoints, keypoints=values), range(65))
    assert people.exchanged == {1}
    pose = poses[60]
    other = other_reading(pose.joints, pose.root, list(people.skeleton.flip_indices))
    assert (pose.uncertainty >= np.linalg.norm(pose.joints - other, axis=-1) - 1e-6).all()
    assert people._people[1].sides.exchanged, "the newest frames have other sides than the first"
    right = StreamingPeople(sure, camera, COCO17, options=LiftOptions(flip=False, window=31), smooth=False)
    push_all(right, keypoints, range(65))
    assert right.exchanged == right.exchanged_parts == set()


@pytest.mark.slow
def test_exchanged_legs_are_told_and_widen_the_uncertainty_of_the_legs(keypoints, sure, camera):
    values, legs = keypoints.keypoints.copy(), part_columns(COCO17, "legs")
    values[20:28, legs] = values[20:28][:, [COCO17.flip_indices[joint] for joint in legs]]
    people = StreamingPeople(sure, camera, COCO17, options=LiftOptions(flip=False, window=31), smooth=False)
    pose = push_all(people, replace(keypoints, keypoints=values), range(40))[-1]
    assert (people.exchanged, people.exchanged_parts) == (set(), {(1, "legs")})
    ankles = people.skeleton.indices(["left_ankle", "right_ankle"])
    apart = np.linalg.norm(np.diff(pose.joints[ankles], axis=0))
    assert (pose.uncertainty[ankles] >= apart - 1e-6).all()
