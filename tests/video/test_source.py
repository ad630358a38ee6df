"""Sources of live pictures: files, URLs (an HTTP server of this process) and cameras."""

import contextlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.video import LiveCapture, source, source_opener
from poselift.video.source import CameraSource
from tests.video.rtsp_server import rtsp_served


@contextlib.contextmanager
def served(content, kind, *, length=False, pause=0.0):
    """The URL of an HTTP server that sends chunks of bytes, as a live camera does; with `length` as a file."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            if length:
                self.send_header("Content-Length", str(sum(map(len, content))))
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                for chunk in content:
                    self.wfile.write(chunk)
                    self.wfile.flush()
                    time.sleep(pause)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/live", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def mjpeg(count):
    """Parts of an MJPEG stream, as IP cameras send it."""
    parts = []
    for number in range(count):
        _, jpeg = cv2.imencode(".jpg", np.full((64, 96, 3), 40 + 3 * number, np.uint8))
        data = jpeg.tobytes()
        parts.append(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data) + data + b"\r\n")
    return parts


@pytest.mark.slow
def test_an_http_camera_is_live_and_is_opened_again_when_it_ends():
    said = []
    with served(mjpeg(20), "multipart/x-mixed-replace; boundary=frame", pause=0.02) as (url, requests):
        name, opener = source_opener(url)
        opened = opener()
        assert opened.image_size == (96, 64)
        assert not opened.own_pace
        assert next(opened.pictures()).seconds is None, "the format has no times; FFmpeg would guess 25 a second"
        opened.close()
        times = []
        with LiveCapture(opener, name, said.append, waits=(0.05,)) as capture:
            while len(said) < 2:
                if (captured := capture.newest(0.5)) is not None:
                    times.append(captured.frame.timestamp)
    assert said == [f"{url} is gone; trying to open it again", f"{url} is back"]
    assert times == sorted(set(times))
    assert len(requests) >= 3


def test_a_transport_stream_over_http_has_its_own_times(make_video):
    content = make_video("live.ts", frames=30, rate=25, container_format="mpegts").read_bytes()
    with served([content], "video/mp2t") as (url, _):
        opened = source_opener(url)[1]()
        seconds = [picture.seconds for picture in opened.pictures()]
        opened.close()
    assert not opened.own_pace
    np.testing.assert_allclose(seconds, np.arange(30) / 25, atol=1e-3)


@pytest.mark.slow
def test_rtsp_is_live_even_if_the_server_tells_a_length(make_video):
    content = make_video("live.ts", frames=50, rate=25, container_format="mpegts").read_bytes()
    said = []
    with rtsp_served(content, seconds=1.0) as url:
        name, opener = source_opener(url)
        with LiveCapture(opener, name, said.append, waits=(0.05,)) as capture:
            times = []
            while len(said) < 2 and not capture.ended:
                if (captured := capture.newest(0.5)) is not None:
                    times.append(captured.frame.timestamp)
    assert said == [f"{url} is gone; trying to open it again", f"{url} is back"]
    assert len(times) > 1
    assert times == sorted(set(times))


def test_a_file_on_a_web_server_plays_at_its_own_pace(make_video):
    content = make_video(frames=5).read_bytes()
    with served([content], "video/mp4", length=True) as (url, _):
        opened = source_opener(url)[1]()
        assert opened.own_pace
        assert len(list(opened.pictures())) == 5
        opened.close()


def test_a_file_is_upright_and_has_square_pixels(make_video):
    opened = source_opener(str(make_video(frames=3, pixel_aspect=2)))[1]()
    assert opened.own_pace
    assert opened.image_size == (192, 64)
    assert [picture.image().shape for picture in opened.pictures()] == [(64, 192, 3)] * 3
    opened.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("missing.mp4", r"missing\.mp4: no such file"),
        ("rtsp://me:secret@127.0.0.1:9/x", r"^rtsp://127\.0\.0\.1:9/x cannot be opened"),
        ("rtsp://me:secret@[x/live", r"no readable URL \(Invalid IPv6 URL\); check the name of its host"),
    ],
)
def test_errors_name_the_source_but_no_password(text, message):
    with pytest.raises(InputError, match=message) as raised:
        source_opener(text)[1]()
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("text", ["17", "/dev/video17"])
def test_a_missing_camera_is_named(text, capfd):
    name, opener = source_opener(text)
    assert name == "camera 17"
    with pytest.raises(InputError, match="camera 17 cannot be opened"):
        opener()
    assert capfd.readouterr().err == "", "OpenCV's own warnings are left out"


class FakeDevice:
    """What OpenCV gives for a camera."""

    def __init__(self, pictures):
        self._left = [np.full((6, 8, 3), (255, 0, number), np.uint8) for number in range(pictures)]

    def isOpened(self):
        return True

    def set(self, key, value):
        return True

    def read(self):
        return (True, self._left.pop(0)) if self._left else (False, None)

    def release(self):
        self._left = []


def test_a_camera_gives_rgb_until_it_is_unplugged(monkeypatch):
    monkeypatch.setattr(source, "_quiet_capture", lambda index: FakeDevice(3))
    camera = CameraSource(0)
    assert camera.image_size == (8, 6)
    images = [picture.image() for picture in camera.pictures()]
    assert [image[0, 0].tolist() for image in images] == [[0, 0, 255], [1, 0, 255], [2, 0, 255]]
