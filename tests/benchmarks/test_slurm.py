import pytest

from benchmarks import slurm


def test_missing_slurm_is_one_line(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(slurm.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit):
        slurm.main([])
    assert capsys.readouterr().err.endswith(
        "error: munged, slurmctld, slurmd, sbatch of SLURM is not installed; install slurm-wlm (Debian, Ubuntu)\n"
    )


def test_the_pages_have_the_scripts():
    array, last = slurm._scripts("batch.md")
    (training,) = slurm._scripts("training.md")
    assert "--array=1-8" in array
    assert "afterany:JOB" in last
    assert "trainer=slurm" in training
    with pytest.raises(SystemExit, match="the page has no 'nonsense'"):
        slurm._changed(training, {"nonsense": ""})
