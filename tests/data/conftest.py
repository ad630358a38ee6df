"""What the tests of data share."""

import pytest
import torch


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)
