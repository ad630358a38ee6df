"""`poselift lift`: from a video to 3D, one command."""

import argparse
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from poselift.cli.detector import add_detector_options, chosen_detector
from poselift.cli.device import torch_device
from poselift.core.errors import InputError
from poselift.core.files import check_writable, write_json
from poselift.detection import Detector
from poselift.export import write_csv, write_npz, write_sidecar
from poselift.lifting import LiftedVideo, lift_video
from poselift.lifting.camera import DEFAULT_FOV
from poselift.lifting.pipeline import Stopwatch
from poselift.models import Weights, load_weights
from poselift.samples import demo_video
from poselift.structures import Motion
from poselift.video import VideoReader, VideoWriter
from poselift.viz import OverlayRenderer

DEFAULT_WEIGHTS = "small"
"""The shipped weights that are used unless others are asked for."""

_FILES = ("npz", "json", "csv")
_OVERLAY = "overlay.mp4"
_OURS = re.compile(r"person_\d+\.(npz|json|csv)|overlay\.mp4")
"""Names of the files that this command writes beside its summary."""


def add_command(commands: Any) -> None:
    """Adds `lift` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "lift",
        help="make 3D motion from a video",
        description="Finds the people in a video, follows each one, and lifts them to 3D. Writes for each person an "
        ".npz (joints, root, timestamps, keypoints), a .json that says what is in it and a .csv; overlay.mp4, with "
        "the 2D on the video beside the 3D; and summary.json.",
    )
    parser.add_argument("video", nargs="?", type=Path, help="any video file; the demo clip if left out")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to write (default: poselift_out/VIDEO)")
    what = parser.add_argument_group("what to lift")
    what.add_argument("--start", type=float, metavar="S", help="leave out what comes before, seconds")
    what.add_argument("--end", type=float, metavar="S", help="leave out what comes after, seconds")
    what.add_argument(
        "--person",
        type=_numbers,
        metavar="ID[,ID...]",
        help="only these people, numbered from 1 as they appear (default: all)",
    )
    camera = parser.add_argument_group("camera, where it is known")
    camera.add_argument(
        "--fov",
        type=float,
        metavar="DEG",
        help=f"field of view across the picture's longer side, degrees (assumed: {DEFAULT_FOV:g})",
    )
    camera.add_argument(
        "--intrinsics", type=_intrinsics, metavar="FX,FY,CX,CY", help="focal lengths and principal point, pixels"
    )
    how = parser.add_argument_group("how")
    how.add_argument(
        "--weights",
        default=DEFAULT_WEIGHTS,
        metavar="NAME|FILE",
        help="the lifter: shipped weights by name, or a .safetensors file (default: %(default)s)",
    )
    how.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto", help="default: a GPU if there is one")
    how.add_argument(
        "--threshold",
        type=_share,
        default=0.2,
        metavar="SCORE",
        help="2D joints that score less are not used (default: %(default)s)",
    )
    how.add_argument("--no-flip", action="store_true", help="do not average with the mirrored input: half the work")
    how.add_argument("--free-bones", action="store_true", help="let bones change their length from frame to frame")
    how.add_argument("--no-render", action="store_true", help="do not make overlay.mp4")
    how.add_argument("--quiet", action="store_true", help="print errors only")
    add_detector_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Lifts a video and writes everything.

    Raises:
        InputError: something that was given cannot be used.
    """
    video: Path = options.video if options.video is not None else demo_video()
    out: Path = options.out if options.out is not None else Path("poselift_out") / video.stem
    _check_folder(out, video, chosen=options.out is not None)
    # File names may hold what rich would take for markup.
    console = Console(quiet=options.quiet, highlight=False, soft_wrap=True, markup=False, emoji=False)
    device = torch_device(options.device)
    weights = load_weights(options.weights, device)
    detector = chosen_detector(options)
    with _progress(console) as report:
        lifted = lift_video(
            video,
            detector,
            weights,
            fov=options.fov,
            intrinsics=options.intrinsics,
            start=options.start,
            end=options.end,
            people=options.person,
            threshold=options.threshold,
            flip=not options.no_flip,
            steady=not options.free_bones,
            progress=report,
        )
        watch = Stopwatch()
        watch.seconds.update(lifted.seconds)
        written = []
        with watch.time("write"):
            for motion in lifted.motions:
                written += _write_person(out, motion, lifted, weights, detector, video)
        _write_summary(out, video, lifted, watch.seconds, written, weights, detector)
        if lifted.motions and not options.no_render:
            with watch.time("render"):
                _render(video, options, lifted, out / _OVERLAY, report)
            written.append(_OVERLAY)
            _write_summary(out, video, lifted, watch.seconds, written, weights, detector)
    for warning in lifted.warnings:
        console.print(f"warning: {warning}", style="yellow")
    if not lifted.motions:
        console.print(f"Nobody was found in {video}. Summary: {out / 'summary.json'}")
        return
    count = len(lifted.motions)
    people = f"{count} {'person' if count == 1 else 'people'}"
    look = out if options.no_render else out / _OVERLAY
    console.print(f"{people} in {lifted.frames} frames. Look at {look}; the motion is in {out}/person_*.npz and .csv")


def _intrinsics(text: str) -> tuple[float, float, float, float]:
    try:
        fx, fy, cx, cy = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not FX,FY,CX,CY, four numbers in pixels") from None
    return fx, fy, cx, cy


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of people's numbers, such as 1,3") from None


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a score from 0 to 1")
    return value


def _check_folder(out: Path, video: Path, chosen: bool) -> None:
    """Makes sure, before the long work, that results can be written and that nothing of the user's is lost.

    Raises:
        InputError: the folder cannot be written to, the video itself would be overwritten, or a folder that the
            user did not choose holds the results of another video.
    """
    check_writable(out)
    if video.absolute() == (out / _OVERLAY).absolute():
        raise InputError(f"{video} would be overwritten by the new {_OVERLAY}; choose another --out")
    earlier = _earlier_summary(out)
    if not chosen and earlier.get("path", str(video.absolute())) != str(video.absolute()):
        raise InputError(f"{out} holds the results of another video, {earlier['path']}; choose a folder with --out")


@contextmanager
def _progress(console: Console) -> Iterator[Any]:
    """A bar for each stage as it comes, with the time left."""
    columns = (
        TextColumn("{task.description:<15}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, disable=console.quiet) as bars:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: float) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=1.0)
            bars.update(tasks[stage], completed=done)

        yield report


def _write_person(
    out: Path, motion: Motion, lifted: LiftedVideo, weights: Weights, detector: Detector, video: Path
) -> list[str]:
    """Writes one person's files; their names."""
    stem = f"person_{motion.keypoints.person}"
    write_npz(out / f"{stem}.npz", motion)
    write_csv(out / f"{stem}.csv", motion)
    camera = lifted.camera
    write_sidecar(
        out / f"{stem}.json",
        motion,
        camera={
            "K": camera.K.tolist(),
            "image_size": list(camera.image_size),
            "field_of_view": camera.source,
            "fov_degrees": round(camera.fov, 3),
        },
        weights=_weights(weights, detector),
        extra={"video": video.name},
    )
    return [f"{stem}.{suffix}" for suffix in _FILES]


def _weights(weights: Weights, detector: Detector) -> dict[str, Any]:
    return {
        "lifter": {"name": weights.name, "sha256": weights.sha256},
        "detector": {"name": detector.name, "sha256": detector.weights},
    }


def _render(video: Path, options: argparse.Namespace, lifted: LiftedVideo, path: Path, report: Any) -> None:
    """Reads the video once more, and draws what was found on it, frame by frame."""
    reader = VideoReader(video, options.start, options.end)
    renderer = OverlayRenderer((reader.info.width, reader.info.height), lifted.motions, threshold=options.threshold)
    with VideoWriter(path, *renderer.size) as writer:
        for frame in reader:
            writer.write(renderer.render(frame.image, frame.timestamp), frame.timestamp)
            report("Drawing", (frame.index + 1) / lifted.frames)


def _write_summary(
    out: Path,
    video: Path,
    lifted: LiftedVideo,
    seconds: dict[str, float],
    written: list[str],
    weights: Weights,
    detector: Detector,
) -> None:
    """Writes summary.json, and takes away what an earlier summary in the same folder had written and this has not."""
    earlier = _earlier_summary(out).get("files", [])
    info = lifted.info
    people = [
        {
            "id": motion.keypoints.person,
            "start_s": round(float(motion.timestamps[0]), 4),
            "end_s": round(float(motion.timestamps[-1]), 4),
            "frames": len(motion),
            "frames_filled": int(motion.filled.sum()),
            "frames_empty": int((motion.joints != motion.joints).any(-1).any(-1).sum()),
        }
        for motion in lifted.motions
    ]
    write_json(
        out / "summary.json",
        {
            "video": video.name,
            "path": str(video.absolute()),
            "width": info.width,
            "height": info.height,
            "fps": round(info.fps, 3) if info.fps else None,
            "frames": lifted.frames,
            "start_s": round(lifted.span[0], 4),
            "end_s": round(lifted.span[1], 4),
            "people": people,
            "seconds": {stage: round(value, 3) for stage, value in seconds.items()},
            "warnings": lifted.warnings,
            "weights": _weights(weights, detector),
            "files": written,
        },
    )
    for name in earlier:
        if name not in written and isinstance(name, str) and _OURS.fullmatch(name):
            (out / name).unlink(missing_ok=True)


def _earlier_summary(out: Path) -> dict[str, Any]:
    """What an earlier run wrote in the folder; empty where there is none that is ours."""
    try:
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        ours = isinstance(summary["people"], list) and isinstance(summary["files"], list) and "weights" in summary
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return summary if ours else {}
