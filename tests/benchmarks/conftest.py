"""What the tests of the benchmarks share: a lifter of the smallest size with random weights, and a very short clip."""

from itertools import islice

import pytest
import torch

from benchmarks import clips, turned
from poselift.cli import lift
from poselift.models import LifterConfig, SpatioTemporalLifter, load_weights, save_weights
from poselift.samples import demo_video
from poselift.video import VideoReader, VideoWriter

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
def weights(lifter_file):
    return load_weights(lifter_file)


@pytest.fixture
def files(cmu_files, lifter_file):
    """Options of the CMU benchmark: two made-up clips, and the small lifter."""
    corpus, bench = cmu_files
    return ["--corpus", str(corpus), "--bench", str(bench), "--weights", str(lifter_file)]


@pytest.fixture(scope="session")
def short_clip(tmp_path_factory):
    """The first eight frames of the demo clip."""
    path, reader = tmp_path_factory.mktemp("clip") / "short.mp4", VideoReader(demo_video())
    with VideoWriter(path, reader.info.width, reader.info.height) as writer:
        for frame in islice(reader, 8):
            writer.write(frame.image, frame.timestamp)
    return path


@pytest.fixture
def short_demo(short_clip, monkeypatch):
    """Takes the short clip where benchmarks and `poselift lift` take the demo clip."""
    for module in (clips, turned, lift):
        monkeypatch.setattr(module, "demo_video", lambda: short_clip)


@pytest.fixture
def table(capsys):
    """The cells of the Markdown tables that were printed, a list for each row with numbers."""

    def rows():
        lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    return rows
