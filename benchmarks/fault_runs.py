"""Commands in processes of their own for `benchmarks.fault_processes`: disturbed, and compared with a whole run."""

import contextlib
import ctypes
import json
import multiprocessing
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path

from poselift.cli.main import main as poselift
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.models import load_weights
from poselift.reports.training_log import read_log
from poselift.skeleton import COCO17
from poselift.training.checkpoints import read_checkpoint

_PRELOADED = ["poselift.cli.train", "poselift.cli.lift", "poselift.cli.export", "poselift.cli.weights"]
"""Modules that the processes find loaded, so that signals hit the work."""
_PATIENCE = 120
"""Seconds after which a process counts as hanging."""


@dataclass(frozen=True)
class Work:
    """A command that writes into a folder.

    Attributes:
        name: for the table.
        arguments: of `poselift`, for a folder; the same command again continues or repeats the work.
        files: names of files that every whole run leaves with the same bytes.
    """

    name: str
    arguments: Callable[[Path], list[str]]
    files: tuple[str, ...]

    def half_written(self, out: Path) -> list[str]:
        """What is half-written in a folder that nobody finished."""
        readers = {
            "lifter.safetensors": load_weights,
            "checkpoints/last.ckpt": read_checkpoint,
            "metrics.csv": read_log,
        }
        problems = []
        for name, read in readers.items():
            try:
                if (out / name).exists():
                    read(out / name)
            except Exception as error:  # whatever a reader raises
                problems.append(f"{name} is half-written: {error}")
        return problems


@dataclass(frozen=True)
class Whole:
    """What a run leaves that nothing disturbs.

    Attributes:
        work: the command.
        folder: of this run.
        seconds: that the run took.
    """

    work: Work
    folder: Path
    seconds: float

    def unlike(self, out: Path, *, partly: bool = False) -> list[str]:
        """Names of files that differ from those of this run.

        Args:
            out: the folder of another run.
            partly: whether files may be missing there.
        """
        wrong = []
        for name in self.work.files:
            there = (out / name).is_file()
            if not (there or partly) or (there and (out / name).read_bytes() != (self.folder / name).read_bytes()):
                wrong.append(name)
        return wrong


@dataclass(frozen=True)
class Ended:
    """How a process ended, and what it printed; code None if it hung."""

    code: int | None
    said: str

    def odd(self, codes: Sequence[int]) -> list[str]:
        """What is wrong with this end, where these exit codes are right."""
        last = (self.said.strip().splitlines() or [""])[-1]
        if self.code is None:
            return ["hung"]
        if "Traceback" in self.said:
            return [f"traceback: {last}"]
        return [] if self.code in codes else [f"exit code {self.code}: {last}"]


def training(folder: Path) -> Work:
    """A run of 40 small steps with three validations."""
    settings = [
        "trainer=cpu",
        "trainer.log_every_n_steps=5",
        "steps=40",
        "frames=16",
        "data.batch_size=4",
        "data.batches=15",
        "data.clips=4",
        "data.clip_frames=40",
        "callbacks.last.every_n_train_steps=10",
        "callbacks.progress=null",
        *(f"model.{size}" for size in ("joint_dim=8", "frame_dim=16", "dim=16", "depth=1", "heads=2")),
        "resume=auto",
    ]
    files = ("lifter.safetensors", "metrics.csv")  # the JSON has the command, with its folder
    return Work("training", lambda out: ["train", *settings, f"output={out}"], files)


def lifting(folder: Path) -> Work:
    """A second of one person's keypoints, with the overlay."""
    (view,) = render_views(synthetic_corpus(1, 25, seed=0), seed=1)
    points = view.converted(COCO17, COCO17).keypoints.nan_to_num()
    entries = [
        {"image_id": number, "category_id": 1, "score": 0.9, "keypoints": [x for p in frame for x in (*p, 0.9)]}
        for number, frame in enumerate(points.tolist())
    ]
    path = folder / "keypoints.json"
    path.write_text(json.dumps(entries))
    width, height = (round(float(side)) for side in view.image_size)
    options = ["--keypoints", str(path), "--fps", "25", "--size", f"{width}x{height}", "--weights", "tiny", "--quiet"]
    files = ("person_1.npz", "person_1.json", "person_1.csv", "overlay.mp4")
    return Work("lifting", lambda out: ["lift", *options, "--out", str(out)], files)


def exporting(folder: Path) -> Work:
    """Five formats of what `lifting` writes."""
    ended = run(lifting(folder).arguments(folder / "lifted"))
    assert ended.code == 0, ended.said
    motion = str(folder / "lifted" / "person_1.npz")
    files = tuple(f"person_1.{ending}" for ending in ("trc", "mot", "bvh", "angles.csv", "csv"))
    return Work("export", lambda out: ["export", motion, "--to", "trc,mot,bvh,angles,csv", "--out", str(out)], files)


def whole(work: Work, folder: Path) -> Whole:
    """Runs a work; before it once more, so that the time is that of a warm process."""
    for name in ("warm", "whole"):
        begin = time.monotonic()
        ended = run(work.arguments(folder / name))
        assert ended.code == 0, ended.said
    return Whole(work, folder / "whole", time.monotonic() - begin)


def run(
    arguments: Sequence[str],
    send: tuple[float, signal.Signals] | None = None,
    room: int | None = None,
    powerless: bool = False,
    environment: dict[str, str] | None = None,
) -> Ended:
    """Runs a command to its end, in a process of its own.

    Args:
        arguments: of `poselift`.
        send: seconds until a signal, and the signal.
        room: most bytes that a file may have, as on a full disk.
        powerless: without the power of root to write everywhere.
        environment: variables to set.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    started = context.Event()
    with tempfile.NamedTemporaryFile() as log:
        process = context.Process(
            target=_command, args=(list(arguments), log.name, started, room, powerless, environment or {}), daemon=True
        )
        process.start()
        started.wait(_PATIENCE)
        if send is not None:
            process.join(send[0])
            if process.is_alive():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid or 0, send[1])
        process.join(_PATIENCE)
        code = process.exitcode
        if code is None:
            process.kill()
            process.join()
        return Ended(code, Path(log.name).read_text(errors="replace"))


def _command(
    arguments: list[str], log: str, started: Event, room: int | None, powerless: bool, environment: dict[str, str]
) -> None:
    """Runs `poselift` in this process, with its output in a file."""
    handle = os.open(log, os.O_WRONLY | os.O_TRUNC)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.environ.update(environment)
    if room is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    if powerless:
        # capset(2), version 3 of its header: no capability at all.
        ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
    started.set()
    poselift(arguments)
