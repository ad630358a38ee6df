"""Numbers to compare metrics with."""

import torch


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)
