import csv

import pytest

from poselift.cli.batch.batch_tables import clip_row, write_tables


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0.mp4", "\uff1d1.mp4"])
def test_no_name_is_a_formula_in_the_table_of_failures(tmp_path, name):
    pytest.importorskip("pyarrow", reason="poselift[tables]")
    row = clip_row(name, "clip", "failed", {"sha256": None, "reason": "is empty", "tries": 1}, {})
    write_tables(str(tmp_path), "", [row], [])
    with open(tmp_path / "failures.csv", newline="", encoding="utf-8") as file:
        (failure,) = csv.DictReader(file)
    assert (failure["video"], failure["tries"]) == (f"'{name}", "1")
