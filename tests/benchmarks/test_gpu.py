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
