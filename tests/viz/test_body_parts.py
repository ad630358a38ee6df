import numpy as np
import pytest

from poselift.skeleton import CMU28, COCO17, H36M17, SKELETONS
from poselift.viz.body_parts import parts_of


@pytest.mark.parametrize("skeleton", SKELETONS.values(), ids=SKELETONS)
def test_every_skeleton_has_parts_of_known_points(skeleton):
    figure = parts_of(skeleton)
    joints = np.random.default_rng(0).normal(size=(len(skeleton), 3))
    points = figure.points(joints, 0.0)
    np.testing.assert_array_equal(points[: len(skeleton)], joints)
    assert figure.ends.max() < len(points)
    assert len(figure.ends) == len(figure.radii) == len(figure.sides) > 5
    assert (figure.radii > 0).all()


def test_feet_are_drawn_where_the_skeleton_has_none(body):
    upright = body * [1, -1, -1] + [0, 0.88 + 0.075, 0]  # Y up; the person faces +Z
    toes = parts_of(H36M17).points(upright, 0.0)[-4:].reshape(2, 2, 3)
    ankles = upright[H36M17.indices(["left_ankle", "right_ankle"])]
    assert (toes[:, 0, 2] > ankles[:, 2] + 0.1).all()
    assert (toes[:, 1, 2] < ankles[:, 2]).all()
    np.testing.assert_allclose(toes[..., 1], 0.03, atol=0.01)
    assert not len(parts_of(CMU28).legs)
    assert parts_of(CMU28).sole < parts_of(H36M17).sole


def test_drawn_feet_stay_above_the_ground(body):
    leaning = body * [1, -1, -1] + [0, 0.88 + 0.075, 0]
    leaning[H36M17.indices(["left_knee", "right_knee"])] += [0, 0, 0.3]
    assert parts_of(H36M17).points(leaning.astype(np.float64), 0.0)[-4:, 1].min() >= 0.03 - 1e-9


def test_the_trunk_and_the_head_replace_their_bones():
    figure = parts_of(H36M17)
    assert [H36M17.joints[i] for i in figure.trunk] == ["left_shoulder", "right_shoulder", "left_hip", "right_hip"]
    pairs = {frozenset(end.ravel().tolist()) for end in figure.ends}
    assert frozenset(H36M17.indices(["pelvis", "left_hip"])) not in pairs
    assert frozenset(H36M17.indices(["left_hip", "left_knee"])) in pairs
    assert not parts_of(COCO17).head
