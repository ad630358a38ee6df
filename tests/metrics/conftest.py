"""Poses and masks to measure."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor


@pytest.fixture
def random_poses() -> Callable[..., tuple[Tensor, Tensor, Tensor]]:
    """Makes a prediction, a target and a mask from a seed and a shape."""

    def make(seed: int, *shape: int) -> tuple[Tensor, Tensor, Tensor]:
        generator = torch.Generator().manual_seed(seed)
        target = torch.randn(shape, generator=generator, dtype=torch.float64)
        pred = target + 0.1 * torch.randn(shape, generator=generator, dtype=torch.float64)
        return pred, target, torch.rand(shape[:-1], generator=generator) < 0.8

    return make
