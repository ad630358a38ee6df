"""`poselift view`: a page of a lifted clip. It has the video, the 3D and the curves."""

import argparse
import contextlib
import tempfile
import webbrowser
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from poselift.cli.editable import read_result_for_page
from poselift.cli.values import check_out_file, local_path
from poselift.cli.web import add_runtime_options
from poselift.core.errors import InputError
from poselift.core.progress_text import show
from poselift.export.export_formats import FORMATS
from poselift.kinematics import legs_as_seen, measure_joint_angles
from poselift.recordings import read_recording, read_sidecar
from poselift.recordings.camera_json import camera_to_json
from poselift.recordings.exporting import join_recordings
from poselift.recordings.reading import check_video, find_people, find_video, find_view_videos
from poselift.recordings.saving import describe_person
from poselift.recordings.view_keypoints import read_view_keypoints
from poselift.structures import Recording
from poselift.video.writer import EncodingError
from poselift.viz.page import PageContent, PageView, write_page
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
        show("warning: the video is not where it was; the page has none. --video FILE gives it")
    size = sum(path.stat().st_size for path in written) / 1e6
    show(f"{' and '.join(map(str, written))}: {size:.1f} MB. Open {out} in a browser; it needs no network")
    if arguments.open:
        webbrowser.open(out.absolute().as_uri())


def write_page_of(
    recording: Recording,
    out: Path,
    video: Path | None,
    sidecars: Mapping[int, Mapping[str, Any]] | None = None,
    folder: Path | None = None,
) -> list[Path]:
    """Writes the page of a recording.

    Args:
        recording: with a camera.
        out: the .html file to write.
        video: the video, of any size; None for a page without one.
        sidecars: the JSON of each person by number, if it is more than the recording says.
        folder: of the result, which knows the further videos of a recording of several.

    Returns:
        The files that were written.

    Raises:
        InputError: a file cannot be read or written, or two motions are of one person.
    """
    motions = list(recording.people)
    about = {motion.keypoints.person: describe_person(recording, motion) for motion in motions} | dict(sidecars or {})
    if len(about) < len(motions):
        raise InputError(f"{out}: a page shows each person once; two of the motions are of one person")
    first = about[motions[0].keypoints.person]
    title = str(first.get("video") or first.get("keypoints_file") or out.absolute().parent.name)
    angles = {
        motion.keypoints.person: measure_joint_angles(motion)
        for motion in legs_as_seen(recording).people
        if motion.posed.any()
    }
    views = [] if folder is None or video is None else _further_views(recording, folder)
    shown = PageContent(title, first["camera"], about, angles, _make_characters(recording), views)
    clock = recording.clock
    return write_page(out, motions, shown, video, clock.span, clock.video_fps, recording.origin.mirrored)


def write_page_of_people(found: list[Path], out: Path, video: Path | None = None) -> list[Path]:
    """Writes the page of people in one folder that `poselift lift` wrote.

    Args:
        found: their npz files.
        out: the .html file to write.
        video: the video, of any size; None for the one that the results name, if it is still there and fits.

    Returns:
        The files that were written.

    Raises:
        InputError: a file cannot be read or written, two are of one person, or the video has another aspect ratio.
    """
    recording = join_recordings([read_recording(path) for path in found])
    sidecars = {
        motion.keypoints.person: read_sidecar(path.with_suffix(".json"))
        for motion, path in zip(recording.people, found, strict=True)
    }
    if not recording.cameras:
        raise InputError(f"{found[0].with_suffix('.json')}: the camera's K or image_size is missing; lift again")
    if len(sidecars) < len(found):
        raise InputError(
            f"a page shows each person once; {', '.join(map(str, found))} have only {len(sidecars)} people"
        )
    shown_video = video or find_video(found[0].parent)
    try:
        if shown_video is not None:
            check_video(shown_video, recording.cameras[0].image_size, scaled=True)
    except InputError as error:
        if video is not None:
            raise
        show(f"warning: the page has no video: {error}")
        shown_video = None
    try:
        return write_page_of(recording, out, shown_video, sidecars, found[0].parent)
    except EncodingError as error:
        show(f"warning: the page has no video: {error}")
        return write_page_of(recording, out, None, sidecars, found[0].parent)


def _further_views(recording: Recording, folder: Path) -> list[PageView]:
    """The videos after the first one that are still there."""
    if any(motion.frame != "world" for motion in recording.people):
        return []
    keypoints = read_view_keypoints(folder, recording.people, len(recording.cameras))
    found = zip(recording.cameras[1:], find_view_videos(folder)[1:], keypoints[1:], strict=False)
    return [
        PageView(camera.name, camera_to_json(camera, True), video, offset, drift, own)
        for camera, (video, offset, drift), own in found
        if video is not None
    ]


def _make_characters(recording: Recording) -> dict[int, dict[str, bytes]]:
    """BVH and GLB of each person, to save from the page. Nobody's if they are too large for it."""
    found: dict[int, dict[str, bytes]] = {}
    for motion in recording.people:
        for name in ("bvh", "glb") if motion.posed.any() else ():
            with tempfile.TemporaryDirectory() as place, contextlib.suppress(InputError):  # pygltflib is not installed
                path = Path(place) / name
                FORMATS[name].write(path, replace(recording, people=(motion,)))
                found.setdefault(motion.keypoints.person, {})[name] = path.read_bytes()
    size = sum(len(file) for files in found.values() for file in files.values())
    return found if size < _MOST_BYTES else {}
