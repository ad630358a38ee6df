from dataclasses import replace

import numpy as np
import pytest

from poselift.kinematics import Angles, add_uncertainty, measure_joint_angles, measure_segment_angles
from poselift.kinematics.propagation import _FACTORS, _PEOPLE, _WALKING
from tests.kinematics.conftest import pose, turn
from tests.kinematics.walker import walker

pytestmark = pytest.mark.many_calls

BENT = {"left_knee": turn("x", 60.0), "right_knee": turn("x", 60.0), "left_elbow": turn("y", -60.0)}


def uncertain(radius=0.05, frames=12, **options):
    return pose(BENT, frames, uncertainty=np.full((frames, 28), radius), **options)


@pytest.mark.slow
def test_the_knee_has_the_error_of_three_joints():
    """For equal errors in all directions, of a hinge: 1/a² + 1/b² + |1/a + 1/b|² for bones a, b, as the axes turn."""
    motion = uncertain(root=np.tile([0.0, 0.0, 5.0], (12, 1)))
    found = add_uncertainty(measure_joint_angles, motion)
    half = found.uncertainty[:, found.names.index("left_knee_flexion")]
    # The knee bends in the plane of the ray, so its error is along and across it.
    thigh, shank, bend = 0.42, 0.4, np.radians(60)
    knee = 1 / thigh**2 + 1 / shank**2 + 2 * np.cos(bend) / (thigh * shank)
    spread = np.sqrt(1 / thigh**2 + 1 / shank**2 + knee)
    across, along = 0.05 / 3.65, 2 * 0.05 / 3.65
    low, high = (1.645 * _FACTORS["knee_flexion"] * np.degrees(spread * sigma) for sigma in (across, along))
    assert (low < half).all()
    assert (half < high).all()


@pytest.mark.slow
def test_it_grows_with_the_radius_and_nothing_moves_without_one():
    none, small, large = (add_uncertainty(measure_joint_angles, uncertain(radius)) for radius in (0.0, 0.02, 0.04))
    # What differs between people stays without an error of any joint.
    people = [_PEOPLE.get(name, 0.0) for name in none.names]
    assert sorted(people)[-2:] == [8.0, 13.0]
    known = np.isfinite(small.uncertainty) & np.isfinite(large.uncertainty)
    np.testing.assert_array_equal(none.uncertainty[known], np.broadcast_to(people, known.shape)[known])
    grown = [np.sqrt(found.uncertainty**2 - np.square(people))[known] for found in (small, large)]
    np.testing.assert_allclose(grown[1], 2 * grown[0], rtol=0.2)
    assert add_uncertainty(measure_joint_angles, pose(BENT)).uncertainty is None


@pytest.mark.slow
@pytest.mark.parametrize("angles_of", [measure_joint_angles, measure_segment_angles])
def test_every_known_angle_has_one(angles_of):
    found = add_uncertainty(angles_of, uncertain(frames=40))
    np.testing.assert_array_equal(np.isfinite(found.uncertainty), np.isfinite(found.degrees))
    assert np.nanmax(found.uncertainty) <= 180


def test_depth_errs_more():
    """A thigh that swings in the plane of the ray is less certain than one that swings across it."""
    front = add_uncertainty(measure_segment_angles, uncertain())
    side = add_uncertainty(measure_segment_angles, uncertain(world=turn("y", 90.0)))
    lean = front.names.index("left_thigh_lean_ahead")
    assert front.uncertainty[:, lean].mean() > 1.5 * side.uncertainty[:, lean].mean()


def test_a_walk_has_smaller_intervals_of_knees_and_elbows():
    """The walker takes whole strides; who stands does not, a camera's frame shows none, and two cameras err less."""
    kinds = "knee_flexion", "elbow_flexion", "hip_flexion"

    def knee_alone(motion):
        """Three angles that are the same."""
        height = 100 * motion.joints[:, motion.skeleton.index("left_knee"), 1]
        return Angles(tuple(f"left_{kind}" for kind in kinds), np.stack([height] * 3, 1), motion.timestamps)

    walk = walker(seconds=2.5, uncertainty=np.full((75, 17), 0.05))
    still = replace(walk, joints=np.repeat(walk.joints[:1], 75, 0), root=np.repeat(walk.root[:1], 75, 0))
    seen = replace(walk, root=walk.root + [0.0, 0.0, 5.0], frame="camera")
    for motion, cameras, walking in ((walk, 1, True), (walk, 2, False), (still, 1, False), (seen, 1, False)):
        half = add_uncertainty(knee_alone, motion, cameras).uncertainty
        shares = [_FACTORS[kind] * (_WALKING.get(kind, 1.0) if walking else 1.0) for kind in kinds]
        np.testing.assert_allclose(half / half[:, 2:], np.broadcast_to(shares, half.shape) / shares[2])
