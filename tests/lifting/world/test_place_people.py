from dataclasses import replace

import numpy as np
import pytest

from poselift.camera_path.still_view import see_still
from poselift.geometry.rotation import rotation_z
from poselift.lifting import to_world
from poselift.lifting.world.place_people import place_people
from poselift.skeleton import H36M17
from tests.lifting.walking import render, walk

pytestmark = pytest.mark.many_calls

TIMES = np.arange(0, 2, 1 / 30)


@pytest.fixture(scope="module")
def walker():
    joints, down = walk(TIMES)
    return render(joints, TIMES, down, skeleton=H36M17)


def placed(walker, motion, tilt=None):
    return place_people(None, [motion], [see_still(motion.keypoints, None, walker.camera)], walker.camera, tilt)


def test_under_a_still_camera_it_is_to_world_without_a_doubt(walker):
    world, cautions = placed(walker, walker.motion)
    np.testing.assert_array_equal(world.motions[0].root, to_world([walker.motion], walker.camera).motions[0].root)
    assert cautions == []


def test_a_tilt_is_up_and_feet_that_nobody_saw_are_told(walker):
    world, _ = placed(walker, walker.motion, tilt=30.0)
    looks_down = -np.degrees(np.arcsin((world.camera.R @ [0, 0, 1])[1]))
    assert looks_down == pytest.approx(30, abs=1.5)
    keypoints = walker.motion.keypoints
    scores = keypoints.scores.copy()
    scores[:, H36M17.indices(["left_ankle", "right_ankle"])] = 0.0
    unseen = replace(walker.motion, keypoints=replace(keypoints, scores=scores))
    _, cautions = placed(walker, unseen)
    assert [caution.kind for caution in cautions] == ["ground"]
    assert str(cautions[0]).startswith("no feet were seen")


def test_up_over_somebody_who_stands_and_leans_is_said_to_be_doubtful(walker):
    pose = walker.motion.joints[:1]
    leans = (pose @ np.asarray(rotation_z(np.radians(18.0))).T).astype(pose.dtype)
    stands = replace(
        walker.motion,
        joints=np.repeat(pose, len(TIMES), 0),
        root=np.repeat(walker.motion.root[:1], len(TIMES), 0),
    )
    assert placed(walker, stands)[1] == []
    _, cautions = placed(walker, replace(stands, joints=np.repeat(leans, len(TIMES), 0)))
    assert [caution.kind for caution in cautions] == ["ground"]
    assert "degrees only" in str(cautions[0])
    _, cautions = placed(walker, stands, tilt=10.0)
    assert cautions == []
