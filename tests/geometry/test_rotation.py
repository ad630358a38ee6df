import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from torch.testing import assert_close

from poselift.geometry import (
    axis_angle_to_matrix,
    matrix_to_quaternion,
    quaternion_to_matrix,
    rotation_towards,
    rotation_x,
    rotation_y,
    rotation_z,
)

coordinates = st.floats(-1, 1, allow_subnormal=False)
vectors = st.tuples(coordinates, coordinates, coordinates)
AXES = torch.eye(3, dtype=torch.float64)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


@given(vectors, st.sampled_from([1e-9, 1e-4, 1e-3, 0.5, math.pi]))
@settings(max_examples=30, derandomize=True)
def test_axis_angle_agrees_with_scipy(vector, size):
    vector = size * tensor(vector)
    expected = torch.from_numpy(Rotation.from_rotvec(vector.numpy()).as_matrix().copy())
    assert_close(axis_angle_to_matrix(vector), expected, rtol=0, atol=1e-14)


@given(st.tuples(coordinates, coordinates, coordinates, coordinates))
@settings(max_examples=30, derandomize=True)
def test_quaternion_agrees_with_scipy(values):
    quaternion = tensor(values)
    if quaternion.norm() < 1e-3:
        return
    quaternion = quaternion / quaternion.norm()
    matrix = quaternion_to_matrix(quaternion)
    expected = torch.from_numpy(Rotation.from_quat(quaternion[[1, 2, 3, 0]].numpy()).as_matrix().copy())
    assert_close(matrix, expected, rtol=0, atol=1e-14)
    back = matrix_to_quaternion(matrix)
    assert_close(back * torch.sign((back * quaternion).sum()), quaternion, rtol=0, atol=1e-7)


@pytest.mark.parametrize(("turn", "moved", "to"), [(rotation_x, 1, 2), (rotation_y, 2, 0), (rotation_z, 0, 1)])
def test_axes_turn_by_the_right_hand(turn, moved, to):
    assert_close(turn(tensor(math.pi / 2)) @ AXES[moved], AXES[to])


@pytest.mark.parametrize("axis", [0, 2])
def test_half_turns_and_none_have_gradients(axis):
    for angle in (0.0, math.pi):
        vector = (angle * AXES[axis]).requires_grad_()
        assert torch.autograd.gradcheck(axis_angle_to_matrix, vector)


@given(vectors, st.sampled_from([1e-20, 1.0, 1e20]))
@settings(max_examples=30, derandomize=True)
def test_towards_brings_the_direction_forward_without_roll(direction, size):
    direction = size * tensor(direction)
    Q = rotation_towards(direction)
    assert_close(Q @ Q.mT, AXES)
    assert_close(torch.linalg.det(Q), tensor(1.0))
    length = direction.norm()
    if length > 0:
        assert_close(Q @ (direction / length), AXES[2], rtol=0, atol=1e-9)
    assert Q[0, 1] == 0  # the new x axis is level in the old frame: a pan, then a tilt


@pytest.mark.parametrize("direction", [[0.0, 1, 0], [0.0, -1, 0], [0.0, 0, -1], [0.0, 0, 0]])
def test_towards_straight_up_down_back_and_nowhere(direction):
    direction = tensor(direction).requires_grad_()
    Q = rotation_towards(direction)
    if direction.any():
        assert_close(Q @ direction, AXES[2])
    if direction[2] == 0:
        assert_close(Q[0], AXES[0])  # by tilt alone
    (gradient,) = torch.autograd.grad(Q.sum(), direction)
    assert gradient.isfinite().all()
