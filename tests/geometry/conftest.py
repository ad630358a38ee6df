"""What every geometry function is tested with: its name, an example call, and a call with a wrong shape."""

from dataclasses import dataclass
from typing import Any

import pytest
import torch

from poselift import geometry

PARENTS = (3, 0, 0, -1, 3)  # the root is not first, and parents come after their children


@dataclass(frozen=True)
class Case:
    """A function, how to make its tensors for given leading axes, and its other arguments."""

    name: str
    shapes: tuple[tuple[int, ...], ...]
    rest: tuple[Any, ...] = ()
    rotations: tuple[int, ...] = ()
    cameras: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.name + ("_distorted" if (5,) in self.shapes else "")

    def tensors(self, *leading: int, dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, ...]:
        generator = torch.Generator().manual_seed(0)
        made = []
        for place, shape in enumerate(self.shapes):
            x = torch.randn((*leading, *shape), generator=generator, dtype=torch.float64)
            if place in self.rotations:
                q, _ = torch.linalg.qr(x)
                x = q * torch.linalg.det(q)[..., None, None].sign()
            elif place in self.cameras:
                x = torch.eye(3, dtype=torch.float64) + 0.1 * x.abs().triu() * x.new_tensor([[1], [1], [0]])
            elif shape == (5,):
                x = 0.01 * x
            elif self.name == "project" and place == 0:
                x = x * 0.2 + x.new_tensor([0, 0, 4])
            elif self.name == "pixels_to_rays" and place == 0:
                x = x * 0.2
            elif self.name == "root_from_rays" and place == 2:
                x = x.abs()
            made.append(x.to(dtype))
        return tuple(made)

    def call(self, *tensors: Any) -> tuple[Any, ...]:
        out = getattr(geometry, self.name)(*tensors, *self.rest)
        return out if isinstance(out, tuple) else (out,)


CASES = (
    Case("project", ((5, 3), (3, 3)), cameras=(1,)),
    Case("project", ((5, 3), (3, 3), (5,)), cameras=(1,)),
    Case("pixels_to_rays", ((5, 2), (3, 3)), cameras=(1,)),
    Case("pixels_to_rays", ((5, 2), (3, 3), (5,)), cameras=(1,)),
    Case("world_to_camera", ((5, 3), (3, 3), (3,)), rotations=(1,)),
    Case("axis_angle_to_matrix", ((3,),)),
    Case("matrix_to_quaternion", ((3, 3),), rotations=(0,)),
    Case("quaternion_to_matrix", ((4,),)),
    Case("rotation_towards", ((3,),)),
    Case("rotation_x", ((),)),
    Case("rotation_y", ((),)),
    Case("rotation_z", ((),)),
    Case("umeyama", ((5, 3), (5, 3))),
    Case("apply_similarity", ((5, 3), (), (3, 3), (3,)), rotations=(2,)),
    Case("bone_vectors", ((5, 3),), rest=(PARENTS,)),
    Case("bone_lengths", ((5, 3),), rest=(PARENTS,)),
    Case("set_bone_lengths", ((5, 3), (5,)), rest=(PARENTS,)),
    Case("points_from_bones", ((5, 3), (3,)), rest=(PARENTS,)),
    Case("root_from_rays", ((5, 3), (5, 3), (5,))),
    Case("forward_kinematics", ((5, 3, 3), (5, 3), (3,)), rest=(PARENTS,), rotations=(0,)),
)


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture
def cases() -> tuple[Case, ...]:
    return CASES


@pytest.fixture
def parents() -> tuple[int, ...]:
    return PARENTS
