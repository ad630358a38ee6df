"""What the tests of training share."""

import pytest
import torch

from poselift.data.augment import Augmentation
from poselift.data.batches import Batches
from poselift.data.synthetic import synthetic_corpus
from poselift.data.virtual import VirtualSampler
from poselift.models import LifterConfig, SpatioTemporalLifter
from poselift.skeleton import CMU28, H36M17


@pytest.fixture
def batches():
    """Makes the batches of an epoch, of 32 windows of 8 frames."""

    def make(count, batch_size=32):
        source = VirtualSampler(
            synthetic_corpus(8, 100, seed=0),
            8,
            CMU28,
            H36M17,
            {"h36m17": 1.0},
            augmentation=Augmentation(recombine=0.0, bend=0.0, tilt=0.0),
        )
        return Batches(source, batch_size, count, seed=0)

    return make


@pytest.fixture
def lifter():
    torch.manual_seed(0)
    return SpatioTemporalLifter(LifterConfig(joint_dim=16, joint_heads=2, frame_dim=64, dim=64, depth=1, heads=4))
