"""A run's files and last lines, for `lift`, `batch` and `multiview`."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from poselift.cli.formats import write_formats
from poselift.cli.lift_request import CommandRequest
from poselift.core.caution import Caution
from poselift.core.errors import InputError, WriteError, make_printable
from poselift.core.progress_text import Output
from poselift.core.stopwatch import Stopwatch
from poselift.recordings.names import SUMMARY
from poselift.recordings.saving import write_people
from poselift.recordings.summary import write_summary
from poselift.structures import Recording

NOBODY = 3
"""Exit code where the command ran to its end, but gave nobody's motion."""


def write_results(
    out: Path,
    recording: Recording,
    request: CommandRequest,
    overlays: Mapping[str, Callable[[Path], None]],
    written: Sequence[str] = (),
) -> Recording:
    """Writes people, formats and overlays into a folder, summary.json last.

    Args:
        out: the folder.
        recording: what is written.
        request: which files.
        overlays: what draws each video, by the file's name.
        written: names of the files that are there already.

    Returns:
        The recording that was written, with warnings of files that could not be.

    Raises:
        InputError: a file cannot be written.
    """
    watch, warnings = Stopwatch(dict(recording.seconds)), list(recording.warnings)
    with watch.time("write"):
        files = [*write_people(out, recording, request.csv), *written]
    if request.formats and recording.people:
        with watch.time("export"):
            exported, failed = write_formats(out, request.formats, recording, recording.origin.video)
        warnings += [_caution(text, out) for text in failed]
        files = list(dict.fromkeys([*files, *exported]))
    for name, draw in overlays.items() if recording.people and request.overlay else ():
        # Last, and no reason to lose the motions, but for a disk on which nothing can be written.
        try:
            with watch.time("render"):
                draw(out / name)
            files.append(name)
        except WriteError:
            raise
        except InputError as error:
            warnings.append(_caution(f"{name} could not be made: {error}", out))
    recording = replace(recording, warnings=tuple(warnings), seconds=watch.seconds)
    write_summary(out, recording, files)
    return recording


def _caution(text: str, folder: Path) -> Caution:
    """A caution about a file, by its name alone. Its folder still has a temporary name."""
    return Caution(text.replace(f"{folder}{os.sep}", ""), "file")


def print_warnings(output: Output, recording: Recording, source: object, out: Path) -> None:
    """Prints what is doubtful about a run.

    Args:
        output: of the command.
        recording: what the run gave.
        source: what was lifted, for people.
        out: the folder of the results.

    Raises:
        SystemExit: nobody was lifted (`NOBODY`).
    """
    for warning in recording.warnings:
        output.print(f"warning: {warning}")
    if recording.camera_report:
        output.print(str(recording.camera_report["text"]))
    if not any(motion.posed.any() for motion in recording.people):
        print(make_printable(f"nobody was lifted in {source}; the reasons are in {out / SUMMARY}"), file=sys.stderr)
        raise SystemExit(NOBODY)
