from dataclasses import replace

import numpy as np
import pytest

from poselift.kinematics import relative_to_body
from poselift.kinematics.child_proportions import LARGE_HEAD, head_size, is_childlike
from poselift.kinematics.height import SPREAD, estimate_height, take_height
from poselift.kinematics.whole_body import CHILD_SIZE, SIZE, TO_90, add_body_uncertainty
from poselift.skeleton import CMU28, H36M17
from tests.kinematics.conftest import pose

FACE = ("nose", "left_ear", "right_ear")


def person(head=1.0, scale=1.0):
    """Somebody whose head has this size relative to an adult's, with an estimated height."""
    motion = pose({}, 3, uncertainty=np.full((3, 28), 0.06), root=np.tile([0.0, 0.0, 5.0], (3, 1)))
    metres = estimate_height(motion.joints, CMU28).metres
    joints = motion.joints.copy()
    neck = joints[:, CMU28.index("neck_base")]
    joints[:, CMU28.index("nose")] = neck + [0.0, 0.0785 * head * metres, 0.0]
    for side, sign in (("left", 0.5), ("right", -0.5)):
        joints[:, CMU28.index(f"{side}_ear")] = neck + [sign * 0.0901 * head * metres, 0.1, 0.0]
    motion = add_body_uncertainty(replace(motion, joints=(scale * joints).astype(np.float32)))
    return replace(motion, height=estimate_height(motion.joints, CMU28))


def relative_head(motion):
    return head_size(motion, motion.height)


def is_child(motion):
    return is_childlike(motion, motion.height)


@pytest.mark.parametrize("head", [0.9, 1.0, 1.2])
def test_the_head_beside_the_body_whatever_the_size(head):
    assert relative_head(person(head)) == pytest.approx(head, rel=1e-4)
    assert relative_head(person(head, scale=0.7)) == pytest.approx(head, rel=1e-4)


def test_a_large_head_is_a_childs():
    assert not is_child(person(LARGE_HEAD - 0.01))
    assert is_child(person(LARGE_HEAD + 0.01))


def test_nobody_is_judged_without_a_face_or_with_a_given_height():
    child = person(1.2)
    scores = child.keypoints.scores.copy()
    scores[:, CMU28.indices(list(FACE))] = 0.0
    faceless = replace(child, keypoints=replace(child.keypoints, scores=scores))
    assert np.isnan(relative_head(faceless))
    assert not is_child(faceless)
    assert not is_child(replace(child, height=None))
    assert not is_child(child.restrict(H36M17))
    assert not is_child(take_height(child, 1.3))


def test_the_size_of_a_child_is_less_certain():
    adult, child = (take_height(replace(person(head), height=None), None) for head in (1.0, 1.2))
    assert adult.height.spread == pytest.approx(SPREAD * adult.height.metres)
    assert child.height.spread == pytest.approx(CHILD_SIZE * child.height.metres)
    assert adult.body_share == pytest.approx(TO_90 * np.hypot(SIZE, 0.05))
    assert child.body_share == pytest.approx(TO_90 * np.hypot(CHILD_SIZE, 0.05))
    np.testing.assert_allclose(relative_to_body(child).uncertainty, 0.06, rtol=1e-5)
    # With the height, both are alike.
    assert take_height(child, 1.3).body_share == pytest.approx(take_height(adult, 1.3).body_share)
