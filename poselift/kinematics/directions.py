"""Rotations from directions: a basis of two vectors, and the shortest way from one to another."""

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.geometry.products import compose, cross_matrix


def basis(first: Float[Tensor, "*#b 3"], second: Float[Tensor, "*#b 3"]) -> Float[Tensor, "... 3 3"]:
    """Right-handed basis, in columns: the first vector, the part of the second across it, and their product."""
    first = torch.nn.functional.normalize(first, dim=-1)
    second = torch.nn.functional.normalize(second - (second * first).sum(-1, keepdim=True) * first, dim=-1)
    first, second = torch.broadcast_tensors(first, second)
    return torch.stack((first, second, torch.linalg.cross(first, second)), -1)


def swing(start: Float[Tensor, "*#b 3"], end: Float[Tensor, "*#b 3"]) -> Float[Tensor, "... 3 3"]:
    """Shortest rotation from one unit vector to another; unstable only where they are opposite."""
    start, end = torch.broadcast_tensors(start, end)
    cross = cross_matrix(torch.linalg.cross(start, end))
    cos = (start * end).sum(-1)[..., None, None]
    return torch.eye(3, dtype=end.dtype) + cross + compose(cross, cross) / (1 + cos).clamp_min(1e-9)
