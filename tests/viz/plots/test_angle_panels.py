import numpy as np

from poselift.kinematics import cut_gait_cycles, measure_gait, measure_joint_angles
from poselift.viz.plots.angle_panels import cycle_plot
from tests.kinematics.walker import walker


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
