"""The page in Firefox, where it is installed: its scripts run, and bodies and curves are drawn."""

import functools
import http.server
import shutil
import subprocess
import threading
import time

import cv2
import numpy as np
import pytest

FIREFOX = next(filter(None, map(shutil.which, ("firefox", "firefox-esr"))), None)
FRAME = '<iframe src="page.html" style="border: 0; width: 1260px; height: 1400px"></iframe><img src="/late.png">'
"""Firefox takes its picture when everything is loaded, so a picture that comes late gives the scripts their time."""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(FIREFOX is None, reason="Firefox is not installed")]


class Late(http.server.SimpleHTTPRequestHandler):
    """Files; the picture that is not there comes after some seconds."""

    def send_head(self):
        if self.path.endswith("late.png"):
            time.sleep(8)
        return super().send_head()

    def log_message(self, *arguments):
        pass


def test_the_page_is_drawn(written, tmp_path):
    (tmp_path / "frame.html").write_text(FRAME)
    (tmp_path / "profile").mkdir()
    picture = tmp_path / "page.png"
    handler = functools.partial(Late, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [FIREFOX, "--headless", "--no-remote", "--profile", tmp_path / "profile", "--screenshot", picture]
        address = f"http://127.0.0.1:{server.server_address[1]}/frame.html"
        ran = subprocess.run([*command, "--window-size=1280,1400", address], capture_output=True, timeout=120)
        server.shutdown()
    assert picture.is_file(), ran.stderr
    drawn = cv2.imread(str(picture)).astype(int)
    # The colours of the left and the right side are those of the curves, which a script draws.
    for colour in ((0xB5, 0x77, 0x0A), (0x09, 0x4A, 0xBD)):
        assert (np.abs(drawn - colour).max(-1) < 12).sum() > 200
