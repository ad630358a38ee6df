"""The batch scripts of the documentation run with what they call replaced."""

import os
import subprocess

import pytest

from tests.docs.commands import ROOT, scripts_of


@pytest.mark.parametrize(
    ("page", "status", "called"),
    [
        ("batch.md", 0, ["poselift batch /data/videos --out /scratch/lifted --shard 3/8"]),
        ("training.md", 0, ["poselift train trainer=slurm name=large resume=auto"]),
        ("training.md", 143, ["poselift train trainer=slurm name=large resume=auto", "scontrol requeue 1"]),
    ],
)
def test_a_batch_script(page, status, called, tmp_path):
    """The commands that it calls, if the first one ends with this status."""
    (script,) = scripts_of(ROOT / "docs" / page)
    note = f'echo "$(basename $0) $@" >> {tmp_path}/called'
    for name, line in {"poselift": f"{note}; exit {status}", "scontrol": note, "srun": 'exec "$@"'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    job = {"SLURM_JOB_ID": "1", "SLURM_ARRAY_TASK_ID": "3", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert subprocess.run(["bash", "-c", script], env=job).returncode == 0
    assert (tmp_path / "called").read_text().splitlines() == called
