"""The window, under a virtual display."""

import os
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.viz.window import Window, check_display

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays of Linux")

SHOW = """
import sys, time
import numpy as np
from poselift.viz.window import Window, check_display
check_display()
window = Window("poselift test", (320, 240))
print("open", flush=True)
image = np.full((240, 320, 3), (250, 120, 10), np.uint8)
end = time.monotonic() + 20
while window.open and time.monotonic() < end:
    window.show(image)
    time.sleep(0.02)
window.close()
print("closed" if not window.open else "late", flush=True)
"""


@pytest.fixture(scope="module")
def display():
    """The number of a virtual display."""
    if shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as number:
        yield f":{number.readline().strip()}"
    server.terminate()
    server.wait()


@pytest.mark.parametrize("key", ["q", "Escape"])
def test_a_key_closes_the_window(display, key):
    if shutil.which("xdotool") is None:
        pytest.skip("needs xdotool")
    environment = os.environ | {"DISPLAY": display}
    with subprocess.Popen([sys.executable, "-c", SHOW], env=environment, stdout=subprocess.PIPE, text=True) as shown:
        assert shown.stdout.readline() == "open\n"
        while shown.poll() is None:
            subprocess.run(
                ["xdotool", "search", "--name", "poselift test", "windowfocus", "key", key],
                env=environment,
                check=False,
                capture_output=True,
            )
            time.sleep(0.2)
        assert shown.stdout.read() == "closed\n"


def test_a_window_that_was_taken_away_is_an_error(display, monkeypatch):
    monkeypatch.setenv("DISPLAY", display)
    window = Window("poselift test", (32, 24))
    window._root.destroy()
    with pytest.raises(InputError, match=r"the window is gone: .*destroyed; use --no-window"):
        window.show(np.zeros((24, 32, 3), np.uint8))
    window.close()


@pytest.mark.parametrize("opens", [check_display, lambda: Window("gone since", (9, 9))])
@pytest.mark.parametrize("display", ["", ":987"])
def test_a_dead_display_is_an_error_that_names_the_way_without_a_window(display, opens, monkeypatch):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", display)
    with pytest.raises(InputError, match=r"no window can be opened: .*(; |, or )use --no-window"):
        opens()


def test_a_python_without_tkinter_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tkinter", None)
    with pytest.raises(InputError, match=r"this Python has no tkinter; install python3-tk .*, or use --no-window"):
        check_display()
