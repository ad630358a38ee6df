"""A person rendered without noise, a small lifter, and one that knows the answer."""

import numpy as np
import pytest
import torch
from torch import nn

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.geometry import project
from poselift.lifting.dataset_views import camera_of
from poselift.models import Lifter, LifterConfig, ModelConfig, SpatioTemporalLifter, Weights
from poselift.skeleton import CMU28, COCO17
from poselift.structures import Keypoints2D


@pytest.fixture(scope="session")
def view():
    return render_views(synthetic_corpus(1, 150, seed=3), seed=4)[0]


@pytest.fixture
def camera(view):
    return camera_of(view)


@pytest.fixture
def keypoints(view, camera):
    """Exact COCO-17 keypoints of the view."""
    points = (view.joints + view.root[:, None])[:, CMU28.indices(list(COCO17.joints))]
    pixels = project(points.reshape(-1, 3), view.K).view(len(points), 17, 2)
    return Keypoints2D(
        pixels.double().numpy(),
        np.full((len(points), 17), 0.9),
        view.times.double().numpy(),
        COCO17,
        camera.image_size,
    )


@pytest.fixture
def weights(tmp_path):
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(
        LifterConfig(joint_dim=16, joint_depth=1, joint_heads=2, frame_dim=32, dim=32, depth=1, heads=4)
    )
    return Weights("test", lifter.eval(), 40, "0" * 64, tmp_path / "test.safetensors", {})


class _Oracle(Lifter):
    """Gives the true joints by time; its window starts with the view."""

    def __init__(self, view):
        super().__init__(ModelConfig())
        self.joints = nn.Parameter(view.joints[:, :17])
        self.fps = 1 / float(view.times[1] - view.times[0])

    def forward(self, encoded):
        frames = ((encoded.times - encoded.times[:, :1]) * self.fps).round().long()
        return self.joints[frames]


@pytest.fixture
def oracle(view, tmp_path):
    """Weights that lift the view perfectly, when it is lifted in one window."""
    return Weights("oracle", _Oracle(view), 500, "0" * 64, tmp_path / "oracle.safetensors", {})
