"""The site in headless Chromium, and short videos for it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import av
import pytest

from benchmarks.chromium import Browser, chromium, served
from benchmarks.clips import demo
from benchmarks.web import open_site
from poselift.core.errors import InputError
from poselift.viz.site import write_site
from tests.viz.page.conftest import open_browser


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The site as a folder; skipped without Chromium, or where onnxruntime-web cannot be downloaded."""
    try:
        chromium()
        return write_site(tmp_path_factory.mktemp("web") / "site")
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture
def browser(tmp_path) -> Iterator[Browser]:
    browser = open_browser(tmp_path / "profile")
    yield browser
    browser.close()


class SitePage:
    """A site in a browser of its own."""

    def __init__(self, address: str, profile: Path) -> None:
        self.browser = open_browser(profile)
        open_site(self.browser, address)

    def __call__(self, expression: str) -> Any:
        """The value of an expression."""
        return self.browser.value(expression)

    def text(self, name: str) -> str:
        """The text of an element."""
        return str(self(f"document.getElementById('{name}').textContent"))


@pytest.fixture
def opened(tmp_path) -> Iterator[Callable[[Path], SitePage]]:
    """Opens a folder as a site, as a plain static host serves it; its console must stay empty."""
    with ExitStack() as stack:
        pages = []

        def opening(folder: Path) -> SitePage:
            page = SitePage(stack.enter_context(served(folder)), tmp_path / "profile")
            stack.callback(page.browser.close)
            pages.append(page)
            return page

        yield opening
        for page in pages:
            assert page("globalThis.problems") == []


@pytest.fixture(scope="session")
def video(tmp_path_factory) -> Callable[[str, str, int], Path]:
    """Writes the first frames of the demo clip with a codec."""

    def write(name: str, codec: str, frames: int) -> Path:
        path = tmp_path_factory.mktemp("videos") / name
        images = demo()[:frames]
        with av.open(str(path), "w") as container:
            stream = container.add_stream(codec, rate=30)
            stream.height, stream.width = images[0][0].shape[:2]
            stream.pix_fmt, stream.bit_rate = "yuv420p", 3_000_000
            for image, _ in images:
                container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
            container.mux(stream.encode())
        return path

    return write
