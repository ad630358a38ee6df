"""What is left when processes are killed, disks fill up, folders cannot be written to and the network goes.

    python benchmarks/fault_processes.py [--tries N] [--seed S]

Each try disturbs a command, checks what it left, and runs the same command again to the end. A try survives if exit
code and message are those of docs/faults.md, no file is half-written, and the second run ends with the bytes of a run
that nothing disturbed. Something is lost if a file that was finished before the fault is gone or damaged.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

if not __package__:  # run as a file: `benchmarks` is beside, not above
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.command import command_line, table_head, table_row
from benchmarks.fault_runs import Ended, Whole, exporting, lifting, run, training, whole
from poselift.core.download import fetch
from poselift.core.errors import InputError

Try = tuple[list[str], list[str]]
"""What was wrong in one try, and what was lost."""


class Row(NamedTuple):
    """One line of the table.

    Attributes:
        fault: the command, and what happened to it.
        tries: how often.
        survived: tries that ended as promised.
        lost: tries that lost something finished.
        note: what went wrong first; empty if nothing did.
    """

    fault: str
    tries: int
    survived: int
    lost: int
    note: str


def rows(tries: int, seed: int) -> Iterator[Row]:
    """The lines of the table.

    Args:
        tries: how often to try each fault; a tenth as often where a try takes a minute.
        seed: of the random moments and sizes.
    """
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        for make in (training, lifting, exporting):
            folder = place / make.__name__
            folder.mkdir()
            undisturbed = whole(make(folder), folder)
            name = undisturbed.work.name
            for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
                yield counted(f"{name}: {number.name}", tries, partial(signalled, undisturbed, number, draw))
            yield counted(f"{name}: disk full", tries, partial(full_disk, undisturbed, draw))
            yield counted(f"{name}: read-only folder", tries, partial(read_only, undisturbed))
        yield counted("any command: Ctrl-C while modules load", tries, lambda: loading(draw))
        yield counted("weights: no network", tries, lambda: no_network(place))
        yield counted("weights: connection lost", tries, lambda: cut_off(place, draw))
        yield counted("training: one of two processes dies", -(-tries // 10), lambda: worker(draw))


def counted(fault: str, tries: int, once: Callable[[], Try]) -> Row:
    """Tries one fault several times."""
    ends = [once() for _ in range(tries)]
    notes = [note for problems, lost in ends for note in (*problems, *(f"{name} is lost" for name in lost))]
    return Row(
        fault, tries, sum(end == ([], []) for end in ends), sum(bool(lost) for _, lost in ends), (notes or [""])[0]
    )


def signalled(undisturbed: Whole, number: signal.Signals, draw: random.Random) -> Try:
    """A signal at a random moment; half of the time, results of an earlier run are there."""
    out = _folder(undisturbed, draw)
    earlier = not undisturbed.unlike(out)
    ended = run(undisturbed.work.arguments(out), send=(draw.uniform(0, undisturbed.seconds), number))
    right = -number if number == signal.SIGKILL else 128 + number
    problems = ended.odd([0, right])
    if ended.code == right and number != signal.SIGKILL and undisturbed.work.name == "training":
        told = ("Go on with: poselift train ", "; start the run again.", "stopped\n")
        problems += [] if any(words in ended.said for words in told) else ["it does not say how to go on"]
    return _finished(undisturbed, out, problems, earlier)


def full_disk(undisturbed: Whole, draw: random.Random) -> Try:
    """No file can grow beyond a random size."""
    out = _folder(undisturbed, draw)
    earlier = not undisturbed.unlike(out)
    largest = max((undisturbed.folder / name).stat().st_size for name in undisturbed.work.files)
    ended = run(undisturbed.work.arguments(out), room=draw.randrange(1000, largest))
    problems = ended.odd([2])
    if ended.code == 2 and str(out) not in ended.said:
        problems.append(f"names no file: {ended.said.strip().splitlines()[-1]}")
    return _finished(undisturbed, out, problems, earlier)


def read_only(undisturbed: Whole) -> Try:
    """A folder that cannot be written to."""
    out = undisturbed.folder.parent / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    out.chmod(0o555)
    ended = run(undisturbed.work.arguments(out), powerless=True)
    problems = ended.odd([2]) + [f"wrote {path}" for path in out.iterdir()]
    if ended.code == 2 and str(out) not in ended.said:
        problems.append("does not name the folder")
    out.chmod(0o755)
    return _finished(undisturbed, out, problems, earlier=False)


def loading(draw: random.Random) -> Try:
    """Ctrl-C between the start of Python and the first line of work."""
    code = "from poselift.cli.main import main; main()"
    command = [sys.executable, "-c", code, draw.choice(["lift", "train", "export"]), "--help"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        time.sleep(draw.uniform(0.2, 3.0))  # Python itself takes the first 0.1 s
        process.send_signal(signal.SIGINT)
        said = process.communicate()[0]
    return Ended(process.returncode, said).odd([0, 128 + signal.SIGINT]), []


def no_network(place: Path) -> Try:
    """Weights that are not in the cache, without a network."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    cache = place / "cache"
    ended = run(
        ["weights", "get", "rtmdet_nano_320-8xb32_coco-person"], environment={"POSELIFT_CACHE": str(cache), **nowhere}
    )
    problems = ended.odd([2])
    if ended.code == 2 and "by hand" not in ended.said:
        problems.append(f"does not say what to do: {ended.said.strip().splitlines()[-1]}")
    return problems + [f"left {path.name}" for path in cache.glob("*")], []


def cut_off(place: Path, draw: random.Random) -> Try:
    """A connection that is lost after a random part of a file, and is there again for the next call."""
    import hashlib

    content = draw.randbytes(300_000)
    sent = draw.randrange(len(content))

    class Server(BaseHTTPRequestHandler):
        whole = False

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content if Server.whole else content[:sent])

        def log_message(self, *arguments: object) -> None:
            """Prints nothing."""

    before = os.environ.get("POSELIFT_CACHE")
    os.environ["POSELIFT_CACHE"] = str(place / f"cut_off_{sent}")
    problems = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address, digest = f"http://127.0.0.1:{server.server_port}/w", hashlib.sha256(content).hexdigest()
        try:
            problems.append(f"a part is taken for the whole: {fetch('w', [address], digest)}")
        except InputError:
            Server.whole = True
            if fetch("w", [address], digest).read_bytes() != content:
                problems.append("the second call gives other bytes")
        finally:
            server.shutdown()
            os.environ.pop("POSELIFT_CACHE")
            if before is not None:
                os.environ["POSELIFT_CACHE"] = before
    return problems, []


def worker(draw: random.Random) -> Try:
    """SIGKILL for the second of two training processes: the first must end too, and the run must resume exactly."""
    script = Path(__file__).parents[1] / "tools" / "train.py"

    def command(out: Path) -> list[str]:
        two = ["trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2"]
        settings = [text for text in training(out).arguments(out)[1:] if text != "trainer=cpu"]
        return [sys.executable, str(script), *settings, *two]

    def start(out: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(command(out), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    with tempfile.TemporaryDirectory() as name:
        undisturbed = Whole(training(Path(name)), Path(name) / "whole", 0.0)
        with start(undisturbed.folder) as process:
            process.communicate()
        out = Path(name) / "out"
        with start(out) as process:
            while process.poll() is None and not (out / "checkpoints" / "last.ckpt").exists():
                time.sleep(0.1)
            time.sleep(draw.uniform(0, 0.5))
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            os.kill(int(children[0]), signal.SIGKILL)
            try:
                process.communicate(timeout=100)
                problems = [] if process.returncode else ["exit code 0"]
            except subprocess.TimeoutExpired:
                process.kill()
                problems = ["hung"]
        with start(out) as process:
            process.communicate()
        return problems + [f"{name} differs after the second run" for name in undisturbed.unlike(out)], []


def _folder(undisturbed: Whole, draw: random.Random) -> Path:
    """A folder to disturb: empty, or with the results of an earlier run. Training refuses to repeat a whole run."""
    out = undisturbed.folder.parent / "out"
    shutil.rmtree(out, ignore_errors=True)
    if draw.random() < 0.5 and undisturbed.work.name != "training":
        shutil.copytree(undisturbed.folder, out)
    return out


def _finished(undisturbed: Whole, out: Path, problems: list[str], earlier: bool) -> Try:
    """Looks at what a disturbed run left, runs it again to the end, and compares."""
    partly = [] if undisturbed.work.name == "training" else undisturbed.unlike(out, partly=True)
    problems = [
        *problems,
        *undisturbed.work.half_written(out),
        *(f"{name} is half-written" for name in partly),
    ]
    lost = undisturbed.unlike(out) if earlier else []
    problems += run(undisturbed.work.arguments(out)).odd([0])
    problems += [f"{name} differs after the second run" for name in undisturbed.unlike(out)]
    problems += [f"{path.name} stays" for path in out.rglob(".*")]
    return problems, lost


def main() -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--tries", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(table_head(Row._fields))
    for row in rows(options.tries, options.seed):
        print(table_row(map(str, row)), flush=True)


if __name__ == "__main__":
    main()
