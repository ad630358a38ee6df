import re
import struct

import numpy as np
import pytest
import torch

from poselift.cli.attention import watch
from poselift.core.errors import InputError
from poselift.lifting import camera_for
from poselift.models import (
    LifterConfig,
    SimpleBaseline,
    SimpleBaselineConfig,
    SpatioTemporalLifter,
    load_weights,
    save_weights,
)
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from tests.cli.running import assert_refused, poselift

pytestmark = pytest.mark.slow

ATTENTION = ("attention", "--detector", "movenet-fast")


def size_of(path):
    """Width and height of a PNG, from its header."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return struct.unpack(">II", head[16:24])


@pytest.fixture
def weights(tmp_path):
    """Random weights: one layer over joints and three over time, of two heads each."""
    torch.manual_seed(0)
    sizes = {"dim": 16, "depth": 3, "heads": 2, "joint_dim": 8, "joint_heads": 2, "frame_dim": 16}
    save_weights(tmp_path / "small.safetensors", SpatioTemporalLifter(LifterConfig(**sizes)), 8, {})
    return tmp_path / "small.safetensors"


def test_pictures_of_a_lifter(weights, tmp_path):
    ran = poselift(*ATTENTION, "--out", tmp_path / "out", "--weights", weights, "--frames", 6, "--start", 0.2)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"joints.png", "joints.pdf", "time.png", "time.pdf"}
    assert re.search(r"6 frames from 0\.\d\d s on, 4 layers", ran.out)
    assert str(tmp_path / "out" / "joints.png") in ran.out
    width, height = size_of(tmp_path / "out" / "time.png")
    assert height > width  # two heads beside each other, three layers


def test_bad_input_names_what_is_wrong(weights, tmp_path):
    save_weights(tmp_path / "plain.safetensors", SimpleBaseline(SimpleBaselineConfig(dim=8)), 8, {})
    for arguments, message in (
        (["--weights", tmp_path / "plain.safetensors", "--frames", 4], "SimpleBaseline has no attention to show"),
        (["--frames", 1], "--frames must be at least 2"),
        (["--start", 1000], "has no frame from 1000 s on"),
        (["--person", 9, "--frames", 4], "9"),
    ):
        assert_refused(message, *ATTENTION, "--quiet", "--out", tmp_path / "out", "--weights", weights, *arguments)


def test_the_window_begins_with_the_first_frame_that_can_be_used():
    body, scores = np.random.default_rng(0).uniform(200, 400, (8, 17, 2)), np.full((8, 17), 0.9)
    weights, camera = load_weights("tiny"), camera_for((640, 480))
    scores[:3] = 0.1
    motion, _ = watch(Keypoints2D(body, scores, np.arange(8) / 30, COCO17, (640, 480)), weights, camera, 4)
    np.testing.assert_allclose(motion.timestamps, np.arange(3, 7) / 30)
    scores[:] = 0.1
    with pytest.raises(InputError, match=r"person 1 cannot be lifted: no joint of the lifter scores 0\.2 or more"):
        watch(Keypoints2D(body, scores, np.arange(8) / 30, COCO17, (640, 480)), weights, camera, 8)
