import numpy as np
import pytest

from poselift.lifting.finish.joint_uncertainty import adjust_uncertainty, widening_factors

ONES = np.ones((5, 6))


def ways(far):
    return np.full((5, 6, 3), far / np.sqrt(3))


def test_large_radii_widen_more_than_small_ones():
    uncertainty = np.array([[0.0, 0.05, 0.2, 0.1, 0.1, 0.1]]).repeat(5, 0)
    found = adjust_uncertainty(uncertainty, ways(0.02), ONES)
    assert np.all(found[:, 0] == 0)  # the root joint is the origin
    assert found[0, 2] / found[0, 1] > 4 * 1.2
    np.testing.assert_allclose(adjust_uncertainty(ONES * 0.1, ways(0.02), ONES), 0.1)


def test_a_pose_beside_its_rays_has_larger_radii():
    near, far = (adjust_uncertainty(ONES * 0.1, ways(metres), ONES)[0, 0] for metres in (0.01, 0.05))
    assert far > 1.2 * near
    # What fits to the millimetre is not known to the millimetre: depth is not seen.
    assert (
        adjust_uncertainty(ONES * 0.1, ways(0.0), ONES)[0, 0] == adjust_uncertainty(ONES * 0.1, ways(0.001), ONES)[0, 0]
    )


def test_joints_that_were_not_seen_have_no_say_in_how_well_it_fits():
    beside = np.concatenate([ways(0.02), ways(1.0)[:, :1]], 1)
    found = adjust_uncertainty(np.full((5, 7), 0.1), beside, np.array([[1.0] * 6 + [0.0]]).repeat(5, 0))
    np.testing.assert_allclose(found, 0.1)


@pytest.mark.parametrize("beside", [0.0, 1.0])
def test_where_nothing_that_comes_out_was_seen_the_lifter_is_believed(beside):
    np.testing.assert_allclose(adjust_uncertainty(ONES * 0.1, ways(beside), 0 * ONES), 0.1)


@pytest.mark.parametrize("far", [0.0, 0.02])
def test_few_joints_fit_any_pose_and_leave_the_body_a_guess(far):
    few = np.where(np.arange(6) < 5, ONES, 0.0)
    np.testing.assert_allclose(adjust_uncertainty(ONES * 0.1, ways(far), few), 0.15)
    assert adjust_uncertainty(ONES * 0.1, ways(0.1), few)[0, 0] > 0.2


def test_without_a_keypoint_of_the_root_all_joints_are_less_sure():
    unseen = np.where(np.arange(7) > 0, 1.0, 0.0) * np.ones((5, 1))
    found = adjust_uncertainty(np.full((5, 7), 0.1), np.full((5, 7, 3), 0.02 / np.sqrt(3)), unseen)
    np.testing.assert_allclose(found, 0.108)


def test_uncertainty_grows_with_the_time_to_the_nearest_keypoints():
    times = np.arange(100) / 50
    seen = (times > 0.19) & ((times < 0.49) | (times > 0.99))
    factors = widening_factors(seen, times)
    assert (factors[seen] == 1).all()
    assert factors[25:50].argmax() + 25 == pytest.approx(37, abs=1)
    assert (np.diff(factors[:10]) < 0).all()
    assert (widening_factors(np.zeros(5, bool), times[:5]) == 1).all()
