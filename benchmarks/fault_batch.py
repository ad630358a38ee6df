"""Whether a batch survives broken videos, kills, and workers that die or hang: rows of fault, tries, survived, lost.

    python -m benchmarks.batch --faults [--videos 200] [--tries 3] [--seed 0] [--ray]

The videos are a second or less of the demo clip, 5 % of them broken in five ways. A try survives if all good videos are
lifted with the bytes of a batch that nobody disturbed, and all broken ones are listed. `lost` counts the finished
folders that a fault removed or changed.
"""

import csv
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from poselift.samples import demo_video
from poselift.video import VideoReader, VideoWriter

_COMMAND = [sys.executable, "-c", "from poselift.cli.main import main; main()", "batch"]
_QUICK = ["--weights", "tiny", "--detector", "movenet-fast", "--no-flip", "--quiet"]


class Row(NamedTuple):
    """One line of the table.

    Attributes:
        fault: what happened to the batch.
        tries: how often.
        survived: tries that ended as promised.
        lost: finished folders that the fault removed or changed.
        note: seconds, or what went wrong first.
    """

    fault: str
    tries: int
    survived: int
    lost: int
    note: str = ""


def rows(tries: int, seed: int, videos: int = 200, engines: Sequence[str] = ("local",)) -> Iterator[Row]:
    """The rows.

    Args:
        tries: how often each batch is killed, and each worker.
        seed: of the moments.
        videos: in the batch.
        engines: "local", "ray".
    """
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        broken = make_videos(place / "videos", videos)
        begun = time.perf_counter()
        code = _run(place, "whole").wait()
        took = time.perf_counter() - begun
        whole = finished(place / "whole")
        good = code == 3 and len(whole) == videos - len(broken) and _failures(place / "whole") == broken
        yield Row(f"{len(broken)} broken videos of {videos}", 1, int(good), 0, f"{took:.0f} s")
        for engine in engines:
            out = f"out_{engine}"
            survived = lost = 0
            for _ in range(tries):
                lost += _killed(place, out, engine, draw, draw.uniform(0.1, 0.9) * took / tries, whole)
            code = _run(place, out, "--engine", engine).wait()
            survived = tries * (code == 3 and finished(place / out) == whole and _failures(place / out) == broken)
            survived *= not _leftovers(place / out)
            yield Row(f"{engine}: SIGKILL of the batch", tries, survived, lost)
            begun, cpu = time.perf_counter(), sum(os.times()[2:4])
            before = {path: path.stat().st_mtime_ns for path in (place / out).glob("*/*")}
            _run(place, out, "--engine", engine).wait()
            idle = before == {path: path.stat().st_mtime_ns for path in (place / out).glob("*/*")}
            took_now, cpu = time.perf_counter() - begun, sum(os.times()[2:4]) - cpu
            yield Row(f"{engine}: a second run", 1, int(idle), 0, f"{took_now:.1f} s, {cpu:.1f} s of CPU")
        for number in (signal.SIGKILL, signal.SIGSTOP):
            survived = sum(_worker(place, f"{number.name}{turn}", number, broken, whole) for turn in range(tries))
            yield Row(f"{number.name} of a worker", tries, survived, 0)


def make_videos(folder: Path, count: int) -> list[str]:
    """Writes short videos, 5 % of them broken; the names of the broken ones."""
    folder.mkdir()
    frames = [(frame.image[::2, ::2].copy(), frame.timestamp) for frame in VideoReader(demo_video(), 1.5, 2.5)]
    broken = []
    for number in range(count):
        path = folder / f"{number:04d}.mp4"
        first = number % 8
        with VideoWriter(path, 480, 270) as writer:
            for image, timestamp in frames[first : first + 16 + number % 7]:
                writer.write(image, timestamp - frames[first][1])
        if number % 20 == 7:
            broken.append(path.name)
            content = path.read_bytes()
            ways = (b"", b"no video", content[: len(content) // 3], bytes(len(content)), content[len(content) // 2 :])
            path.write_bytes(ways[number // 20 % len(ways)])
    return broken


def finished(out: Path) -> dict[str, str]:
    """The SHA-256 of the arrays and tables of each finished folder."""
    found = {}
    for record in sorted(out.glob("*/batch.json")):
        digest = hashlib.sha256()
        for path in sorted(record.parent.iterdir()):
            if path.suffix in (".npz", ".csv"):
                digest.update(path.name.encode() + path.read_bytes())
        found[record.parent.name] = digest.hexdigest()
    return found


def _run(place: Path, out: str, *options: str) -> subprocess.Popen[bytes]:
    command = [*_COMMAND, str(place / "videos"), "--out", str(place / out), *_QUICK, *options]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def _killed(place: Path, out: str, engine: str, draw: random.Random, wait: float, whole: dict[str, str]) -> int:
    """Kills a batch after some seconds of work; the number of finished folders that are not right."""
    before = finished(place / out)
    run = _run(place, out, "--engine", engine)
    while run.poll() is None and len(finished(place / out)) == len(before):
        time.sleep(0.1)
    with_work = time.monotonic() + wait
    while run.poll() is None and time.monotonic() < with_work:
        time.sleep(0.05)
    run.kill()
    run.wait()
    time.sleep(2 if engine == "local" else 10)  # Ray ends its workers when it misses the first process
    after = finished(place / out)
    return sum(whole.get(name) != digest for name, digest in after.items()) + len(set(before) - set(after))


def _worker(place: Path, out: str, number: signal.Signals, broken: list[str], whole: dict[str, str]) -> bool:
    """Whether a fifth of the batch ends as promised although a signal meets one of its workers."""
    mine = sorted(path.name for path in (place / "videos").iterdir())[2::5]
    run = _run(place, out, "--workers", "2", "--timeout", "30", "--shard", "3/5")
    while not finished(place / out) and run.poll() is None:
        time.sleep(0.05)
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    workers = [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    os.kill(workers[-1], number)
    code = run.wait()
    expected = {name: digest for name, digest in whole.items() if f"{name.split('-')[0]}.mp4" in mine}
    failed = _failures(place / out, ".3-of-5")
    return code == 3 and finished(place / out) == expected and failed == [name for name in broken if name in mine]


def _failures(out: Path, shard: str = "") -> list[str]:
    with open(out / f"failures{shard}.csv", newline="") as file:
        return sorted(row["video"] for row in csv.DictReader(file))


def _leftovers(out: Path) -> list[str]:
    """Hidden names, but for the records of failures."""
    return [path.name for path in out.iterdir() if path.name.startswith(".") and path.name != ".failed"]
