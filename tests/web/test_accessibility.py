"""No violation of accessibility that axe-core finds, on all pages of this package: light, dark, on a phone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.chromium import Browser
from poselift.geometry.camera import camera_for
from poselift.recordings import write_motion
from poselift.structures import Height
from tests.cli.running import poselift
from tests.kinematics.walker import walker
from tests.reports.results import results, write

SIZE = (640, 480)
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
FIND = """axe.run().then(({violations}) => violations.map(({id, nodes}) =>
  [id, ...nodes.slice(0, 3).map((node) => `${node.target}: ${node.failureSummary}`)].join("; ")))"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: npm ci in web"),
]


def find_violations(browser: Browser, prepare: str = "0") -> list[str]:
    """What axe says of the page that is open, on a desktop and on a phone, light and dark."""
    browser.value(f"{AXE.read_text('utf-8')}; {prepare}")
    found = []
    for width, height, phone in ((1280, 800, False), (390, 800, True)):
        browser.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )
        for scheme in ("light", "dark"):
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            browser.call("Emulation.setEmulatedMedia", features=features)
            found += [f"{width} {scheme}: {line}" for line in browser.value(FIND)]
    return found


def test_every_part_of_the_site(opened, site):
    page = opened(site)
    details = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
    assert find_violations(page.browser, details) == []
    for stage in ("camera", "work", "shown"):
        shown = f"document.body.dataset.stage = '{stage}'; document.getElementById('correcting').hidden = false"
        assert find_violations(page.browser, shown) == [], stage


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> list[Path]:
    """The pages of a result, its measures, a person to print, and an evaluation."""
    folder = tmp_path_factory.mktemp("pages")
    camera = replace(camera_for(SIZE), R=np.diag([1.0, -1.0, -1.0]), t=np.array([0.0, 1.0, 6.0]))
    write_motion(folder / "walk" / "person_1.npz", walker(height=Height(1.7, 0.1)), [camera])
    write(folder / "run", results())
    for command in (
        ("view", folder / "walk", "--out", folder / "view.html"),
        ("measure", folder / "walk", "--reports", "--out", folder / "measure"),
        ("report", folder / "run", "--out", folder / "report", "--cost", "none"),
    ):
        ran = poselift(*command)
        assert ran.code == 0, ran.err
    return sorted(folder.rglob("*.html"))


def test_every_page_that_a_command_writes(pages, browser):
    assert {page.name for page in pages} >= {"view.html", "measure.html", "index.html"}
    assert len(pages) == 4
    for page in pages:
        browser.call("Page.navigate", url=page.as_uri())
        browser.wait("document.readyState === 'complete'")
        if page.name == "view.html":
            browser.wait("document.documentElement?.dataset.ready === '1'")
        assert find_violations(browser) == [], page.name
