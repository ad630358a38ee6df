"""MMPose's networks behind our interface, and the error without mmpose."""

import importlib.util

import pytest
import torch

from benchmarks.mmpose_networks import MotionBERT, MotionBERTConfig, VideoPose3D, VideoPose3DConfig
from poselift.core.errors import InputError
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.models import encode

pytestmark = pytest.mark.slow

SMALL = {
    MotionBERT: MotionBERTConfig(dim=16, depth=2, heads=2, frames=30),
    VideoPose3D: VideoPose3DConfig(channels=16, depth=2),
}

INSTALLED = importlib.util.find_spec("mmpose") is not None
needs_mmpose = pytest.mark.skipif(not INSTALLED, reason="needs mmpose: bash tools/install_mmpose.sh")


@pytest.fixture(scope="module")
def windows():
    """Two windows of 30 frames; the second one ends after 19."""
    views = render_views(synthetic_corpus(2, 30, seed=3), seed=4)
    valid = torch.ones(2, 30, dtype=torch.bool)
    valid[1, 19:] = False
    names = ("keypoints", "scores", "times", "K", "image_size")
    return encode(*(torch.stack([getattr(view, name) for view in views]) for name in names), valid)


@pytest.fixture(params=SMALL, ids=lambda network: network.__name__)
def model(request):
    torch.manual_seed(0)
    return request.param(SMALL[request.param]).eval()


@pytest.mark.skipif(INSTALLED, reason="mmpose is installed")
@pytest.mark.parametrize("network", SMALL)
def test_without_mmpose_the_error_says_how_to_install_it(network):
    with pytest.raises(InputError, match=r"bash tools/install_mmpose\.sh"):
        network(SMALL[network])


@needs_mmpose
class TestNetworks:
    def test_joints_come_out_relative_to_the_root(self, model, windows):
        out = model(windows)
        assert out.shape == (2, 30, 17, 3)
        assert out.isfinite().all()
        assert (out[:, :, 0] == 0).all()

    def test_videopose3d_gives_of_each_frame_what_mmpose_gives_of_the_frames_around_it(self, windows):
        """MMPose lifts the middle of a window of as many frames as are seen; we, all frames of ours at once."""
        torch.manual_seed(0)
        model = VideoPose3D(VideoPose3DConfig(channels=16, depth=1)).eval()
        assert model.reach == 4
        joints, context = model.inputs(windows)
        channels = torch.cat((joints[..., :2].flatten(2), context), -1)
        around = channels[:1, 11 - 4 : 11 + 5].mT
        alone = model.head(model.backbone(around))
        assert alone.shape == (1, 17, 3)
        expected = (alone - alone[:, :1]) @ windows.rotation[0]
        torch.testing.assert_close(model(windows)[0, 11], expected[0], atol=1e-5, rtol=1e-4)

    def test_the_published_sizes(self):
        """Parameters of the papers' models: 42.5 M and 16.95 M, within what the context adds."""
        count = {
            network: sum(p.numel() for p in network(type(config)()).parameters()) for network, config in SMALL.items()
        }
        assert count[MotionBERT] == pytest.approx(42.5e6, rel=0.01)
        assert count[VideoPose3D] == pytest.approx(16.95e6, rel=0.01)
