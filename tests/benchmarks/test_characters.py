import sys

import numpy as np
import pytest

from benchmarks import characters
from benchmarks.characters import COLUMNS, feet_figures
from poselift.export import write_npz, write_sidecar
from poselift.kinematics import solve
from tests.kinematics.test_feet import walker


def test_figures_are_those_of_a_motion_that_slides_and_sinks():
    motion = walker(drift=0.1, sink=0.03)
    figures = feet_figures(solve(motion), motion.contacts)
    assert tuple(figures) == COLUMNS
    assert figures["slide cm/s, mean"] == pytest.approx(10, abs=0.5)
    assert figures["under the ground cm, max"] == pytest.approx(3, abs=1.5)
    assert figures["knee step deg, max"] > 3
    still = walker()
    assert feet_figures(solve(still), still.contacts)["slide cm/s, mean"] < 0.5


def test_the_command_prints_feet_before_and_after_and_what_is_missing(tmp_path, table):
    motion = walker(drift=0.1, frames=60)
    path = tmp_path / "person_1.npz"
    write_npz(path, motion)
    write_sidecar(path.with_suffix(".json"), motion, camera={}, weights={})
    characters.main(["--motion", str(path), "--python", sys.executable, "--out", str(tmp_path)])
    rows = [row for row in table() if len(row) > 2]
    before, after = (np.array(row[3:], float) for row in rows if row[2] in ("as lifted", "locked"))
    assert before[0] > 9
    assert after[1] < 0.5
    seen = [row[-1] for row in rows if row[0] in ("Rigify, generated", "VRM avatar")]
    assert len(seen) == 2
    assert all("not installed; run:" in cell or "at most" in cell for cell in seen)


def test_views_of_the_benchmark_have_medians(files, table):
    characters.main(files)
    head, before, after = table()
    assert head[:3] == ["motion", "skeleton", "feet"]
    assert float(after[3]) < float(before[3])
    assert float(after[4]) < 0.5
    assert "steps in" in after[2]


def test_it_lifts_the_demo_clip(short_demo, table, tmp_path):
    characters.main(["--out", str(tmp_path)])
    assert [row[2] for row in table() if row[1] == "cmu28"][:2] == ["as lifted", "locked"]
