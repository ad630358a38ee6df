"""Time and size of each export format, for ten minutes of motion at 30 frames a second.

    python -m benchmarks.exports

The motion is that of the first person of the sample clip, lifted to both skeletons, played forth and back to 18,000
frames, with noise of 1 mm, so that no compression finds the repetition. Each format is written once, short, before it
is timed, so that imports do not count. The page has no video and no angles.
"""

import dataclasses
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.command import command_line, table_head, table_row
from poselift.cli.main import main as poselift
from poselift.export import read_motion
from poselift.export.export_formats import FORMATS
from poselift.structures import Keypoints2D, Motion
from poselift.viz.page import View, write_page

_FRAMES = 18_000
_RATE = 30.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--only", metavar="FORMAT,...", help="formats to write (default: all)")
    parser.add_argument("--frames", type=int, default=_FRAMES, help="length of the motion; default %(default)s")
    options = parser.parse_args(arguments)
    print(table_head(["format", "h36m17, s", "h36m17, MB", "cmu28, s", "cmu28, MB"]))
    with tempfile.TemporaryDirectory() as place:
        motions = [lifted(Path(place) / skeleton, skeleton, options.frames) for skeleton in ("h36m17", "cmu28")]
        for name in options.only.split(",") if options.only else (*FORMATS, "html"):
            cells = [cell for motion in motions for cell in timed(name, motion, Path(place) / "out")]
            print(table_row([name, *cells]), flush=True)


def lifted(folder: Path, skeleton: str, frames: int) -> Motion:
    """The sample clip's first person, repeated to a number of frames."""
    poselift(["lift", "--out", str(folder), "--skeleton", skeleton, "--no-render", "--quiet"])
    return repeated(read_motion(folder / "person_1.npz"), frames)


def repeated(motion: Motion, frames: int) -> Motion:
    """A motion played forth and back until it has a number of frames, at 30 frames a second, with noise of 1 mm."""
    there = np.arange(len(motion))
    rows = np.resize(np.concatenate([there, there[-2:0:-1]]), frames)
    times = np.arange(frames) / _RATE
    seen = motion.keypoints
    keypoints = Keypoints2D(seen.keypoints[rows], seen.scores[rows], times, seen.skeleton, seen.image_size, seen.person)
    arrays = {name: getattr(motion, name) for name in ("joints", "root", "interpolated", "uncertainty", "contacts")}
    taken = {name: None if array is None else array[rows] for name, array in arrays.items()}
    taken["joints"] = taken["joints"] + np.random.default_rng(0).normal(0, 1e-3, taken["joints"].shape)
    return dataclasses.replace(motion, timestamps=times, keypoints=keypoints, **taken)


def timed(name: str, motion: Motion, folder: Path) -> tuple[str, str]:
    """Seconds and megabytes of a format, as text."""
    path = folder / f"person_1{FORMATS[name].ending if name in FORMATS else '.html'}"
    _write(name, path, repeated(motion, 10))
    start = time.perf_counter()
    _write(name, path, motion)
    seconds = time.perf_counter() - start
    files = path.iterdir() if path.is_dir() else [path]
    return f"{seconds:.1f}", f"{sum(file.stat().st_size for file in files) / 1e6:.1f}"


def _write(name: str, path: Path, motion: Motion) -> None:
    if name in FORMATS:
        FORMATS[name].write(path, [motion])
    else:
        width, height = motion.keypoints.image_size
        camera = {"K": [[width, 0, width / 2], [0, width, height / 2], [0, 0, 1]], "image_size": [width, height]}
        write_page(path, [motion], View("Ten minutes", camera))


if __name__ == "__main__":
    main()
