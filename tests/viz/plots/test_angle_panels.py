import numpy as np
import pytest

from poselift.kinematics import cut_gait_cycles, measure_gait, measure_joint_angles
from poselift.viz.plots.angle_panels import cycle_plot
from tests.kinematics.walker import walker


@pytest.mark.slow
def test_a_panel_has_the_mean_of_each_side_and_its_toe_off(check_texts):
    walk = walker()
    cycles = cut_gait_cycles(measure_joint_angles(walk), measure_gait(walk))
    figure = cycle_plot(cycles, {"left": 62.0, "right": float("nan")})
    panels = {axes.get_title(loc="left"): axes for axes in figure.axes if axes.get_visible()}
    assert {"knee flexion", "hip flexion", "pelvis tilt"} <= set(panels)
    left = next(each for each in cycles if (each.angle, each.side) == ("knee_flexion", "left"))
    zero, first, toe_off, *_ = panels["knee flexion"].lines
    assert set(zero.get_ydata()) == {0}
    np.testing.assert_allclose(first.get_ydata(), left.mean)
    assert toe_off.get_xdata()[0] == 62
    assert {"left", "right"} <= set(check_texts(figure))
    assert np.diff(panels["pelvis tilt"].get_ylim()) >= 5, "a pelvis that stays still shows no noise"
    assert not any(axes.collections[0].get_zorder() == 0 for axes in panels.values())


def test_the_normal_band_lies_behind_the_angles_that_have_one():
    walk = walker()
    cycles = cut_gait_cycles(measure_joint_angles(walk), measure_gait(walk))
    figure = cycle_plot(cycles, {}, normal=True)
    bands = {
        axes.get_title(loc="left"): axes.collections[0].get_paths()[0].vertices
        for axes in figure.axes
        if axes.get_visible() and axes.collections[0].get_zorder() == 0
    }
    assert set(bands) == {"hip flexion", "hip adduction", "knee flexion"}
    # Schwartz et al. 2008, free speed, at the strike: knee 5.6 degrees, standard deviation 5.7.
    strike = bands["knee flexion"][bands["knee flexion"][:, 0] == 0, 1]
    np.testing.assert_allclose([strike.min(), strike.max()], [5.6 - 2 * 5.7, 5.6 + 2 * 5.7], atol=0.11)
