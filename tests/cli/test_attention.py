import struct

import pytest

from poselift.cli.main import main
from poselift.models import (
    LifterConfig,
    SimpleBaseline,
    SimpleBaselineConfig,
    SpatioTemporalLifter,
    save_weights,
)


def attention(*arguments):
    main(["attention", "--detector", "movenet-fast", *map(str, arguments)])


def size_of(path):
    """Width and height of a PNG, from its header."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return struct.unpack(">II", head[16:24])


def test_pictures_of_a_shipped_lifter(tmp_path, capsys):
    attention("--out", tmp_path, "--weights", "tiny", "--frames", 6, "--start", 1)
    assert {path.name for path in tmp_path.iterdir()} == {"joints.png", "joints.pdf", "time.png", "time.pdf"}
    said = capsys.readouterr().out
    assert "6 frames from 1.00 s on, 4 layers" in said
    assert str(tmp_path / "joints.png") in said
    width, height = size_of(tmp_path / "time.png")
    assert width > height  # eight heads beside each other, three layers


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
        (["--person", 9, "--frames", 4], "9"),
    ):
        with pytest.raises(SystemExit) as left:
            attention("--out", tmp_path / "out", *arguments)
        assert left.value.code == 2
        assert message in capsys.readouterr().err
