import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from poselift import metrics as M
from poselift.geometry import axis_angle_to_matrix
from poselift.skeleton import CMU28, H36M17, Skeleton
from tests.metrics.scalar import number


def arm(degrees: float) -> torch.Tensor:
    """A left arm that is bent by an angle at the elbow; everything else is at the origin."""
    points = torch.zeros(17, 3, dtype=torch.float64)
    points[H36M17.index("left_shoulder")] = torch.tensor([0.3, 0, 0])
    angle = math.radians(degrees)
    points[H36M17.index("left_wrist")] = points.new_tensor([0.25 * math.cos(angle), 0.25 * math.sin(angle), 0])
    return points


def only(*joints: str) -> torch.Tensor:
    return torch.tensor([joint in joints for joint in H36M17.joints])


ARM = only("left_shoulder", "left_elbow", "left_wrist")


@pytest.mark.parametrize("degrees", [0.0, 30.0, 180.0])
def test_the_angle_of_an_elbow(degrees):
    found = M.joint_angles(arm(degrees), H36M17)[M.angle_names(H36M17).index("left_elbow")]
    assert_close(found, number(math.radians(degrees)), rtol=0, atol=1e-12)


def test_error_is_in_degrees_and_counts_where_three_joints_do():
    assert_close(M.angle_errors(arm(50), arm(90), H36M17, ARM).mean(), number(40.0))
    found = M.angle_errors(arm(50), arm(90), H36M17, ARM)
    assert found.counts.tolist() == [name == "left_elbow" for name in M.angle_names(H36M17)]
    assert M.angle_errors(arm(50), arm(90), H36M17, only("left_shoulder", "left_elbow")).mean().isnan()


def test_angles_are_those_whose_joints_are_there():
    assert len(M.angle_names(H36M17)) == 8
    assert set(M.angle_names(CMU28)) == set(M.ANGLES)
    with pytest.raises(ValueError, match="none of the angles"):
        M.angle_names(Skeleton("dot", ("dot",), (None,)))


@given(st.integers(0, 10**6), st.floats(0.1, 10))
@settings(deadline=None, max_examples=10)
def test_angles_do_not_see_a_similarity(seed, scale):
    generator = torch.Generator().manual_seed(seed)
    points = torch.randn(2, 17, 3, generator=generator, dtype=torch.float64)
    R = axis_angle_to_matrix(torch.randn(3, generator=generator, dtype=torch.float64))
    assert_close(M.joint_angles(scale * points @ R.mT + 1, H36M17), M.joint_angles(points, H36M17))


def test_in_2d_it_is_the_angle_in_the_picture():
    assert_close(M.angle_errors(arm(50)[:, :2], arm(90)[:, :2], H36M17, ARM).mean(), number(40.0))
