import dataclasses
import sys

import numpy as np
import pytest

from benchmarks import readers
from benchmarks.readers import READERS, Reader
from poselift.export import write_npz, write_sidecar
from poselift.export.export_formats import FORMATS
from tests.kinematics.conftest import pose, turn


@pytest.fixture
def walk():
    return pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20)


@pytest.fixture
def person(tmp_path, walk):
    """A motion as `poselift lift` writes it."""
    path = tmp_path / "person_1.npz"
    write_npz(path, walk)
    write_sidecar(path.with_suffix(".json"), walk, camera={}, weights={})
    return path


def test_every_format_has_a_reader():
    assert {reader.format for reader in READERS} >= set(FORMATS)


def test_a_program_that_is_installed_reads_what_was_written(person, tmp_path):
    pytest.importorskip("ezc3d")
    reader = next(reader for reader in READERS if reader.tool == "ezc3d")
    cell = readers.row(reader, [person], tmp_path, [sys.executable], None)[-1]
    assert float(cell.removeprefix("person 1: error at most ").split()[0]) < 1e-3
    assert "30 frames/s" in cell


def test_a_missing_program_is_a_row_with_its_command(person, tmp_path):
    reader = Reader("csv", "no_such_module", ("with_tables.py", "no_such_module"), "read")
    row = readers.row(reader, [person], tmp_path, [sys.executable], None)
    assert row[-1] == "not installed; run: pip install no_such_module"


def test_what_a_program_got_wrong_shows(walk):
    reader = next(reader for reader in READERS if reader.format == "c3d")
    found = {"names": list(walk.skeleton.joints), "rate": 25.0, "note": ""}
    moved = walk.joints + walk.root[:, None] + [0, 0.002, 0]
    assert readers.seen(reader, found, moved, walk) == "error at most 2 mm; 25 frames/s"
    assert "LOST: 19 of 20 frames" in readers.seen(reader, found, moved[1:], walk)
    turned = dataclasses.replace(reader, format="bvh")
    assert "trunk at most 90 degrees" in readers.seen(turned, found, moved[..., [0, 2, 1]], walk)


def test_the_command_lifts_exports_and_reads(short_demo, tmp_path, capsys):
    pytest.importorskip("ezc3d")
    readers.main(["--only", "c3d,csv", "--python", sys.executable, "--out", str(tmp_path)])
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0].removeprefix("| ") for row in rows] == [r.format for r in READERS if r.format in ("c3d", "csv")]
    assert "error at most" in next(row for row in rows if row[1].startswith("ezc3d"))[-1]
    assert list((tmp_path / "lifted").glob("person_*.npz"))
