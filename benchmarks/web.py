"""The page of `poselift web` in headless Chromium: time and memory stage by stage, and the distance from Python.

    python -m benchmarks.web [VIDEO] [--ort FOLDER] [--compare]

Writes the site, opens it, and gives it a video (default: the demo clip). Prints the seconds of each stage, the
memory that all of Chromium's processes take, the size of what was loaded, and with --compare the distances of the
joints and of the root from those of Python with the page's models. Needs Chromium.
"""

import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.chromium import Browser, chromium, served
from benchmarks.command import command_line, errors_shown
from poselift.cli.main import main as poselift
from poselift.core.errors import InputError
from poselift.core.registry import published
from poselift.detection.joining import FULL_FACTORS, compare
from poselift.finding.qualities import QUALITIES
from poselift.recordings import read_motion
from poselift.samples import demo_video
from poselift.viz.site import write_site

PATIENCE = 900.0
"""Seconds that the page may take."""

READY = "document.documentElement?.dataset.ready === '1'"
_ANSWER = """
(async () => {
  const {session} = await import("/app.js");
  const numbers = (values) => [...values].map((value) => Number.isNaN(value) ? null : value);
  await session.measured;
  return {seconds: session.seconds, people: session.people.map(({motion}) => ({
    person: motion.person, times: [...motion.times], shape: [motion.times.length, motion.skeleton.joints.length, 3],
    joints: numbers(motion.joints), root: numbers(motion.root)}))};
})()"""


@dataclass(frozen=True)
class PageMotion:
    """Somebody as the page lifted them: times (t,), joints relative to the root (t, j, 3) and root (t, 3), metres."""

    person: int
    times: np.ndarray
    joints: np.ndarray
    root: np.ndarray


def open_site(browser: Browser, address: str) -> None:
    """Opens the site, and waits until its service worker keeps it."""
    browser.call("Page.enable")
    browser.call("Page.navigate", url=address)
    browser.wait(READY)


def reload_site(browser: Browser) -> None:
    """Opens the site again."""
    browser.value("delete document.documentElement.dataset.ready")
    browser.call("Page.reload")
    browser.wait(READY)


def lift_in_page(
    browser: Browser, video: Path, patience: float = PATIENCE, angles: bool = True
) -> tuple[list[PageMotion], dict[str, float]]:
    """Everybody whom the page lifts from a video, and the seconds of each stage.

    Args:
        browser: shows the page.
        video: the file.
        patience: seconds at most.
        angles: wait for the angles too, which come after the motions.

    Raises:
        InputError: the page reports a problem, or takes too long.
    """
    browser.call("DOM.enable")
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    node = browser.call("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(video.absolute())])
    browser.wait("document.body.dataset.stage === 'work'", 20)
    browser.wait("document.body.dataset.stage !== 'work'", patience)
    if browser.value("document.body.dataset.stage") != "shown":
        raise InputError(f"the page says: {browser.value('document.getElementById(`problem`).textContent')}")
    answer = browser.value(_ANSWER if angles else _ANSWER.replace("await session.measured;", ""))
    people = []
    for person in answer["people"]:
        joints, places = (
            np.array([np.nan if value is None else value for value in person[name]], float)
            for name in ("joints", "root")
        )
        times = np.array(person["times"])
        people.append(PageMotion(person["person"], times, joints.reshape(person["shape"]), places.reshape(-1, 3)))
    return people, answer["seconds"]


def kept_bytes(browser: Browser) -> int:
    """Bytes of the files that the page has loaded, which its service worker keeps."""
    return int(
        browser.value(
            "caches.keys().then((names) => caches.open(names[0])).then(async (cache) => { let sum = 0; "
            "for (const request of await cache.keys()) sum += (await (await cache.match(request)).blob()).size; "
            "return sum; })"
        )
    )


LIKE_THE_PAGE = ("--quality", "fast", "--detector", "movenet-blazepose")
"""Options of `poselift lift` with the page's pace."""


@contextmanager
def page_models(hands: bool = False) -> Iterator[None]:
    """In this block MoveNet computes in float32 with `--quality fast` too, and BlazePose is the full one.

    With hands the page looks at calm people as often as at others.
    """
    full, fast = published("blazepose_full"), replace(QUALITIES["fast"], quick=False)
    fast = replace(fast, calm=1) if hands else fast
    with ExitStack() as stack:
        stack.enter_context(patch.dict(QUALITIES, fast=fast))
        stack.enter_context(patch("poselift.detection.blazepose.published", lambda name: full))
        factors = partial(compare, factors=FULL_FACTORS)
        stack.enter_context(patch("poselift.finding.second_model.compare", factors))
        yield


def distances(people: Sequence[PageMotion], folder: Path) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Distances in mm of joints relative to the root (t, j), and of the root (t), in the common frames, by person.

    Each person of `poselift lift` is compared with the one of the page whose root is nearest.
    """
    found = {}
    for path in sorted(folder.glob("person_*.npz")):
        motion = read_motion(path)
        candidates = []
        for person in people:
            _, ours, theirs = np.intersect1d(person.times.round(4), motion.timestamps.round(4), return_indices=True)
            if len(ours) < len(motion) / 2:
                continue
            apart = 1000 * np.linalg.norm(person.root[ours] - motion.root[theirs], axis=-1)
            candidates.append((1000 * np.linalg.norm(person.joints[ours] - motion.joints[theirs], axis=-1), apart))
        if candidates:
            found[motion.keypoints.person] = min(candidates, key=lambda each: float(np.nanmean(each[1])))
    return found


@contextmanager
def most_memory(process: int) -> Iterator[list[float]]:
    """Bytes that a process and its children take at most in the block, as the one entry of a list."""
    most, stop = [0.0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.25):
            most[0] = max(most[0], sum(map(_proportional, _family(process))))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        stop.set()
        thread.join()


def _family(process: int) -> list[int]:
    """A process and all that it started."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    family = [process]
    for member in family:
        family += children.get(member, [])
    return family


def _proportional(process: int) -> float:
    """Bytes of a process; what several share counts in shares."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return 1024 * sum(float(line.split()[1]) for line in lines if line.startswith("Pss:"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints times, memory and distances."""
    parser = command_line(__doc__)
    parser.add_argument(
        "video", nargs="?", type=Path, default=demo_video(), metavar="VIDEO", help="default: the demo clip"
    )
    parser.add_argument("--ort", type=Path, metavar="FOLDER", help="dist of onnxruntime-web, instead of a download")
    parser.add_argument("--compare", action="store_true", help="lift it with Python too")
    options = parser.parse_args(arguments)
    with errors_shown(parser), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        program = chromium()
        with served(write_site(folder / "site", options.ort)) as address:
            browser = Browser(program, folder / "profile")
            try:
                open_site(browser, address)
                begin = time.monotonic()
                with most_memory(browser.process) as most:
                    people, seconds = lift_in_page(browser, options.video)
                print(f"{options.video.name}: {len(people)} people in {time.monotonic() - begin:.1f} s, ", end="")
                print(", ".join(f"{stage} {seconds[stage]:.1f}" for stage in sorted(seconds)))
                print(f"Chromium: at most {most[0] / 1e6:.0f} MB")
                print(f"loaded and kept: {kept_bytes(browser) / 1e6:.1f} MB")
            finally:
                browser.close()
        print(f"load of the machine: {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores")
        if options.compare:
            arguments = [*LIKE_THE_PAGE, "--no-render", "--quiet", "--out", str(folder / "lifted")]
            with page_models():
                poselift(["lift", str(options.video), *arguments])
            for person, each in distances(people, folder / "lifted").items():
                for name, apart in zip(("joints", "root"), each, strict=True):
                    shares = ", ".join(f"{np.nanpercentile(apart, share):.2f}" for share in (50, 95, 100))
                    print(f"person {person}, {name}: {shares} mm (median, 95 %, largest of {len(apart)} frames)")


if __name__ == "__main__":
    main()
