import struct

import numpy as np
import pytest

from poselift.cli.attention import watch
from poselift.cli.main import main
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


def attention(*arguments):
    main(["attention", "--detector", "movenet-fast", *map(str, arguments)])


def size_of(path):
    """Width and height of a PNG, which its header says."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return struct.unpack(">II", head[16:24])


def test_pictures_of_the_shipped_lifter(tmp_path, capsys):
    attention("--out", tmp_path, "--frames", 16, "--start", 1)
    assert {path.name for path in tmp_path.iterdir()} == {"joints.png", "joints.pdf", "time.png", "time.pdf"}
    said = capsys.readouterr().out
    assert "16 frames from 1.00 s on, 12 layers" in said
    assert str(tmp_path / "joints.png") in said
    width, height = size_of(tmp_path / "time.png")
    assert height > width  # eight heads beside each other, ten layers


def test_other_weights_and_what_cannot_be_shown(tmp_path, capsys):
    lifter = SpatioTemporalLifter(
        LifterConfig(dim=16, depth=1, heads=2, joint_dim=8, frame_dim=16, joint_attention="fnet")
    )
    save_weights(tmp_path / "mixed.safetensors", lifter, 8, {})
    attention("--out", tmp_path / "mixed", "--weights", tmp_path / "mixed.safetensors", "--quiet")
    assert {path.name for path in (tmp_path / "mixed").iterdir()} == {"time.png", "time.pdf"}
    assert not capsys.readouterr().out

    save_weights(tmp_path / "plain.safetensors", SimpleBaseline(SimpleBaselineConfig(dim=8)), 8, {})
    for arguments, message in (
        (["--weights", tmp_path / "plain.safetensors"], "SimpleBaseline has no attention to show"),
        (["--frames", 1], "--frames must be at least 2"),
        (["--frames", 0], "--frames must be at least 2"),
        (["--start", 1000], "has no frame from 1000 s on"),
        (["--person", 9, "--frames", 8], "9"),
    ):
        with pytest.raises(SystemExit) as left:
            attention("--out", tmp_path / "out", *arguments)
        assert left.value.code == 2
        assert message in capsys.readouterr().err


def test_a_person_without_usable_keypoints_is_an_error():
    body = np.random.default_rng(0).uniform(200, 400, (8, 17, 2))
    keypoints = Keypoints2D(body, np.full((8, 17), 0.1), np.arange(8) / 30, COCO17, (640, 480))
    with pytest.raises(InputError, match=r"person 1 cannot be lifted: no joint of the lifter scores 0\.2 or more"):
        watch(keypoints, load_weights("tiny"), camera_for((640, 480)), 8)
