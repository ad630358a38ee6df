import pytest

from benchmarks import onnx_graphs


@pytest.mark.slow
def test_differences_and_times(files, tmp_path, capsys):
    pytest.importorskip("onnxscript")
    onnx_graphs.main([*files, "--threads", "1", "--repeats", "1", "--out", str(tmp_path / "graphs.md")])
    table = (tmp_path / "graphs.md").read_text()
    assert table in capsys.readouterr().out
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines() if "| test" in row]
    lifter, *timed = rows
    assert lifter[:2] == ["test", "14"]  # two views of 150 frames, in windows of 40
    assert all(0 <= float(cell) < 0.1 for cell in lifter[2:])
    assert [row[0] for row in timed] == ["test, 1 x 27 frames", "test, 1 x 40 frames", "test, 4 x 40 frames"]
    assert all(float(cell) > 0 for row in timed for cell in row[2:])
