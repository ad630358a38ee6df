"""Size and loading time of the page of a video of 30 s, in headless Chromium.

    python -m benchmarks.page [--seconds 30] [--video FILE] [--out DIR]

Plays the demo clip forth and back to the length (or takes --video), lifts it with `--world`, writes the page with
`poselift view` and opens it a few times from disk. Loading ends when the page has drawn itself. Prints the size of each
file, the median and the longest time, and the load of the machine, which slows a browser down. Needs Chromium.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.chromium import Browser, chromium
from benchmarks.clips import demo
from benchmarks.command import command_line, errors_shown
from poselift.cli.main import main as poselift
from poselift.video import VideoWriter

_TIMES = 12
"""Times that the page is opened."""

_PATIENCE = 60
"""Seconds until a page has failed to load."""


def long_clip(path: Path, seconds: float) -> None:
    """The demo clip, played forth and back to a length."""
    frames = demo()
    step = frames[1][1] - frames[0][1]
    height, width = frames[0][0].shape[:2]
    order = [*range(len(frames)), *range(len(frames) - 2, 0, -1)]
    with VideoWriter(path, width, height) as writer:
        for frame in range(round(seconds / step)):
            writer.write(frames[order[frame % len(order)]][0], frame * step)


def loading(browser: Browser, page: Path) -> float:
    """Seconds until a page has drawn itself."""
    browser.call("Page.navigate", url="about:blank")
    begin = time.perf_counter()
    browser.call("Page.navigate", url=page.absolute().as_uri())
    while not browser.value("document.documentElement?.dataset.ready === '1'"):
        if time.perf_counter() - begin > _PATIENCE:
            raise TimeoutError(f"{page} did not load in {_PATIENCE} s")
        time.sleep(0.02)
    return time.perf_counter() - begin


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the sizes and times."""
    parser = command_line(__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="length of the clip; default %(default)s")
    parser.add_argument("--video", type=Path, metavar="FILE", help="another video, taken as it is")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keeps the page in this folder")
    options = parser.parse_args(arguments)
    # Chromium's other processes may write to the profile a moment longer.
    with errors_shown(parser), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        program = chromium()
        out = options.out or Path(temporary)
        out.mkdir(parents=True, exist_ok=True)
        video = options.video or out / "clip.mp4"
        if options.video is None:
            long_clip(video, options.seconds)
        poselift(["lift", str(video), "--world", "--no-render", "--quiet", "--out", str(out / "lifted")])
        page = out / "page.html"
        poselift(["view", str(out / "lifted"), "--out", str(page)])
        for path in (page, page.with_name("page_video.mp4")):
            if path.is_file():
                print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
        browser = Browser(program, Path(temporary) / "profile")
        try:
            browser.call("Page.enable")
            times = [loading(browser, page) for _ in range(_TIMES)]
        finally:
            browser.close()
        print(f"loading, {_TIMES} times: median {statistics.median(times):.2f} s, longest {max(times):.2f} s")
        print(f"load of the machine: {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
