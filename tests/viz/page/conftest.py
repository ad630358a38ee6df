"""Headless Chromium, and the page of a made clip."""

import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from benchmarks.chromium import Browser
from poselift.kinematics import Angles
from poselift.structures import Motion
from poselift.video import VideoWriter
from poselift.viz.page import PageContent, write_page
from tests.export.conftest import emptied
from tests.viz.conftest import FOCAL, IMAGE_SIZE

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
K = [[FOCAL, 0, (IMAGE_SIZE[0] - 1) / 2], [0, FOCAL, (IMAGE_SIZE[1] - 1) / 2], [0, 0, 1]]
CAMERA = {"K": K, "image_size": IMAGE_SIZE}
WATCH = """
globalThis.problems = [];
const keep = (...parts) => problems.push(parts.map(String).join(" "));
addEventListener("error", (event) => keep("error", event.message));
addEventListener("unhandledrejection", (event) => keep("rejected", event.reason));
addEventListener("securitypolicyviolation", (event) => keep("policy", event.blockedURI, event.violatedDirective));
console.error = console.warn = keep;
"""


DEGREES = np.random.default_rng(4).uniform(-20, 120, (50, 3))
DEGREES[7:9] = np.nan


FILES = {1: {"bvh": b"HIERARCHY\n", "glb": bytes(range(256))}, 2: {"bvh": b"ROOT\n"}}


@dataclass
class Page:
    """A page in the browser."""

    browser: Browser
    seconds: float = 0.0

    def open(self, path: Path, width: int = 1280, height: int = 800, phone: bool = False) -> "Page":
        """Loads a file; `seconds` says how long that took."""
        self.browser.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.browser.call("Page.navigate", url="about:blank")
        begin = time.perf_counter()
        self.browser.call("Page.navigate", url=path.absolute().as_uri())
        self.wait("document.documentElement?.dataset.ready === '1'")
        self.seconds = time.perf_counter() - begin
        return self

    def wait(self, condition: str, patience: float = 20.0) -> None:
        """Waits until an expression is true."""
        end = time.monotonic() + patience
        while not self(f"Boolean({condition})"):
            assert time.monotonic() < end, f"{condition} did not come true: {self('globalThis.problems')}"
            time.sleep(0.03)

    def __call__(self, expression: str) -> Any:
        """The value of an expression, in which the names of the page's script can stand."""
        return self.browser.value("with (globalThis.viewer ?? {}) { " + expression + " }")

    def press(self, key: str, modifiers: int = 0) -> None:
        """Presses a key."""
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers)

    def middle(self, element: str) -> tuple[float, float]:
        """The middle of an element in the window, pixels."""
        box = f"document.getElementById('{element}').getBoundingClientRect()"
        x, y = self(f"[{box}.x + {box}.width / 2, {box}.y + {box}.height / 2]")
        return x, y

    def drag(self, element: str, by: tuple[float, float]) -> None:
        """Drags from the middle of an element."""
        x, y = self.middle(element)
        steps = (("mousePressed", 0.0), ("mouseMoved", 0.5), ("mouseMoved", 1.0), ("mouseReleased", 1.0))
        for kind, share in steps:
            place = {"x": x + share * by[0], "y": y + share * by[1]}
            self.browser.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, buttons=1, **place)

    def picture(self, canvas: str) -> str:
        """What a canvas shows."""
        self("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self(f"document.getElementById('{canvas}').toDataURL()")


def open_browser(profile: Path) -> Browser:
    """Headless Chromium, whose pages keep their problems; without it, the test is skipped."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    browser = Browser(CHROMIUM, profile)
    browser.call("Page.enable")
    browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    return browser


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    browser = open_browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def page(chromium):
    """A page whose console must stay empty."""
    page = Page(chromium)
    yield page
    assert page("globalThis.problems") == []


@pytest.fixture
def clip(tmp_path) -> Path:
    """Two seconds at 25 fps; a bright bar moves over the picture, from left to right."""
    path = tmp_path / "clip.mp4"
    with VideoWriter(path, *IMAGE_SIZE) as writer:
        for frame in range(50):
            image = np.full((IMAGE_SIZE[1], IMAGE_SIZE[0], 3), 60, np.uint8)
            cv2.rectangle(image, (frame * 12, 0), (frame * 12 + 20, IMAGE_SIZE[1]), (250, 250, 250), -1)
            writer.write(image, frame / 25)
    return path


@pytest.fixture
def people(make_motion) -> list[Motion]:
    """Two people with uncertainty; the second comes later, and has empty and interpolated frames."""
    first = make_motion(1, place=(-0.5, 0.1, 4.0), walk=(0.3, 0.0, 0.1))
    second = make_motion(2, place=(0.7, 0.0, 5.0), frames=30, start=0.4)
    interpolated, contacts = np.isin(np.arange(30), range(20, 27)), np.arange(60).reshape(30, 2) % 3 == 0
    motions = [first, replace(emptied(second, slice(12, 14)), interpolated=interpolated, contacts=contacts)]
    radii = np.random.default_rng(3)
    return [
        replace(motion, uncertainty=radii.uniform(0.01, 0.1, motion.joints.shape[:2]).astype(np.float32))
        for motion in motions
    ]


@pytest.fixture
def written(tmp_path, clip, people) -> Path:
    """The page of the clip."""
    path = tmp_path / "page.html"
    about = {1: {"person": 1, "height": {"metres": 1.72, "origin": "estimated"}}}
    angles = {1: Angles(("left_knee_flexion", "right_knee_flexion", "trunk_lean"), DEGREES, people[0].timestamps)}
    write_page(path, people, PageContent("clip.mp4", CAMERA, about, angles, FILES), clip)
    return path
