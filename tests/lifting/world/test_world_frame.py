import json
from dataclasses import replace

import numpy as np
import pytest

from poselift.cli.main import main
from poselift.core.errors import InputError
from poselift.kinematics.foot_contacts import feet_of
from poselift.kinematics.height import Height, enlarge, estimate_height
from poselift.lifting import to_world
from poselift.skeleton import CMU28, H36M17, Skeleton
from tests.keypoints.writers import Person, poselift_npz
from tests.lifting.walking import render, standing_pose, walk

pytestmark = pytest.mark.many_calls

TIMES = np.arange(0, 4, 1 / 30)


@pytest.fixture(scope="module")
def rendered():
    joints, down = walk(TIMES)
    return render(joints, TIMES, down, skeleton=H36M17, roll=0.03)


def test_axes_origin_and_the_way_back(rendered):
    world = to_world([rendered.motion], rendered.camera)
    motion = world.motions[0]
    assert motion.frame == "world"
    np.testing.assert_allclose(world.camera.R @ world.camera.R.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(world.camera.R) == pytest.approx(1)
    # The camera is above the ground and, as z is backward, at a positive z from the first root; x is its right.
    assert world.camera.t[1] == pytest.approx(1.6, abs=0.05)
    assert world.camera.t[2] == pytest.approx(6, abs=0.3)
    assert world.camera.R[0] @ [1, 0, 0] > 0.99
    assert world.camera.R[2] @ [0, 0, -1] > 0.9
    np.testing.assert_allclose(motion.root[0, [0, 2]], 0, atol=1e-5)
    pelvis = rendered.world(rendered.motion)[:, 0]
    np.testing.assert_allclose(motion.root[:, 1], pelvis[:, 1], atol=0.05)
    back = (motion.root - world.camera.t) @ world.camera.R
    np.testing.assert_allclose(back, rendered.motion.root, atol=0.03)


def test_a_pelvis_between_the_hips_does_not_place_a_lifters_pelvis_of_the_spine():
    joints, down = walk(TIMES)
    joints[:, CMU28.index("pelvis"), 1] += 0.1
    high = render(joints, TIMES, down, skeleton=H36M17)
    lifted = replace(high.motion, pelvis="spine")
    seen = lifted.keypoints
    pelvis, hips = H36M17.index("pelvis"), H36M17.indices(["left_hip", "right_hip"])
    points, scores = seen.keypoints.copy(), seen.scores.copy()
    points[:, pelvis] = points[:, hips].mean(1)
    scores[:, pelvis] = 0
    between, without = (
        to_world([replace(lifted, keypoints=keypoints)], high.camera).motions[0].root
        for keypoints in (replace(seen, keypoints=points), replace(seen, scores=scores))
    )
    np.testing.assert_array_equal(between, without)
    used = to_world([lifted], high.camera).motions[0].root
    assert np.abs(used - without).max() > 1e-9


def test_feet_that_are_down_do_not_skate():
    joints, down = walk(TIMES)
    noisy = render(joints, TIMES, down, skeleton=H36M17, noise=0.02)
    motion = to_world([noisy.motion], noisy.camera).motions[0]
    assert 2 * (motion.contacts & down).sum() / (motion.contacts.sum() + down.sum()) > 0.85
    both = motion.contacts[1:] & motion.contacts[:-1]
    slid, slides = (
        np.linalg.norm(np.diff(feet_of(m).points[:, :, 0], axis=0), axis=-1)[both].mean()
        for m in (noisy.motion, motion)
    )
    assert slides < 0.35 * slid
    for row, parent in enumerate(H36M17.parent_indices):
        lengths = [np.linalg.norm(m.joints[:, row] - m.joints[:, parent], axis=-1) for m in (noisy.motion, motion)]
        np.testing.assert_allclose(lengths[1], lengths[0], atol=1e-5)


@pytest.mark.parametrize("walks", [True, False])
@pytest.mark.parametrize(("given", "estimates"), [(1, (1.0, 0.88)), (2, (1.1, 1.0)), (None, (1.06, 0.94))])
def test_one_ground_for_everybody_whoever_is_of_known_height(given, estimates, walks):
    """Two people of one height, one or both of them taken for smaller or larger."""
    joints, down = walk(TIMES)
    if not walks:
        joints = np.repeat(standing_pose()[None], len(TIMES), 0)
    sideways = joints @ np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    true = estimate_height(standing_pose()[None, CMU28.indices(list(H36M17.joints))], H36M17).metres
    people = []
    for person, (places, size) in enumerate(zip((joints, sideways + [-1, 0, -2]), estimates, strict=True), start=1):
        rendered = render(places, TIMES, down, skeleton=H36M17)
        motion = replace(rendered.motion, keypoints=replace(rendered.motion.keypoints, person=person))
        height = Height(size * true, 0.1, "given" if person == given else "estimated")
        people.append(replace(enlarge(motion, size), height=height))
    world = to_world(people, rendered.camera)
    for person, motion in enumerate(world.motions, start=1):
        ankles = (motion.joints + motion.root[:, None])[:, H36M17.indices(["left_ankle", "right_ankle"]), 1]
        assert np.median(ankles[motion.contacts]) == pytest.approx(0.08, abs=0.02)
        found = motion.height.metres
        assert found == pytest.approx(true, rel=0.06)
        assert found == pytest.approx(estimate_height(motion.joints, motion.skeleton).metres, rel=0.01)
        if person == given:
            assert found == people[person - 1].height.metres


def test_who_stands_on_a_roof_keeps_the_size():
    joints, down = walk(TIMES)
    below = render(joints + [1.0, 0, 0], TIMES, down, skeleton=H36M17).motion
    above = render(joints + [-1, 0.7, -1], TIMES, down, skeleton=H36M17).motion
    above = replace(above, keypoints=replace(above.keypoints, person=2))
    found = to_world([below, above], render(joints, TIMES).camera).motions[1]
    sizes = [estimate_height(motion.joints, motion.skeleton).metres for motion in (above, found)]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.02)
    assert np.median(found.root[:, 1]) == pytest.approx(1.55, abs=0.12)


def test_odd_clips(rendered):
    camera = rendered.camera
    one = to_world([render(standing_pose()[None], np.zeros(1)).motion], camera).motions[0]
    assert np.isfinite(one.joints).all()
    assert one.contacts.all()
    assert to_world([], camera).motions == []
    motion = rendered.motion
    unknown = replace(motion, joints=np.full_like(motion.joints, np.nan), root=np.full_like(motion.root, np.nan))
    found = to_world([unknown, motion], camera)
    assert np.isnan(found.motions[0].root).all()
    assert not found.motions[0].contacts.any()
    np.testing.assert_allclose(found.motions[1].root[0, [0, 2]], 0, atol=1e-5)


def test_without_feet_there_are_no_contacts(rendered):
    joints = ("pelvis", "thorax", "left_shoulder", "right_shoulder")
    rows = H36M17.indices(list(joints))
    trunk = replace(
        rendered.motion,
        joints=rendered.motion.joints[:, rows],
        skeleton=Skeleton("trunk", joints, (None, "pelvis", "thorax", "thorax")),
    )
    found = to_world([trunk], rendered.camera).motions[0]
    assert found.contacts is None
    assert np.isfinite(found.joints).all()


def test_a_backflip_keeps_its_height(rendered):
    """One turn in the air between two stands: the root flies as high as it did."""
    flight = np.clip((TIMES - 1.5) / 0.8, 0, 1)
    pose = standing_pose() - [0, 0.93, 0]
    angle = 2 * np.pi * flight
    turned = np.stack(
        [pose @ np.array([[1, 0, 0], [0, np.cos(a), np.sin(a)], [0, -np.sin(a), np.cos(a)]]) for a in angle]
    )
    height = 0.93 + 4 * 0.8 * flight * (1 - flight)
    flip = render(turned + height[:, None, None] * [0, 1, 0], TIMES, skeleton=H36M17)
    world = to_world([flip.motion], flip.camera)
    np.testing.assert_allclose(world.motions[0].root[:, 1], height + pose[0, 1], atol=0.12)
    high = (height > 1.3) & (flight > 0) & (flight < 1)
    assert not world.motions[0].contacts[high].any()


def test_feet_that_nobody_saw_do_not_stand(rendered):
    motion = replace(rendered.motion, keypoints=_waist_up(rendered.motion.keypoints))
    world = to_world([motion], rendered.camera)
    assert not world.feet_seen
    assert not world.motions[0].contacts.any()
    np.testing.assert_allclose(world.motions[0].joints @ world.camera.R, motion.joints, atol=1e-5)
    assert to_world([rendered.motion], rendered.camera).feet_seen
    # Scores are 0.9.
    unseen = to_world([replace(rendered.motion, threshold=0.95)], rendered.camera)
    assert not unseen.feet_seen
    assert not unseen.motions[0].contacts.any()


@pytest.mark.slow
def test_who_is_seen_from_the_waist_up_gets_a_warning(rendered, tmp_path, capsys):
    warnings = {}
    for name, keypoints in (("whole", rendered.motion.keypoints), ("waist", _waist_up(rendered.motion.keypoints))):
        clip = [[Person(*frame, 1)] for frame in zip(keypoints.keypoints[:30], keypoints.scores[:30], strict=True)]
        folder = poselift_npz(tmp_path / name, clip, H36M17, keypoints.image_size, 30)
        out = tmp_path / f"{name}_out"
        main(["lift", "--keypoints", str(folder), "--world", "--no-flip", "--no-render", "--out", str(out)])
        warnings[name] = json.loads((out / "summary.json").read_text())["warnings"]
    said = "no feet were seen: up and the ground are guessed from usual camera poses"
    assert (said in warnings["whole"], said in warnings["waist"]) == (False, True)
    assert capsys.readouterr().out.count(f"warning: {said}") == 1


def _waist_up(keypoints):
    """Without scores for the legs."""
    scores = keypoints.scores.copy()
    scores[:, [row for row, joint in enumerate(keypoints.skeleton.joints) if joint.endswith(("knee", "ankle"))]] = 0.1
    return replace(keypoints, scores=scores)


def test_who_moved_while_frames_were_lacking_keeps_the_pose():
    times = np.r_[TIMES[:75], TIMES[:75] + 3.0]
    joints = np.repeat(standing_pose()[None], len(times), 0)
    joints[75:, :, 0] += 0.4
    rendered = render(joints, times, skeleton=H36M17)
    world = to_world([rendered.motion], rendered.camera)
    assert world.motions[0].contacts.all()
    np.testing.assert_allclose(world.motions[0].joints @ world.camera.R, rendered.motion.joints, atol=0.01)


def test_who_came_closer_while_frames_were_lacking_is_where_the_rays_say():
    times = np.r_[TIMES[:75], TIMES[:75] + TIMES[74] + 0.5]
    joints = np.repeat(standing_pose()[None], len(times), 0)
    joints[75:, :, 2] -= 1.0
    rendered = render(joints, times, skeleton=H36M17)
    world = to_world([rendered.motion], rendered.camera)
    root = (world.motions[0].root - world.camera.t) @ world.camera.R
    assert np.abs(root - rendered.motion.root).max() < 0.025


def test_a_world_motion_is_refused(rendered):
    with pytest.raises(InputError, match="person 1 is in the world frame"):
        to_world([replace(rendered.motion, frame="world")], rendered.camera)
