"""Models of configs that mmpose ships, with seeded random weights in real checkpoint files."""

from itertools import islice

import pytest

from poselift.detection import MMPose
from poselift.samples import demo_video
from poselift.video import VideoReader
from tests.detection.mmpose.random_weights import PERSON, skip_without_mmpose, write_checkpoint


@pytest.fixture(scope="session")
def pictures():
    return [frame.image for frame in islice(VideoReader(demo_video()), 0, 90, 30)]


@pytest.fixture(scope="session")
def installed():
    skip_without_mmpose()


@pytest.fixture(scope="session")
def checkpoint(installed, pictures, tmp_path_factory):
    """From the name of a config to a checkpoint of it; written once each."""
    folder, written = tmp_path_factory.mktemp("checkpoints"), {}

    def write(name):
        if name not in written:
            written[name] = folder / f"{name}.pth"
            write_checkpoint(name, pictures, written[name])
        return str(written[name])

    return write


@pytest.fixture(scope="session")
def build(checkpoint):
    """From the name of a pose config to a detector."""

    def build(name, **options):
        return MMPose("cpu", name, checkpoint(name), PERSON, checkpoint(PERSON), **options)

    return build
