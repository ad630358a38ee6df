"""The script for a lent GPU, on the CPU: it runs, and its path gives the joints of single crops."""

import pytest

from benchmarks.gpu_video import main
from poselift.samples import demo_video

pytestmark = pytest.mark.slow


def test_it_runs_on_the_cpu(capsys):
    how = ["--device", "cpu", "--frames", "5", "--batch", "2", "--seconds", "30", "--models", "movenet_thunder_batch"]
    main([str(demo_video()), *how])
    out = capsys.readouterr().out
    table = [[cell.strip() for cell in line.split("|")[1:]] for line in out.splitlines() if line.startswith("|")]
    rows = {cells[0]: cells[1:] for cells in table}
    assert float(rows["poselift's reader, to RGB"][0]) > 0
    profile = rows["movenet_thunder_batch, 2 crops"]
    assert "Conv (CPU)" in profile[2]
    assert profile[4] == "0", "no copies to a GPU"
    for way, near in (("CPU, batches", 0.01), ("cpu, float32", 0.01), ("cpu, float16", 1.0)):
        _, stages, middle, most, *_ = rows[f"movenet_thunder_batch, {way}"]
        assert all(stage in stages for stage in ("decode", "crop", "model", "read"))
        assert float(middle) <= float(most) < near, "pixels"


def test_a_device_that_is_missing_is_told_before_the_work(capsys):
    with pytest.raises(SystemExit) as ended:
        main([str(demo_video()), "--device", "cuda:99"])
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert "cuda:99" in told.err
    assert "decoding" not in told.out
