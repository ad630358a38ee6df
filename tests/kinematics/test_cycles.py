import numpy as np
import pytest

from poselift.kinematics import cut_gait_cycles, measure_gait, measure_joint_angles
from tests.kinematics.walker import walker


def test_the_strides_of_an_even_walk_are_alike():
    walk = walker(fps=60)
    found = {(each.angle, each.side): each for each in cut_gait_cycles(measure_joint_angles(walk), measure_gait(walk))}
    left, right = found["knee_flexion", "left"], found["knee_flexion", "right"]
    assert left.degrees.shape == (4, 101)
    np.testing.assert_allclose(left.mean, right.mean, atol=3)
    assert left.mean[60:].max() > left.mean[:40].max() + 10  # the knee of the swinging leg
    assert np.nanmax(left.spread) < 3
    assert np.isfinite(found["pelvis_tilt", "right"].mean).all()


def test_unknown_values_are_no_part_of_the_mean():
    walk = walker()
    angles = measure_joint_angles(walk)
    angles.degrees[: len(walk) // 2, angles.names.index("left_knee_flexion")] = np.nan
    cycles = cut_gait_cycles(angles, measure_gait(walk))
    each = next(each for each in cycles if (each.angle, each.side) == ("knee_flexion", "left"))
    assert np.isnan(each.degrees[0]).all()
    assert np.isfinite(each.mean).all()
    assert each.spread[50] == pytest.approx(np.std(each.degrees[-2:, 50], ddof=1), abs=5)
