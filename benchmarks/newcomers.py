"""How soon somebody who comes into a picture is found, by `--quality`.

    python -m benchmarks.newcomers [--people N] [--height PX] [--clips N] [--size WIDTHxHEIGHT] [--qualities NAME ...]

Each clip is a picture of 30 frames a second into which one person after another comes, 0.8 to 1.2 s apart (the people
of `benchmarks.crowd`, pasted in; they stand still). Somebody is found in the first look from which a third of a second
has no pause of more than 0.15 s between looks with half of the person's joints within a tenth of the height: looks
between the regular ones are only at those who surprise. The clip goes on for 1.2 s after the last one came, so who is
found later than that counts as never found.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from benchmarks.clips import demo, people
from benchmarks.command import command_line, table_head, table_row
from benchmarks.crowd import Picture, Poses, cut_outs, filling, hits
from poselift.detection import build_detector
from poselift.finding import QUALITIES, PeopleFinder, build_finder
from poselift.video import Frame

_RATE = 30
_APART = (0.8, 1.2)
"""Least and most seconds between two people who come."""
_STAYS, _PAUSE = 1 / 3, 0.15
"""Seconds in which looks must see who counts as found, and the longest pause between them."""


def clip(pictures: Sequence[Picture], seed: int) -> tuple[list[Frame], list[float]]:
    """A clip in which the pictures follow each other, and the time at which each begins."""
    rng = np.random.default_rng(seed)
    begins = np.cumsum([0.0, *rng.uniform(*_APART, len(pictures) - 1)])
    times = np.arange(0, begins[-1] + _APART[1], 1 / _RATE)
    shown = np.searchsorted(begins, times, side="right") - 1
    frames = [
        Frame(pictures[number], float(time), index)
        for index, (number, time) in enumerate(zip(shown, times, strict=True))
    ]
    return frames, [float(times[shown == number][0]) for number in range(len(pictures))]


def delays(finder: PeopleFinder, frames: Sequence[Frame], begins: Sequence[float], poses: Poses) -> Iterator[float]:
    """Seconds from when each person came to when they were found; infinite for those who were not."""
    seen: list[list[float]] = [[] for _ in begins]
    for found, time in finder.find(frames):
        if found is not None:
            most = hits(poses, found.keypoints).max(1, initial=0)
            for person in np.flatnonzero(most > poses.shape[1] / 2):
                seen[person].append(time)
    last = frames[-1].timestamp
    for times, begin in zip(seen, begins, strict=True):
        later = np.array([time for time in times if time >= begin])
        yield next((time for time in later if _stays(later, time, last)), np.inf) - begin


def _stays(seen: Float[np.ndarray, " n"], time: float, last: float) -> bool:
    """Whether somebody is seen often enough from a time on; `last` is the end of the clip."""
    until = min(time + _STAYS, last)
    marks = [time, *seen[(seen > time) & (seen < until)], until]
    return bool(np.diff(marks).max() < _PAUSE + 1e-6)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each quality."""
    parser = command_line(__doc__)
    parser.add_argument("--people", type=int, default=5, help="of each clip; default 5")
    parser.add_argument("--height", type=float, default=150, help="least, pixels; default 150")
    parser.add_argument("--clips", type=int, default=8, help="default 8")
    parser.add_argument("--size", default="1280x720", help="of the picture; default 1280x720")
    parser.add_argument("--qualities", nargs="+", choices=QUALITIES, default=list(QUALITIES), help="default: all")
    options = parser.parse_args(arguments)
    width, height = map(int, options.size.split("x"))
    cuts = cut_outs(demo(), people())
    print(table_head(["quality", "newcomers", "found, %", "within 0.5 s, %", "median, s", "90 %, s", "longest, s"]))
    for quality in options.qualities:
        took = []
        for seed in range(options.clips):
            made = list(filling(options.people, options.height, (width, height), cuts, seed))
            frames, begins = clip([picture for picture, _ in made], seed)
            took += delays(build_finder(build_detector("movenet"), quality), frames, begins, made[-1][1])
        seconds = np.array(took)
        shares = [f"{100 * np.mean(seconds <= most):.1f}" for most in (1e9, 0.5 + 1e-6)]
        middle, most, last = np.quantile(seconds, (0.5, 0.9, 1), method="lower")
        print(table_row([quality, str(len(took)), *shares, f"{middle:.2f}", f"{most:.2f}", f"{last:.2f}"]), flush=True)


if __name__ == "__main__":
    main()
