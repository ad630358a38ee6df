import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.kinematics.ground import find_ground
from poselift.kinematics.up import up_of_tilt
from poselift.lifting import StreamedPose, StreamingWorld
from poselift.lifting.live.live_stream import StreamRequest
from poselift.lifting.world.streaming_world import FIRST
from poselift.skeleton import CMU28
from tests.lifting.walking import render, walk

TIMES = np.arange(0, 10, 1 / 15)


@pytest.fixture(scope="module")
def rendered():
    joints, down = walk(TIMES)
    return render(joints, TIMES, down, roll=0.05, noise=0.02)


def pose(motion, row, interpolated=False):
    keypoints = motion.keypoints
    return StreamedPose(
        float(motion.timestamps[row]),
        motion.joints[row],
        motion.root[row],
        None,
        interpolated,
        keypoints.keypoints[row],
        keypoints.scores[row],
    )


def streamed(rendered, **kind):
    world = StreamingWorld(rendered.camera, CMU28, CMU28)
    return world, [world.push({5: pose(rendered.motion, row, **kind)}) for row in range(len(TIMES))]


def test_the_ground_is_found_in_the_first_seconds_and_refined(rendered):
    world, found = streamed(rendered)
    assert [poses is None for poses in found] == [time < FIRST for time in TIMES]
    true = find_ground([rendered.motion])
    assert world.ground.up @ true.up > np.cos(np.deg2rad(1))
    assert world.ground.height == pytest.approx(true.height, abs=0.05)
    expected = rendered.world(rendered.motion)
    for row in np.flatnonzero(TIMES >= FIRST):
        assert found[row][5].frame == "world"
        np.testing.assert_allclose(found[row][5].positions[:, 1], expected[row, :, 1], atol=0.15)


def test_a_given_tilt_counts_more_than_what_people_tell(rendered):
    up = up_of_tilt(0.35)
    world = StreamingWorld(rendered.camera, CMU28, CMU28, up=up)
    for row in range(len(TIMES)):
        world.push({5: pose(rendered.motion, row)})
    found = find_ground([rendered.motion]).up
    assert world.ground.up @ up > np.cos(np.deg2rad(3))
    assert found @ up < np.cos(np.deg2rad(6))


def test_a_tilt_of_a_stream_is_for_the_world():
    assert StreamRequest("0", world=True, tilt=20.0).tilt == 20
    with pytest.raises(InputError, match="add --world"):
        StreamRequest("0", tilt=20.0)
    with pytest.raises(InputError, match="-90 to 90"):
        StreamRequest("0", world=True, tilt=100.0)


def test_a_better_ground_comes_slowly(rendered, monkeypatch):
    """Two grounds 0.3 m apart: no frame moves by more than a few centimetres."""
    from dataclasses import replace

    from poselift.lifting.world import streaming_world

    first = find_ground([rendered.motion])
    grounds = iter([first, *[replace(first, height=first.height - 0.3)] * 9])
    monkeypatch.setattr(streaming_world, "find_ground", lambda motions, given_up: next(grounds))
    _, found = streamed(rendered)
    heights = np.array([poses[5].root[1] for poses in found if poses is not None])
    camera = np.array([-pose @ first.up for pose in rendered.motion.root[TIMES >= FIRST]])
    drift = heights + camera
    assert drift[-1] - drift[0] == pytest.approx(0.3, abs=0.1)
    assert np.abs(np.diff(drift)).max() < 0.02


def test_nobody_gives_no_ground(rendered):
    world = StreamingWorld(rendered.camera, CMU28, CMU28)
    assert world.push({}) is None
    assert streamed(rendered, interpolated=True)[1][-1] is None
    _, found = streamed(rendered)
    assert found[-1] is not None


def test_memory_is_bounded(rendered, monkeypatch):
    world, _ = streamed(rendered)
    assert world._recent.maxlen is not None
