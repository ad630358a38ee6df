import pytest
from numpy.testing import assert_allclose

from poselift.core.errors import InputError
from poselift.reports.protocols import PROTOCOLS
from poselift.skeleton import COCO17, H36M17, SKELETONS
from poselift.viz.plots.body import place
from poselift.viz.plots.skeleton_diagram import MethodPose, skeleton_plot

pytestmark = pytest.mark.slow

MEASURED = sorted({protocol.skeleton.name for protocol in PROTOCOLS.values()})


def body(label="ours", skeleton=H36M17, first=100):
    return MethodPose(label, {joint: float(first + number) for number, joint in enumerate(skeleton.joints)})


def dots(axes):
    """The scatter of joints."""
    return next(collection for collection in axes.collections if collection.get_array() is not None)


def test_each_joint_has_the_colour_of_its_value_at_its_place():
    bodies = [body("a", first=0), body("b", first=60)]
    figure = skeleton_plot(bodies, H36M17, "MPJPE (mm)")
    first, second, bar = figure.axes
    figure.draw_without_rendering()
    for axes, each in ((first, bodies[0]), (second, bodies[1])):
        assert axes.get_title() == each.label
        assert_allclose(dots(axes).get_offsets(), [place(joint) for joint in H36M17.joints])
        assert_allclose(dots(axes).get_array(), list(each.values.values()))
        assert {text.get_text() for text in axes.texts} == {f"{value:.0f}" for value in each.values.values()}
    # One scale for both: the worst joint of all is at its end, and the colour bar is of the same.
    colors = dots(second).get_facecolor()
    scale = dots(second).cmap
    assert_allclose(colors[-1], scale(1.0))
    assert_allclose(colors[0], scale(60 / 76))
    assert_allclose(dots(first).get_facecolor()[0], scale(0.0))
    assert bar.get_xlim() == (0, 76)
    assert bar.get_xlabel() == "MPJPE (mm)"


def test_joints_that_are_not_measured_are_white_and_have_no_number():
    figure = skeleton_plot([MethodPose("ours", {"right_knee": 20.0, "left_knee": 30.0})], H36M17, "mm")
    figure.draw_without_rendering()
    (axes, _) = figure.axes
    white = (dots(axes).get_facecolor() == 1).all(1)
    assert [joint for joint, is_white in zip(H36M17.joints, white, strict=True) if not is_white] == [
        "right_knee",
        "left_knee",
    ]
    assert [text.get_text() for text in axes.texts] == ["20", "30"]


@pytest.mark.parametrize("name", MEASURED)
def test_numbers_are_apart_in_every_joint_set(name, check_texts):
    check_texts(skeleton_plot([body(skeleton=SKELETONS[name])] * 4, SKELETONS[name], "MPJPE (mm)"))


def test_a_joint_set_that_has_no_place_is_refused():
    with pytest.raises(InputError, match="no place for nose, left_eye, right_eye, left_ear, right_ear of coco17"):
        skeleton_plot([body(skeleton=COCO17)], COCO17, "mm")
