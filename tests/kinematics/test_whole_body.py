from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from poselift.kinematics import add_uncertainty, measure_joint_angles, relative_to_body
from poselift.kinematics.height import estimate_height, take_height
from poselift.kinematics.whole_body import SIZE, add_body_uncertainty
from tests.kinematics.conftest import pose, turn

pytestmark = pytest.mark.many_calls

TILT = 0.05


def lifted(own=0.06, frames=3, **options):
    return pose(
        {}, frames, uncertainty=np.full((frames, 28), own), root=np.tile([0.0, 0.0, 5.0], (frames, 1)), **options
    )


@pytest.mark.parametrize(("size", "share"), [(SIZE, np.hypot(0.08, TILT)), (0.0, TILT)])
def test_a_joint_gets_a_share_of_its_distance(size, share):
    motion = lifted()
    far = np.linalg.norm(motion.joints, axis=-1)
    found = add_body_uncertainty(motion, size)
    np.testing.assert_allclose(found.uncertainty, np.sqrt(0.06**2 + (1.645 * share * far) ** 2), rtol=1e-6)
    np.testing.assert_allclose(found.uncertainty[:, 0], 0.06, err_msg="the root does not move")
    np.testing.assert_allclose(relative_to_body(found).uncertainty, 0.06, rtol=1e-5)


def test_without_uncertainty_nothing_is_added():
    assert add_body_uncertainty(replace(lifted(), uncertainty=None)).uncertainty is None


def test_a_given_height_takes_the_size_out():
    """Once, also if it is given twice; and what is relative to the body only grows with the body."""
    motion = add_body_uncertainty(lifted())
    scale = 1.2 / estimate_height(motion.joints, motion.skeleton).metres
    once = take_height(motion, 1.2)
    np.testing.assert_allclose(relative_to_body(once).uncertainty, 0.06 * scale, rtol=1e-5)
    ankle = motion.skeleton.index("left_ankle")
    assert (once.uncertainty[:, ankle] < 0.8 * scale * motion.uncertainty[:, ankle]).all()
    np.testing.assert_allclose(take_height(once, 1.2).uncertainty, once.uncertainty, rtol=1e-5)


def test_nine_of_ten_joints_of_bodies_of_other_sizes_that_lean_are_within():
    generator = np.random.default_rng(0)
    motion = add_body_uncertainty(lifted(frames=4000))
    # The radius that holds 90 % of normal errors in three dimensions is 2.5 standard deviations.
    errors = generator.normal(0, 0.06 / 2.5, motion.joints.shape)
    turns = Rotation.from_rotvec(generator.normal(0, TILT, (4000, 3))).as_matrix()
    sizes = np.exp(generator.normal(0, SIZE, (4000, 1, 1)))
    truth = sizes * (motion.joints @ turns.swapaxes(1, 2)) + errors
    within = np.linalg.norm(motion.joints - truth, axis=-1) <= motion.uncertainty
    assert 0.88 < within[:, 1:].mean() < 0.94
    relative = np.linalg.norm(motion.joints - truth, axis=-1) <= relative_to_body(motion).uncertainty
    assert relative[:, 1:].mean() < 0.75


@pytest.mark.slow
def test_size_and_tilt_are_in_no_joint_angle():
    bent = pose({"left_knee": turn("x", 60.0)}, 12, uncertainty=np.full((12, 28), 0.05))
    plain = add_uncertainty(measure_joint_angles, add_body_uncertainty(bent)).uncertainty
    known = add_uncertainty(measure_joint_angles, bent).uncertainty
    np.testing.assert_allclose(plain, known, rtol=1e-5)
