"""`poselift export`: motions in the formats of other programs."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from poselift.cli.formats import NAMES, add_motions_argument, note_failure, parse_formats, select_motion_formats
from poselift.cli.request_fields import make_request
from poselift.cli.smooth import add_smooth_option
from poselift.cli.values import local_path
from poselift.cli.view import write_page_of_people
from poselift.core.errors import InputError
from poselift.core.files import check_writable, remove_partial_of
from poselift.core.progress_text import show
from poselift.export.export_formats import FORMATS, Format
from poselift.export.export_options import OWN, ExportOptions, Rest, Rigging, rig_names
from poselift.export.markers import MARKER_SETS, place_markers
from poselift.export.zero import count_from_zero
from poselift.kinematics import butterworth, resample_motion
from poselift.recordings.exporting import join_recordings
from poselift.recordings.names import PAGE, PAGE_FILES
from poselift.recordings.reading import find_motions, read_posed
from poselift.structures import Motion, Recording

_TOGETHER = "people"
"""Name of a file of several people, without its ending."""


_CHANGING = {
    "up": "--up",
    "markers": "--markers",
    "rigging": "--rig, --rest or --lock-feet",
    "fps": "--fps",
    "smooth": "--smooth",
}
"""Fields of `ExportRequest` that change the files, and their options: the page knows none of them."""


def add_command(commands: Any) -> None:
    """Adds `export` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "export",
        description="Writes each motion in the formats of OpenSim, Visual3D, Blender and other programs.",
    )
    add_motions_argument(parser)
    # `poselift lift` calls them --formats.
    parser.add_argument(
        "--to",
        "--formats",
        dest="formats",
        type=parse_formats,
        required=True,
        metavar="FORMAT,...",
        help=f"any of {', '.join(NAMES)}",
    )
    parser.add_argument(
        "--out", type=local_path, metavar="DIR", help="folder of the files (default: beside each motion)"
    )
    parser.add_argument(
        "--together", action="store_true", help=f"one file of everybody, {_TOGETHER}.ENDING, instead of one per person"
    )
    parser.add_argument(
        "--up", choices=["y", "z"], default="y", help="the axis that points up, in trc, c3d and bvh (default: y)"
    )
    parser.add_argument(
        "--markers",
        choices=list(MARKER_SETS),
        help="names of another program's markers, in trc and c3d (default: ours)",
    )
    parser.add_argument(
        "--fps",
        type=float,
        metavar="RATE",
        help="whole frames at this rate, such as 24, 25, 30 or 60 (default: as lifted)",
    )
    add_smooth_option(parser)
    bones = parser.add_argument_group("characters: bvh, glb and vrma")
    bones.add_argument(
        "--rig", default=OWN, metavar="NAME", help=f"the bones, any of {', '.join(rig_names())} (default: {OWN})"
    )
    bones.add_argument(
        "--rest",
        choices=get_args(Rest),
        help="the rest pose: arms level, arms 45 degrees down, or the first frame (default: that of the rig)",
    )
    bones.add_argument(
        "--lock-feet", action="store_true", help="feet on the ground stand still; for animation, not for measuring"
    )
    parser.set_defaults(run=run)


@dataclass(frozen=True)
class ExportRequest:
    """Motions, and the files to make of them.

    Attributes:
        motions: npz files of `poselift lift`.
        formats: names of the formats.
        out: folder of the files; beside each motion if None.
        together: one file of everybody instead of one per person.
        up: the axis that points up.
        markers: names of the markers, one of `MARKER_SETS`; None for our joints.
        rigging: the bones of bvh, glb and vrma.
        smooth: cutoff of a Butterworth filter, Hz; no filter if None.
        fps: frames a second, on whole frames; as lifted if None.
    """

    motions: tuple[Path, ...]
    formats: tuple[str, ...]
    out: Path | None = None
    together: bool = False
    up: str = "y"
    markers: str | None = None
    rigging: Rigging = field(default_factory=Rigging)
    smooth: float | None = None
    fps: float | None = None


def run(arguments: argparse.Namespace) -> None:
    """Writes the files that a command line asks for.

    Raises:
        InputError: as of `export`.
    """
    rigging = Rigging(arguments.rig, arguments.rest, arguments.lock_feet)
    export(make_request(ExportRequest, arguments, motions=tuple(find_motions(arguments.motions)), rigging=rigging))


def export(request: ExportRequest) -> None:
    """Writes the files.

    Raises:
        InputError: a format cannot do what is wanted, a motion cannot be read, none has a
            pose, or a file cannot be written. The others are written.
    """
    if not request.formats:
        raise InputError(f"the motions are npz and JSON already; name another format, any of {', '.join(NAMES)}")
    formats = select_motion_formats(request.formats)
    if request.up == "z":
        _check_all(formats, _list_takers("up"), "--up z: Z cannot point up in")
    if request.markers:
        _check_all(formats, _list_takers("markers"), f"--markers {request.markers}: there are no markers in")
    if request.rigging != Rigging():
        usual, chosen = vars(Rigging()), vars(request.rigging)
        given = [f"--{name.replace('_', '-')}" for name in chosen if chosen[name] != usual[name]]
        _check_all(formats, _list_takers("rigging"), f"{' and '.join(given)}: there are no bones in")
    if PAGE in request.formats:
        unchanged = ExportRequest((), ())
        useless = [option for name, option in _CHANGING.items() if getattr(request, name) != getattr(unchanged, name)]
        if useless:
            raise InputError(f"{PAGE} shows motions as they are, without {', '.join(useless)}; export it by itself")
    if request.together:
        able = [name for name, format_ in FORMATS.items() if format_.several]
        _check_all(formats, able, "--together: a file of several people is not possible in")
    recordings = read_posed(request.motions)
    if request.smooth is not None:
        recordings = {
            source: _change(recording, lambda motion: butterworth(motion, request.smooth or 0.0))
            for source, recording in recordings.items()
        }
    if request.fps is not None:
        recordings = {source: _resample(recording, request.fps) for source, recording in recordings.items()}
    planned = _plan(request, list(recordings), formats)
    page = _place_page(request, list(recordings)) if PAGE in request.formats else None
    for out in [*(out for _, out, _ in planned), *([page] if page else [])]:
        check_writable(out.parent)
    if {"trc", "c3d", "opensim"} & set(formats):
        _report_uneven(recordings)
    options = ExportOptions(request.up, request.markers, request.rigging)
    failed: list[str] = []
    for format_, out, sources in planned:
        remove_partial_of(out)
        with note_failure(str(out), failed):
            warning = format_.write(out, join_recordings([recordings[source] for source in sources]), options)
            show(out)
            if warning:
                show(f"warning: {warning}")
    if page:
        remove_partial_of(page)
        with note_failure(str(page), failed):
            for out in write_page_of_people(list(recordings), page):
                show(out)
    if failed:
        raise InputError("\n".join(failed))


def _change(recording: Recording, change: Callable[[Motion], Motion]) -> Recording:
    """The recording with everybody changed."""
    return replace(recording, people=tuple(change(motion) for motion in recording.people))


def _resample(recording: Recording, rate: float) -> Recording:
    """The recording at another rate, with a frame at its start."""
    start = recording.clock.span[0]

    def resample(motion: Motion) -> Motion:
        (counted,) = count_from_zero([motion], start)
        return count_from_zero([resample_motion(counted, rate)], -start)[0]

    return _change(recording, resample)


def _list_takers(argument: str) -> list[str]:
    """Names of the formats whose writer reads an option."""
    return [name for name, format_ in FORMATS.items() if argument in format_.takes]


def _check_all(formats: dict[str, Format], able: Sequence[str], problem: str) -> None:
    """Raises an error for formats that cannot do what an option wants."""
    if lacking := [name for name in formats if name not in able]:
        raise InputError(f"{problem} {', '.join(lacking)}; choose from {', '.join(able)}")


def _plan(
    request: ExportRequest, sources: list[Path], formats: dict[str, Format]
) -> list[tuple[Format, Path, list[Path]]]:
    """Format, file and motions of each file to write."""
    groups = [(_TOGETHER, sources)] if request.together else [(source.stem, [source]) for source in sources]
    planned: dict[Path, tuple[Format, Path, list[Path]]] = {}
    for stem, group in groups:
        for format_ in formats.values():
            out = (request.out or group[0].parent) / f"{stem}{format_.ending}"
            if out in planned:
                first = planned[out][2][0]
                raise InputError(f"{first} and {group[0]} would both become {out}; export them to two folders")
            planned[out] = format_, out, group
    return list(planned.values())


def _place_page(request: ExportRequest, sources: list[Path]) -> Path:
    """The page to write."""
    folders = {source.parent.resolve() for source in sources}
    if len(folders) > 1:
        raise InputError(
            f"{PAGE}: the motions are in {len(folders)} folders; a page is of one, so export them one by one"
        )
    return Path(request.out or sources[0].parent) / PAGE_FILES[0]


def _report_uneven(recordings: dict[Path, Recording]) -> None:
    """Says which motions are interpolated."""
    for source, recording in recordings.items():
        found = place_markers(recording.people)
        if found.resampled:
            show(f"{source}: frames at uneven times; markers are at an even {found.rate:.6g} frames a second")
