import pytest

from benchmarks import crowd


@pytest.mark.slow
def test_a_row_for_each_way(short_demo, table, tmp_path):
    size = ["--people", "2", "--heights", "80", "--pictures", "1", "--size", "640x360"]
    crowd.main([*size, "--out", str(tmp_path)])
    _, detect, lifted = table()
    assert [row[:3] for row in (detect, lifted)] == [["2", "80 to 160", "detect"], ["2", "80 to 160", "lift"]]
    assert all(float(row[3]) > 0 for row in (detect, lifted))
    assert (tmp_path / "2_80_0.png").read_bytes().startswith(b"\x89PNG")
