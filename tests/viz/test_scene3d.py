import numpy as np

from poselift.skeleton import H36M17
from poselift.viz.bodies3d import Pose3D
from poselift.viz.colors import person_colors
from poselift.viz.scene3d import Scene3D
from poselift.viz.stage import Stage

SIZE = 300


def _poses(stage, motions, frame, **options):
    return [
        Pose3D(
            motion.keypoints.person,
            stage.place(i, motion.joints[frame] + motion.root[frame]),
            motion.skeleton,
            **options,
        )
        for i, motion in enumerate(motions)
    ]


def _project(scene, stage, joints, time):
    """Pixels of joints in the first view."""
    return scene._views[0].camera(stage.shot(time), scene._phase(time)).project(joints)[0]


def _render(scene, poses, time=0.0):
    scene.render(poses, time, image := np.empty((scene.height, scene.width, 3), np.uint8))
    return image


def test_everyone_stays_in_view(make_motion):
    motions = [make_motion(1, (-2, 0, 4)), make_motion(2, (2, 0, 8), walk=(-0.8, 0, 0)), make_motion(3, (0, 0, 5))]
    stage = Stage.fit(motions)
    scene = Scene3D(SIZE, 200, stage)
    size = scene._views[0].size
    for frame in range(50):
        for pose in _poses(stage, motions, frame):
            pixels = _project(scene, stage, pose.joints, motions[0].timestamps[frame])
            assert (pixels >= 0).all()
            assert (pixels < size).all()


def test_limbs_are_where_they_project_in_the_colour_of_their_side(make_motion):
    motion = make_motion(person=2)
    stage = Stage.fit([motion])
    scene = Scene3D(SIZE, SIZE, stage)
    image = _render(scene, _poses(stage, [motion], 0))
    colors = person_colors(2)
    pixels = _project(scene, stage, stage.place(0, motion.joints[0] + motion.root[0]), 0.0)
    for start, end, side in (
        ("left_knee", "left_ankle", "left"),
        ("right_knee", "right_ankle", "right"),
        ("right_shoulder", "right_elbow", "right"),
        ("pelvis", "spine", "middle"),
    ):
        x, y = pixels[H36M17.indices([start, end])].mean(0).round().astype(int)
        drawn = image[y, x].astype(float)
        by_side = {name: np.array(colors.of_side(name), float) for name in ("left", "right", "middle")}
        # Depth darkens towards the background, so the brightness relative to the side's own is what counts.
        assert 0.6 < drawn.sum() / by_side[side].sum() < 1
        assert drawn.argmax() == 0
        assert drawn.argmin() == 2
    left, right = (
        image[tuple(pixels[H36M17.indices([f"{side}_knee", f"{side}_ankle"])].mean(0).round().astype(int)[::-1])]
        for side in ("left", "right")
    )
    assert int(left.sum()) > int(right.sum()) + 100


def test_what_no_keypoint_shows_is_fainter(make_motion):
    motion = make_motion()
    stage = Stage.fit([motion])
    scene = Scene3D(SIZE, SIZE, stage)
    seen, bridged = (
        _render(scene, _poses(stage, [motion], 0, guessed=np.full(len(motion.skeleton), guessed)))
        for guessed in (False, True)
    )
    empty = _render(scene, [])
    changed = np.abs(seen.astype(int) - empty).max(-1) > 80
    assert changed.sum() > 300
    np.testing.assert_array_equal((bridged != empty).any(-1) | ~changed, True)
    assert bridged[changed].mean() < 0.75 * seen[changed].mean()


def test_the_nearer_person_hides_the_farther(make_motion):
    near, far = make_motion(1, (0, 0, 4)), make_motion(2, (0, 0, 5))
    stage = Stage.fit([near, far])
    scene = Scene3D(SIZE, SIZE, stage)
    poses = _poses(stage, [near, far], 0)
    trunk = _project(scene, stage, poses[0].joints[H36M17.indices(["pelvis", "spine"])], 0.0)
    x, y = trunk.mean(0).round().astype(int)
    for order in (poses, poses[::-1]):
        blue_like = _render(scene, order)[y, x]
        assert blue_like[2] > blue_like[0]


def test_a_walk_out_of_all_bounds_is_still_drawn(make_motion):
    motion = make_motion(walk=(0, 0, 400))
    stage = Stage.fit([motion])
    image = _render(Scene3D(SIZE, SIZE, stage), _poses(stage, [motion], 25), 1.0)
    assert (image == person_colors(1).middle).all(-1).sum() > 20
