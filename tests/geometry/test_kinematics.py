import math

import torch
from torch.testing import assert_close

from poselift.geometry import axis_angle_to_matrix, bone_lengths, forward_kinematics, rotation_z


def test_an_arm_by_hand():
    # Two bones along x; the root turns by 90 degrees about z, the middle joint by another 90.
    quarter = rotation_z(torch.tensor(math.pi / 2))
    rotations = torch.stack((quarter, quarter, torch.eye(3)))
    offsets = torch.tensor([[9.0, 9, 9], [1, 0, 0], [2, 0, 0]])
    positions, turned = forward_kinematics(rotations, offsets, torch.tensor([0.0, 0, 5]), (-1, 0, 1))
    assert_close(positions, torch.tensor([[0.0, 0, 5], [0, 1, 5], [-2, 1, 5]]))
    assert_close(turned[2], quarter @ quarter)


def test_rotations_keep_bone_lengths(parents):
    generator = torch.Generator().manual_seed(1)
    rotations = axis_angle_to_matrix(torch.randn(4, 5, 3, generator=generator, dtype=torch.float64))
    offsets = torch.randn(4, 5, 3, generator=generator, dtype=torch.float64)
    positions, turned = forward_kinematics(rotations, offsets, offsets[:, 0], parents)
    assert_close(bone_lengths(positions, parents)[:, [0, 1, 2, 4]], offsets[:, [0, 1, 2, 4]].norm(dim=-1))
    assert_close(turned @ turned.mT, torch.eye(3, dtype=torch.float64).expand(4, 5, 3, 3))
