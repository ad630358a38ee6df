import numpy as np
import pytest

from poselift.skeleton import H36M17
from poselift.viz.stage import Stage
from tests.export.conftest import emptied


def _placed(stage, motions):
    return [
        np.stack([stage.place(index, motion.joints[frame] + motion.root[frame]) for frame in range(len(motion))])
        for index, motion in enumerate(motions)
    ]


def test_people_stand_upright_on_the_ground(make_motion):
    motions = [make_motion(1, (-0.5, 0.2, 4)), make_motion(2, (0.6, 0.0, 5))]
    stage = Stage.fit(motions)
    for body in _placed(stage, motions):
        assert body[..., 1].min() == pytest.approx(0.075, abs=1e-3)
        assert (body[:, H36M17.index("head_top"), 1] > 1.5).all()
        # Facing the camera, the person's left is on the viewer's right: +x, as in the picture.
        assert (body[:, H36M17.index("left_shoulder"), 0] > body[:, H36M17.index("right_shoulder"), 0]).all()


def test_shapes_and_near_places_are_kept(make_motion):
    motions = [make_motion(1, (-0.5, 0, 4)), make_motion(2, (0.6, 0, 5))]
    stage = Stage.fit(motions)
    first, second = _placed(stage, motions)
    assert not stage.shortened
    np.testing.assert_allclose(
        np.linalg.norm(first[0] - first[0, :1], axis=-1), np.linalg.norm(motions[0].joints[0], axis=-1), atol=1e-5
    )
    gap = second[0, 0] - first[0, 0]
    np.testing.assert_allclose(gap[[0, 2]], [1.1, -1.0], atol=1e-3)


def test_far_people_are_moved_closer_and_it_is_said(make_motion):
    motions = [make_motion(1, (-5, 0, 6)), make_motion(2, (5, 0, 14))]
    stage = Stage.fit(motions)
    first, second = _placed(stage, motions)
    assert stage.shortened
    gap = (second[0, 0] - first[0, 0])[[0, 2]]
    np.testing.assert_allclose(gap, [10, -3.3], atol=0.01)  # what is known well is kept: places beside each other


def test_one_who_stands_on_a_roof_stays_higher(make_motion):
    motions = [make_motion(1, (-0.5, -0.9, 5)), make_motion(2, (0.6, 0, 5))]
    roof, ground = _placed(Stage.fit(motions), motions)
    assert roof[..., 1].min() - ground[..., 1].min() == pytest.approx(0.7, abs=0.01)
    np.testing.assert_allclose(Stage.fit(motions).floors, [0.7, 0], atol=0.01)


def test_walking_is_to_scale_and_the_view_follows(make_motion):
    motion = make_motion(walk=(1.5, 0, 0), frames=100)
    stage = Stage.fit([motion])
    (body,) = _placed(stage, [motion])
    np.testing.assert_allclose(np.ptp(body[:, 0, 0]), 1.5 * 99 / 25, atol=1e-3)
    assert stage.shot(3.0).centre[0] - stage.shot(1.0).centre[0] == pytest.approx(3, abs=0.3)
    assert abs(stage.shot(2.0).centre[0] - body[50, 0, 0]) < 0.15
    for frame in range(100):
        shot = stage.shot(motion.timestamps[frame])
        assert (body[frame] > shot.low - 0.1).all()
        assert (body[frame] < shot.high + 0.1).all()
    assert stage.shot(2.0).size[0] < 3  # no room for all of the way


def test_gaps_and_late_comers(make_motion):
    early, late = make_motion(1, walk=(2, 0, 0)), make_motion(2, start=6.0)
    early = emptied(early, slice(10, 20))
    stage = Stage.fit([early, late])
    assert np.isfinite(stage.boxes).all()
    assert np.isnan(stage.place(0, early.joints[12] + early.root[12])).all()
    assert np.isfinite(stage.place(0, early.joints[25] + early.root[25])).all()


def test_nobody(make_motion):
    for motions in ([], [emptied(make_motion(), slice(None))]):
        stage = Stage.fit(motions)
        assert np.isfinite(stage.shot(1.0).size).all()
