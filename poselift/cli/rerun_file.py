"""The recording of `poselift lift --rerun`: that of `poselift export --to rerun --together`, under any name."""

from collections.abc import Sequence
from pathlib import Path

from poselift.cli.formats import find_start, sidecar_camera
from poselift.core.errors import InputError
from poselift.core.files import check_writable, remove_partial_of
from poselift.export import read_motion
from poselift.export.export_formats import FORMATS

_FORMAT = FORMATS["rerun"]


def check_recording(path: Path) -> None:
    """Checks, before the long work, that a recording can be written.

    Raises:
        InputError: rerun-sdk is not installed, or the path is no name of a recording or cannot be written.
    """
    if path.suffix != _FORMAT.ending:
        raise InputError(f"--rerun {path}: a recording ends in {_FORMAT.ending}; choose such a name")
    if path.is_dir():
        raise InputError(f"--rerun {path}: this is a folder; give the name of a file")
    _FORMAT.check()
    check_writable(path.parent)


def write_recording(path: Path, people: Sequence[Path]) -> None:
    """Writes the recording of people of one clip.

    Args:
        path: the recording.
        people: npz files of everybody, each with a pose.

    Raises:
        InputError: a file cannot be read or written.
    """
    remove_partial_of(path)
    motions, camera = [read_motion(npz) for npz in people], sidecar_camera(_FORMAT, people[0])
    _FORMAT.write(path, motions, camera=camera, start=find_start(people))
