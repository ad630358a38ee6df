"""What the tests of the benchmarks share: a lifter of the smallest size with random weights."""

import pytest
import torch

from poselift.models import LifterConfig, SpatioTemporalLifter, save_weights

SMALL = LifterConfig(
    joint_dim=8, joint_heads=2, frame_dim=16, dim=16, heads=2, depth=1, skeleton_out="cmu28", uncertainty=True
)


@pytest.fixture(scope="session")
def lifter_file(tmp_path_factory):
    """A file of weights with CMU-28 out and uncertainty."""
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("weights") / "test.safetensors"
    save_weights(path, SpatioTemporalLifter(SMALL), 40, {"seed": 0})
    return path


@pytest.fixture
def files(cmu_files, lifter_file):
    """Options of the CMU benchmark: two made-up clips, and the small lifter."""
    corpus, bench = cmu_files
    return ["--corpus", str(corpus), "--bench", str(bench), "--weights", str(lifter_file)]
