"""`poselift view`: a page with the video, the 3D and the curves of a lifted clip."""

import argparse
import contextlib
import math
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from poselift.cli.editable import read_result_for_page
from poselift.cli.read_results import (
    check_video,
    find_people,
    find_video,
    read_summary,
    read_video_rate,
    require_camera,
)
from poselift.cli.values import check_out_file, local_path
from poselift.cli.web import add_runtime_options
from poselift.core.errors import InputError
from poselift.export import read_motion, read_sidecar
from poselift.export.export_formats import FORMATS
from poselift.kinematics import measure_joint_angles
from poselift.structures import Motion
from poselift.viz.page import View, write_page
from poselift.viz.site import write_editor

_MOST_BYTES = 6_000_000
"""Of the files of characters that a page holds, before it is compressed: three minutes of two people."""


def add_command(commands: Any) -> None:
    """Adds `view` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "view",
        description="Writes one HTML file that needs no network: the video with the reprojected skeletons, a 3D view, "
        "and joint angles and heights over time.",
    )
    parser.add_argument("results", type=local_path, metavar="DIR", help="folder that `poselift lift` wrote")
    parser.add_argument("--out", type=local_path, metavar="FILE", help="the page (default: DIR.html beside the folder)")
    parser.add_argument("--video", type=local_path, metavar="FILE", help="the video, if it is elsewhere by now")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument(
        "--correct", action="store_true", help="a page that corrects keypoints by hand and lifts at once (25 MB more)"
    )
    add_runtime_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Writes the page of a folder of results.

    Raises:
        InputError: the folder has no results, or a file cannot be read or written.
    """
    given: Path = arguments.results
    out: Path = arguments.out or given.absolute().with_name(f"{given.absolute().name}.html")
    check_out_file(out, (".html", ".htm"))
    if arguments.correct:
        result = read_result_for_page(given, arguments.video or find_video(given))
        write_editor(out, *result, arguments.ort, arguments.offline)
        written = [out]
    else:
        written = write_page_of_people(find_people(given), out, arguments.video)
    if arguments.video is None and find_video(given) is None:
        print("warning: the video is not where it was; the page has none. --video FILE gives it")
    size = sum(path.stat().st_size for path in written) / 1e6
    print(f"{' and '.join(map(str, written))}: {size:.1f} MB. Open {out} in a browser; it needs no network")
    if arguments.open:
        webbrowser.open(out.absolute().as_uri())


def write_page_of_people(
    found: list[Path], out: Path, video: Path | None = None, span: tuple[float, float] | None = None
) -> list[Path]:
    """Writes the page of people in one folder that `poselift lift` wrote.

    Args:
        found: their npz files.
        out: the .html file to write.
        video: the video, of any size; None for the one that the results name, if it is still there and fits.
        span: first and last time of the clip, seconds; None for that of summary.json.

    Returns:
        The files that were written.

    Raises:
        InputError: a file cannot be read or written, two are of one person, or the video has another aspect ratio.
    """
    folder = found[0].parent
    motions = [read_motion(path) for path in found]
    sidecars = [read_sidecar(path.with_suffix(".json")) for path in found]
    about = {motion.keypoints.person: sidecar for motion, sidecar in zip(motions, sidecars, strict=True)}
    if len(about) < len(found):
        raise InputError(f"a page shows each person once; {', '.join(map(str, found))} have only {len(about)} people")
    first = sidecars[0]
    require_camera(first, found[0])
    shown_video = video or find_video(folder)
    try:
        if shown_video is not None:
            check_video(shown_video, motions[0].keypoints.image_size, scaled=True)
    except InputError as error:
        if video is not None:
            raise
        print(f"warning: the page has no video: {error}")
        shown_video = None
    summary = read_summary(folder)
    title = str(first.get("video") or first.get("keypoints_file") or folder.absolute().name)
    if span is None and {"start_s", "end_s"} <= set(summary):
        span = _span(summary, folder)
    angles = {motion.keypoints.person: measure_joint_angles(motion) for motion in motions if motion.posed.any()}
    shown = View(title, first["camera"], about, angles, _make_characters(motions, span[0] if span else None))
    return write_page(out, motions, shown, shown_video, span, read_video_rate(first, found[0]))


def _make_characters(motions: list[Motion], start: float | None) -> dict[int, dict[str, bytes]]:
    """BVH and GLB of each person, to save from the page; nobody's if they are too large for it."""
    found: dict[int, dict[str, bytes]] = {}
    for motion in motions:
        for name in ("bvh", "glb") if motion.posed.any() else ():
            with tempfile.TemporaryDirectory() as place, contextlib.suppress(InputError):  # pygltflib is not installed
                path = Path(place) / name
                FORMATS[name].write(path, [motion], start=start)
                found.setdefault(motion.keypoints.person, {})[name] = path.read_bytes()
    size = sum(len(file) for files in found.values() for file in files.values())
    return found if size < _MOST_BYTES else {}


def _span(summary: dict[str, Any], folder: Path) -> tuple[float, float]:
    """First and last time of the clip, seconds."""
    start, end = summary["start_s"], summary["end_s"]
    if not all(isinstance(value, int | float) and math.isfinite(value) for value in (start, end)):
        raise InputError(f"{folder / 'summary.json'}: start_s or end_s is not a number; lift again")
    return float(start), float(end)
