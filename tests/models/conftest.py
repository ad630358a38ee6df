"""A small lifter and keypoints to give it."""

import pytest
import torch

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.models import LifterConfig, SpatioTemporalLifter


@pytest.fixture
def lifter():
    """With joint tokens over time; test_baselines.py has one without."""
    torch.manual_seed(0)
    config = LifterConfig(joint_dim=16, joint_time=True, frame_dim=32, dim=32, depth=2, heads=4)
    return SpatioTemporalLifter(config).eval()


@pytest.fixture(scope="session")
def view():
    """A stick person walking, seen by a camera and a detector; 120 frames at 50 fps."""
    return render_views(synthetic_corpus(1, 120, seed=3), seed=4)[0]
