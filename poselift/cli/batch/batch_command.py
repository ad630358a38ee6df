"""`poselift batch`: the options, and how a batch runs."""

import argparse
import re
import sys
from dataclasses import dataclass, replace
from typing import Any

from poselift.cli.batch.batch_run import BatchRun
from poselift.cli.batch.cluster import RayEngine
from poselift.cli.batch.local_workers import LocalEngine
from poselift.cli.batch.settings import find_settings
from poselift.cli.batch.video_task import WORKERS_A_GPU, Task
from poselift.cli.batch.videos import find_videos, take_shard
from poselift.cli.detector import add_detector_options
from poselift.cli.lift_options import add_draw_option, add_lift_options
from poselift.cli.lift_request import CommandRequest, make_lift_request
from poselift.cli.request_fields import make_request
from poselift.cli.values import full_text, number_where
from poselift.core.device import choose_device
from poselift.core.optional import require
from poselift.core.progress_text import Output
from poselift.core.storage import explain_storage_errors, file_system
from poselift.core.threads import cores
from poselift.lifting.lifter_device import choose_lifter_device
from poselift.lifting.run import choose_skeleton
from poselift.models import load_weights

_TIMEOUT = 4 * 3600.0
"""Seconds for a video, without `--timeout`: long enough for hours of video, short enough for one night."""


def add_command(commands: Any) -> None:
    """Adds `batch` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "batch",
        description="Lifts all videos of a folder, a glob or a manifest, each into a folder of its own. A batch that "
        "was stopped goes on where it was, if the same command runs again; it does only what is missing or has "
        "changed. Exit code: 0 if all videos are lifted, 3 if some failed, 2 if none could be lifted.",
    )
    parser.add_argument(
        "source",
        type=full_text,
        metavar="SOURCE",
        help="a folder, a glob in quotes, or a manifest: a .csv or .parquet file with the column path, and options of "
        "single videos in more columns",
    )
    parser.add_argument(
        "--out", type=full_text, required=True, metavar="DIR", help="folder of the results, or a URL such as s3://..."
    )
    parser.add_argument(
        "--engine",
        choices=["local", "ray"],
        default="local",
        help="processes of this machine, or a Ray cluster (default: %(default)s)",
    )
    parser.add_argument(
        "--shard", type=_shard, metavar="I/N", help="only the I-th of N parts, such as 3/8, for SLURM and others"
    )
    parser.add_argument(
        "--workers",
        type=_count,
        metavar="N",
        help="processes of the local engine (default: one for each core, "
        f"at most {WORKERS_A_GPU} for each GPU that finds people)",
    )
    parser.add_argument(
        "--timeout",
        type=number_where(lambda value: 0 < value <= 1e6, "not a time limit; give seconds, more than 0"),
        default=_TIMEOUT,
        metavar="S",
        help="a video that takes longer fails, seconds (default: %(default)g)",
    )
    parser.add_argument(
        "--subfolders", action="store_true", help="spread the results over 256 subfolders, for over 10,000 videos"
    )
    parser.add_argument("--retry", action="store_true", help="also try the videos that failed in an earlier run")
    how = add_lift_options(parser)
    how.add_argument("--render", dest="overlay", action="store_true", help="also write overlay.mp4")
    add_draw_option(how)
    how.add_argument("--quiet", action="store_true", help="print errors only")
    add_detector_options(parser)
    parser.set_defaults(run=run)


@dataclass(frozen=True)
class BatchRequest:
    """One run of `poselift batch`.

    Attributes:
        source: a folder, a glob or a manifest.
        out: path or URL of the folder of the results.
        lift: what is asked of each video; a manifest may change it.
        engine: local or ray.
        device: for lifter and detector; the local engine takes several, with commas between them.
        shard: i and n for the i-th of n parts; None for all.
        workers: processes of the local engine; as many as fit if None.
        timeout: seconds for one video.
        subfolders: whether to spread the results over 256 subfolders.
        retry: whether to try videos again that failed in an earlier run.
        quiet: print errors only.
    """

    source: str
    out: str
    lift: CommandRequest
    engine: str = "local"
    device: str = "auto"
    shard: tuple[int, int] | None = None
    workers: int | None = None
    timeout: float = _TIMEOUT
    subfolders: bool = False
    retry: bool = False
    quiet: bool = False


def run(arguments: argparse.Namespace) -> None:
    """Lifts the videos of a command line, and writes the tables.

    Raises:
        InputError: there are no videos, or an option cannot be used.
        SystemExit: with code 3 or 2, some videos or all of them failed.
    """
    lift_all(make_request(BatchRequest, arguments, lift=make_lift_request(arguments)))


def lift_all(request: BatchRequest) -> None:
    """Lifts all videos of a batch, and writes the tables.

    Raises:
        InputError: there are no videos, or the request cannot be carried out.
        SystemExit: with code 3 or 2, some videos or all of them are not lifted.
    """
    require("pyarrow", "tables")
    if request.engine == "local":
        for device in request.device.split(","):
            choose_device(device)
    else:
        require("ray", "ray")
    with explain_storage_errors(request.source):
        videos = take_shard(find_videos(request.source, request.out, request.lift), request.shard)
    if request.subfolders:
        videos = [replace(video, folder=f"{video.folder[-2:]}/{video.folder}") for video in videos]
    tasks = [Task(video, find_settings(video.request), request.out) for video in videos]
    shard = "" if request.shard is None else ".{}-of-{}".format(*request.shard)
    output = Output(quiet=request.quiet)
    files, root = file_system(request.out)
    begun = files.exists(root)
    if not begun:
        _check_models(request)
    with BatchRun(request.out, shard, tasks, output) as batch:
        waiting = batch.list_waiting(request.retry)
        if begun and waiting:  # a batch that is done loads no weights
            choose_skeleton(request.lift.skeleton, load_weights(request.lift.weights))
        try:
            if waiting:
                with _engine(request, len(waiting)) as engine:
                    batch.lift(waiting, engine.lift)
        except (KeyboardInterrupt, SystemExit):
            done = len(tasks) - len(batch.list_waiting(retry=False))
            print(f"{done} of {len(tasks)} videos are done. To go on, run the same command again", file=sys.stderr)
            raise
        finally:
            lifted, empty, failed = batch.write_tables()
    output.print(
        f"{lifted} of {len(tasks)} videos are lifted, into {request.out}. "
        f"Tables of all clips and people: clips{shard}.parquet, people{shard}.parquet"
    )
    if empty:
        print(f"in {empty} of {lifted} lifted videos nobody was found: clips{shard}.parquet says why", file=sys.stderr)
    if lost := len(tasks) - lifted - failed:
        print(
            f"{lost} of {len(tasks)} videos are neither lifted nor failed: somebody changed {request.out} meanwhile. "
            "To go on, run the same command again",
            file=sys.stderr,
        )
    if failed:
        print(
            f"{failed} of {len(tasks)} videos failed; {request.out}/failures{shard}.csv has the reasons. To try them "
            "again, add --retry; those of a full disk or another fault of the machine are tried again without it",
            file=sys.stderr,
        )
    if failed or lost:
        raise SystemExit(3 if lifted else 2)


def _check_models(request: BatchRequest) -> None:
    """Loads the models once, so that wrong options make no folder."""
    choose_skeleton(request.lift.skeleton, load_weights(request.lift.weights))
    if request.engine == "local":  # with Ray, the detector's files may be on the nodes only
        request.lift.detection.detector.build("cpu", request.quiet)


def _engine(request: BatchRequest, videos: int) -> LocalEngine | RayEngine:
    """The chosen engine, for this number of videos."""
    if request.engine == "ray":
        return RayEngine(request.lift, request.device, request.timeout)
    devices, share = request.device.split(","), cores()
    lift = request.lift
    gpus = sum(choose_lifter_device(device, lift.weights, lift.detection.detector) != "cpu" for device in devices)
    workers = min(videos, request.workers or (min(share, WORKERS_A_GPU * gpus) if gpus else share))
    places = [devices[worker % len(devices)] for worker in range(workers)]
    return LocalEngine(request.lift, places, max(1, share // workers), request.timeout)


def _shard(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    part, parts = (int(number) for number in match.groups()) if match else (0, 0)
    if not 1 <= part <= parts:
        raise argparse.ArgumentTypeError(f"{text!r} is not a part; give such as 3/8, the third of eight")
    return part, parts


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes; give 1 or more")
    return int(text)
