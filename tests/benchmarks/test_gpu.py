import subprocess
import sys

from benchmarks import gpu


def test_it_measures_each_precision(tmp_path, capsys):
    gpu.main(
        ["--device", "cpu", "--weights", "tiny", "--batch", "1", "--repeats", "1", "--out", str(tmp_path / "gpu.md")]
    )
    table = (tmp_path / "gpu.md").read_text()
    assert table in capsys.readouterr().out + "\n"
    rows = {row.split("|")[1].strip(): row.split("|")[2:-1] for row in table.splitlines() if row.startswith("| tiny")}
    assert list(rows) == [f"tiny, 1 windows, {precision}" for precision in gpu.PRECISION]
    differences = [float(cells[-1]) for cells in rows.values()]
    assert differences[0] == 0
    assert 0 < differences[2] < 20  # bfloat16 keeps eight bits


def test_it_runs_as_a_file_from_any_folder(tmp_path):
    """Without the checkout on the path."""
    command = [sys.executable, gpu.__file__, "--help"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "python benchmarks/gpu.py" in ran.stdout
