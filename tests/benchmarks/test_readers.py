import dataclasses
import sys

import numpy as np
import pytest

from benchmarks import readers
from benchmarks.readers import READERS
from poselift.export.export_formats import FORMATS
from tests.kinematics.conftest import pose, turn


@pytest.fixture
def walk():
    return pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20)


def test_every_format_has_a_reader():
    assert {reader.format for reader in READERS} >= set(FORMATS)


def test_what_a_program_got_wrong_shows(walk):
    reader = next(reader for reader in READERS if reader.format == "c3d")
    found = {"names": list(walk.skeleton.joints), "rate": 25.0, "note": ""}
    moved = walk.joints + walk.root[:, None] + [0, 0.002, 0]
    assert readers.seen(reader, found, moved, walk) == "error at most 2 mm; 25 frames/s"
    assert "LOST: 19 of 20 frames" in readers.seen(reader, found, moved[1:], walk)
    turned = dataclasses.replace(reader, format="bvh")
    assert "trunk at most 90 degrees" in readers.seen(turned, found, moved[..., [0, 2, 1]], walk)


@pytest.mark.slow
def test_the_command_lifts_exports_and_reads(short_demo, tmp_path, capsys):
    pytest.importorskip("ezc3d")
    readers.main(["--only", "c3d,csv", "--python", sys.executable, "--out", str(tmp_path)])
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0].removeprefix("| ") for row in rows] == [r.format for r in READERS if r.format in ("c3d", "csv")]
    assert "error at most" in next(row for row in rows if row[1].startswith("ezc3d"))[-1]
    assert list((tmp_path / "lifted").glob("person_*.npz"))
