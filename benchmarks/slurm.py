"""The scripts of docs/batch.md and docs/training.md on a SLURM cluster of two nodes that this machine plays.

    python -m benchmarks.slurm [--steps 6000]

Needs SLURM (Debian, Ubuntu: `apt-get install slurm-wlm`) and `poselift[sweep,tables]`. Each job is interrupted: SLURM
ends training at a limit of two minutes, submitit does the same with a sweep, and `scontrol requeue` meets a task of an
array. The results are compared, byte for byte, with those of the same commands without SLURM or interruption.
"""

import contextlib
import getpass
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.command import command_line, table_head, table_row
from benchmarks.fault_batch import finished, make_videos

_ROOT = Path(__file__).parents[1]
_POSELIFT = [sys.executable, "-c", "from poselift.cli.main import main; main()"]
_CONF = """ClusterName=poselift
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/%n
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs=1
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs=1
PartitionName=all Nodes=ALL Default=YES State=UP
"""
_SMALL = [
    *("trainer.accelerator=cpu", "frames=16", "data.batch_size=4", "data.clips=4", "data.clip_frames=40"),
    *(f"model.{part}" for part in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")),
    "callbacks.progress=null",
]
_QUICK = ["--weights", "tiny", "--quality", "fast", "--no-flip", "--quiet"]


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[None]:
    """A SLURM cluster of two nodes with a CPU each, for this process and its children.

    Args:
        folder: for its files; the logs tell why it does not start.
    """
    with contextlib.ExitStack() as open_ports:
        ports = [open_ports.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1] for _ in range(3)]
    places = dict(zip(("port", "first", "second"), ports, strict=True))
    conf = folder / "slurm.conf"
    conf.write_text(
        _CONF.format(host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=folder, **places)
    )
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o600)
    kinds = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
    munge = [f"--{option}={folder}/munge.{ending}" for option, ending in kinds.items()]
    os.environ |= {
        "SLURM_CONF": str(conf),
        "MASTER_ADDR": "127.0.0.1",  # no name server knows n1
        "OMP_NUM_THREADS": "1",
        "PATH": os.pathsep.join([str(folder), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")])),
    }
    command = folder / "poselift"  # the scripts call it by its name
    start = 'if __name__ == "__main__":  # not in the workers of a batch\n    sys.exit(main())\n'
    command.write_text(f"#!{sys.executable}\nimport sys\n\nfrom poselift.cli.main import main\n\n{start}")
    command.chmod(0o755)
    daemons = [["munged", "--foreground", "--force", *munge], ["slurmctld", "-D"]]
    daemons += [["slurmd", "-D", "-N", node] for node in ("n1", "n2")]
    with contextlib.ExitStack() as running:
        for daemon in daemons:
            process = running.enter_context(subprocess.Popen(daemon, stderr=subprocess.DEVNULL))
            running.callback(process.terminate)
            time.sleep(1)
        _wait(
            lambda: _said("sinfo", "-h", "-t", "idle", "-o", "%D") == "2", f"no cluster; read the logs in {folder}", 60
        )
        yield


def array(place: Path) -> list[str]:
    """The array script of docs/batch.md with 20 videos; one task is requeued on the way, and the last job ends it."""
    videos, out = place / "videos", place / "lifted"
    make_videos(videos, 20)
    whole = subprocess.run([*_POSELIFT, "batch", videos, "--out", place / "whole", *_QUICK], stderr=subprocess.DEVNULL)
    script, last = _scripts("batch.md")
    given = {"/data/videos --out /scratch/lifted": f"{videos} --out {out} {' '.join(_QUICK)}"}
    job = _submit(place, _changed(script, {**given, "--cpus-per-task=16": "--cpus-per-task=1"}))
    final = {**given, "sbatch": "sbatch --parsable", "JOB": job}
    last = _said("bash", "-c", _changed(last, final), folder=place)
    _wait(lambda: bool(finished(out)), "no video was lifted", 120)
    _said("scontrol", "requeue", _said("squeue", "-h", "-t", "running", "-o", "%i").split()[0])
    _wait_for(last)
    same = whole.returncode == 3 and finished(out) == finished(place / "whole")
    if not same:
        print((place / f"slurm-{last}.out").read_text(), file=sys.stderr)
    work = f"{len(finished(out))} of 19 videos"
    return ["array of 8 shards, and the last job", "9", "1", work, "yes" if same else "NO"]


def training(place: Path, steps: int) -> list[str]:
    """The script of docs/training.md, which continues itself: SLURM ends it after two minutes."""
    changes = {
        "--ntasks-per-node=4 --gpus-per-node=4 --time=04:00:00": "--ntasks-per-node=1 --time=2",
        "TERM@180": "TERM@30",
        "name=large": " ".join(["name=large", "trainer.devices=1", f"steps={steps}", *_SMALL]),
    }
    (script,) = _scripts("training.md")
    script = _changed(script, changes)
    job = _submit(place, script)
    _wait_for(job)
    _wait_for(_submit(place, _changed(script, {"--time=2": "--time=60", "name=large": "name=whole"})))
    log = (place / f"slurm-{job}.out").read_text()
    same = _equal(place / "runs", log, ["large/large"], ["whole/whole"])
    return ["training on two nodes", "1", str(log.count("Stopped. Go on with")), f"{steps} steps", same]


def sweep(place: Path, steps: int) -> list[str]:
    """The sweep of docs/training.md with two seeds: submitit ends its jobs after two minutes."""
    page = (_ROOT / "docs" / "training.md").read_text()
    (command,) = re.findall(r"^(poselift train -m .*?[^\\])$", page, re.M | re.S)
    changes = {"seed=0,1,2": "seed=0,1", "timeout_min=240": "timeout_min=2 hydra.launcher.signal_delay_s=30"}
    options = " ".join([f"steps={steps}", *_SMALL])
    subprocess.run(f"{_changed(command, changes)} {options} > sweep.log 2>&1", shell=True, cwd=place, check=True)
    for seed in (0, 1):
        _said(*_POSELIFT, "train", f"seed={seed}", f"name=seed{seed}", f"steps={steps}", *_SMALL, folder=place)
    log = "".join(path.read_text() for path in (place / "runs/lifter_sweep/.submitit").glob("*/*.err"))
    same = _equal(
        place / "runs", log, ["lifter_sweep/0/lifter", "lifter_sweep/1/lifter"], ["seed0/seed0", "seed1/seed1"]
    )
    return ["sweep of two seeds by submitit", "2", str(log.count("this job is timed-out")), f"{steps} steps", same]


def _scripts(page: str) -> list[str]:
    """The blocks of a page with a batch script, or the command that submits one."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", (_ROOT / "docs" / page).read_text(), re.M | re.S)
    return [block for block in blocks if "SBATCH" in block or block.startswith("sbatch")]


def _changed(text: str, changes: dict[str, str]) -> str:
    """A text of a page with what must be smaller here."""
    for old, new in changes.items():
        if old not in text:
            sys.exit(f"the page has no {old!r}; adapt benchmarks/slurm.py")
        text = text.replace(old, new)
    return text


def _submit(place: Path, text: str) -> str:
    """The number of the job of a script."""
    (place / "job.sh").write_text(text)
    return _said("sbatch", "--parsable", "--open-mode=append", "job.sh", folder=place)


def _wait_for(job: str) -> None:
    def ended() -> bool:
        asked = subprocess.run(["squeue", "-h", "-o", "%i", "-j", job], capture_output=True, text=True)
        return "Invalid job id" in asked.stderr or (asked.returncode == 0 and not asked.stdout)

    _wait(ended, f"job {job} does not end")


def _wait(done: Callable[[], bool], failure: str, seconds: float = 1200) -> None:
    last = time.monotonic() + seconds
    while not done():
        if time.monotonic() > last:
            sys.exit(failure)
        time.sleep(1)


def _said(*command: str, folder: Path | None = None) -> str:
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    return done.stdout.strip()


def _equal(runs: Path, log: str, ours: list[str], theirs: list[str]) -> str:
    """Whether the weights of runs are the same bytes; if not, the end of a log tells why."""
    pairs = [[runs / f"{name}.safetensors" for name in names] for names in zip(ours, theirs, strict=True)]
    same = all(one.exists() and two.exists() and one.read_bytes() == two.read_bytes() for one, two in pairs)
    if not same:
        print(log[-2000:], file=sys.stderr)
    return "yes" if same else "NO"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the jobs and prints a table."""
    parser = command_line(__doc__)
    parser.add_argument("--steps", type=int, default=6000, help="of training, more than fit in a minute; default 6000")
    options = parser.parse_args(arguments)
    os.environ["PATH"] += ":/usr/sbin"
    if missing := [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if shutil.which(name) is None]:
        parser.error(f"{', '.join(missing)} of SLURM is not installed; install slurm-wlm (Debian, Ubuntu)")
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        (place / "cluster").mkdir()
        (place / "jobs").mkdir()
        with cluster(place / "cluster"):
            print(table_head(["jobs", "number", "interrupted", "work", "same bytes"]))
            for way in (array, partial(training, steps=options.steps), partial(sweep, steps=options.steps)):
                print(table_row(way(place / "jobs")), flush=True)


if __name__ == "__main__":
    main()
