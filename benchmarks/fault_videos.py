"""What becomes of damaged and unusual videos.

    python -m benchmarks.fault_videos [--tries N] [--seed N]

Makes small videos: 8 kinds, each cut off at 10 places and overwritten in the middle; sound but unusual ones; ones that
cannot be used; and N copies of the 8 kinds with a few random bits flipped. Reads each in a process of its own with a
time limit, and prints one Markdown row for each fault.

A try is lost where reading hangs, crashes or raises anything but an `InputError`, where a sound video is not read
completely, and where a damaged one gives fewer frames than the original without a warning. The note has the copies
whose pictures differ without a warning: most codecs have no check sums, so nothing can see that.
"""

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.command import command_line, table_head, table_row
from benchmarks.made_videos import CONTAINERS, FRAMES, SOUND, cut, flipped, make, make_sound, overwritten, patched
from poselift.core.errors import InputError
from poselift.video import VideoReader

_PATIENCE = 20.0
"""Seconds for one video."""

_PLACES = 10


class Row(NamedTuple):
    """How many tries of a fault went well.

    Attributes:
        fault: what was wrong with the videos.
        tries: number of videos.
        survived: of these, the ones that were read, refused or warned of as they should.
        lost: the others.
        note: what else there is to know.
    """

    fault: str
    tries: int
    survived: int
    lost: int
    note: str


@dataclass(frozen=True)
class Read:
    """What reading a video gave.

    Attributes:
        pictures: check sum of each frame.
        warnings: of the reader.
        refused: the message of an `InputError`; empty if there was none.
        failed: a hang, a crash or another error; empty if there was none.
    """

    pictures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    refused: str = ""
    failed: str = ""


def read(path: Path) -> Read:
    """Reads a video to its end."""
    try:
        reader = VideoReader(path)
        pictures = tuple(hashlib.sha1(frame.image.tobytes()).hexdigest() for frame in reader)
    except InputError as error:
        return Read(refused=str(error))
    except Exception as error:  # what must not happen is counted
        return Read(failed=repr(error))
    return Read(pictures, tuple(reader.warnings))


class Patient:
    """Reads videos in another process, which is replaced when it hangs or crashes."""

    def __enter__(self) -> "Patient":
        self._pool = self._new()
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown()

    def read(self, path: Path) -> Read:
        """Reads a video, for 20 seconds at most."""
        try:
            return self._pool.submit(read, path).result(_PATIENCE)
        except Exception as error:  # TimeoutError, BrokenProcessPool
            for process in list(self._pool._processes.values()):
                process.kill()
            self._pool = self._new()
            return Read(failed=type(error).__name__)

    @staticmethod
    def _new() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def rows(tries: int = 200, seed: int = 0) -> Iterator[Row]:
    """One row for each fault.

    Args:
        tries: number of copies with flipped bits.
        seed: of the flips.
    """
    with tempfile.TemporaryDirectory() as name, Patient() as patient:
        folder = Path(name)
        originals = [(path, patient.read(path)) for path in (make(folder, kind) for kind in CONTAINERS)]
        yield _row("sound, usual", [_complete(found, FRAMES) for _, found in originals])
        yield from (_row(f"sound, {fault}", [_sound(patient, folder, fault)]) for fault in SOUND)
        yield from _unusable(patient, folder)
        for path, original in originals:
            copies = [patient.read(copy) for _, copy in cut(path, _PLACES)]
            yield _damaged(f"cut off, {path.name}", copies, original)
        middles = [(patient.read(overwritten(path)), original) for path, original in originals]
        yield _damaged("zeros in the middle", *zip(*middles, strict=True))
        generator = np.random.default_rng(seed)
        flips, wholes = [], []
        for number in range(tries):
            path, original = originals[number % len(originals)]
            copy = flipped(path, generator, number)
            flips.append(patient.read(copy))
            wholes.append(original)
            copy.unlink()
        yield _damaged("flipped bits", flips, wholes)


def _sound(patient: Patient, folder: Path, fault: str) -> tuple[str, str]:
    kind = SOUND[fault]
    return _complete(patient.read(make(folder, kind)), len(kind.times) or FRAMES)


def _unusable(patient: Patient, folder: Path) -> Iterator[Row]:
    """Headers that say something wrong, and files without frames."""
    mkv, mp4 = make(folder, CONTAINERS[2]), make(folder, CONTAINERS[0])
    avi, ts = make(folder, CONTAINERS[4]), make(folder, CONTAINERS[6])
    sound = make_sound(folder / "sound.m4a")
    empty = folder / "empty.mp4"
    empty.write_bytes(b"")
    duration = b"00:00:00.400000000"
    readable = {
        "Latin-1 title": patched(mkv, "latin.mkv", b"Lavf", "L\xe9vf".encode("latin-1")),
        "DURATION that is no number": patched(mkv, "duration.mkv", duration, b"00:00:no.400000000"),
        "wrong number of frames in the header": patched(avi, "count.avi", b"\x0a\0\0\0", b"\xff\xff\0\0"),
    }
    refused = {
        "unknown codec": patched(mkv, "codec.mkv", b"V_MPEG4/ISO/AVC", b"V_MPEG4/XXX/XXX"),
        "no frames": empty,
        "sound only": sound,
        "header only": _begin(mp4, "header.mp4", mp4.read_bytes().index(b"mdat") + 4),
        "noise": _begin(ts, "noise.ts", 0, bytes(np.random.default_rng(0).integers(0, 256, 9000, np.uint8))),
    }
    for fault, path in readable.items():
        yield _row(fault, [_complete(patient.read(path), FRAMES)])
    for fault, path in refused.items():
        found = patient.read(path)
        yield _row(
            fault,
            [("", found.refused.replace(f"{folder}/", "")) if found.refused else (found.failed or "was read", "")],
        )


def _begin(path: Path, name: str, end: int, more: bytes = b"") -> Path:
    copy = path.with_name(name)
    copy.write_bytes(path.read_bytes()[:end] + more)
    return copy


def _complete(found: Read, frames: int) -> tuple[str, str]:
    """What is wrong with the reading of a sound video, and a note."""
    if found.failed or found.refused:
        return found.failed or found.refused, ""
    return "" if len(found.pictures) == frames else f"{len(found.pictures)} frames", "; ".join(found.warnings)


def _row(fault: str, tries: Sequence[tuple[str, str]]) -> Row:
    """The row of some tries, each with what is wrong and a note."""
    lost = [wrong for wrong, _ in tries if wrong]
    notes = [note for _, note in tries if note]
    return Row(fault, len(tries), len(tries) - len(lost), len(lost), "; ".join(dict.fromkeys(lost + notes)))


def _damaged(fault: str, copies: Sequence[Read], originals: Read | Sequence[Read]) -> Row:
    """The row of damaged copies of one video, or of one each."""
    wholes = [originals] * len(copies) if isinstance(originals, Read) else originals
    warned = refused = differ = 0
    lost = []
    for copy, whole in zip(copies, wholes, strict=True):
        refused += bool(copy.refused)
        warned += bool(copy.warnings)
        if copy.failed:
            lost.append(copy.failed)
        elif not (copy.refused or copy.warnings):
            if len(copy.pictures) < len(whole.pictures):
                lost.append(f"{len(copy.pictures)} of {len(whole.pictures)} frames")
            else:
                differ += copy.pictures != whole.pictures
    note = f"{warned} with a warning, {refused} refused, {differ} with other pictures and no warning"
    if lost:
        note += f"; lost: {', '.join(dict.fromkeys(lost))}"
    return Row(fault, len(copies), len(copies) - len(lost), len(lost), note)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--tries", type=int, default=200, metavar="N", help="copies with flipped bits; default 200")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    options = parser.parse_args(arguments)
    print(table_head(Row._fields))
    for row in rows(options.tries, options.seed):
        print(table_row([*map(str, row)]), flush=True)


if __name__ == "__main__":
    main()
