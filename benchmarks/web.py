"""The page docs/web in headless Chromium against PyTorch.

    python -m benchmarks.web [--weights tiny] [--lifter FILE.onnx] [--keypoints docs/web/sample.json] [--out DIR]

Needs Chromium, and onnxruntime-web in docs/web/ort (docs/onnx.md). Exports the lifter, or takes the file of --lifter,
which must be of the same weights. Serves the page, lifts the keypoints in it, and compares its joints with those of
`lift_segments`. Writes a screenshot, DIR/page.png.
"""

import base64
import functools
import http.server
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from benchmarks.command import command_line, errors_shown
from poselift.core.errors import InputError
from poselift.lifting import CameraModel, camera_for
from poselift.lifting.network.overlapping_windows import lift_segments
from poselift.lifting.network.protocol import Lifted
from poselift.lifting.network.torch_network import TorchNetwork
from poselift.lifting.prepare.prepare_stage import Segment
from poselift.models import Weights, load_weights
from poselift.models.onnx_export import export_onnx
from poselift.skeleton import COCO17

WEB = Path(__file__).parents[1] / "docs" / "web"
THRESHOLD = 0.2
"""Lowest score of a joint that the page uses."""

PATIENCE = 120
"""Seconds that the page may take."""


def chromium() -> str:
    """The path of Chromium.

    Raises:
        InputError: Chromium is missing.
    """
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise InputError("Chromium is not installed; install the package chromium of your system")
    return found


def check_runtime() -> None:
    """Raises an InputError where onnxruntime-web is missing."""
    if not (WEB / "ort" / "ort.wasm.min.mjs").is_file():
        raise InputError(f"{WEB / 'ort'} does not have onnxruntime-web; docs/onnx.md has the two commands to get it")


_STARTER = """
import os, sys
inward, outward = (os.dup(int(number)) for number in sys.argv[1:3])
for number, wanted in ((inward, 3), (outward, 4)):
    os.dup2(number, wanted)
    os.set_inheritable(wanted, True)  # dup2 leaves a descriptor alone that is there already
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Starts Chromium, which reads from its descriptor 3 and writes to 4."""


class Browser:
    """Headless Chromium, controlled through its pipe (https://chromedevtools.github.io/devtools-protocol)."""

    def __init__(self, path: str, folder: Path) -> None:
        inward, self._write = os.pipe()
        self._read, outward = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        command = [sys.executable, "-c", _STARTER, str(inward), str(outward), path, *flags, "about:blank"]
        self._process = subprocess.Popen(command, pass_fds=(inward, outward), stderr=subprocess.DEVNULL)
        os.close(inward)
        os.close(outward)
        self._number, self._rest, self._session = 0, b"", ""
        target = self.call("Target.createTarget", url="about:blank", newWindow=True, width=1280, height=720)["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command.

        Raises:
            InputError: Chromium reports an error, or ends.
        """
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise InputError(f"Chromium: {method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise InputError(f"Chromium: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def close(self) -> None:
        """Ends Chromium."""
        self._process.terminate()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)

    def _message(self) -> dict[str, Any]:
        """The next message; Chromium ends each with a zero byte."""
        while b"\0" not in self._rest:
            part = os.read(self._read, 1 << 16)
            if not part:
                raise InputError("Chromium ended; start it by hand to see why")
            self._rest += part
        message, self._rest = self._rest.split(b"\0", 1)
        answer: dict[str, Any] = json.loads(message)
        return answer


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Prints nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder on this machine."""
    handler = functools.partial(_Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def lifted_by_page(lifter: Path, keypoints: Path, screenshot: Path) -> tuple[np.ndarray, np.ndarray, str]:
    """Joints (t, j, 3) and uncertainty (t, j) that the page shows, metres, and its status line.

    Raises:
        InputError: Chromium or onnxruntime-web is missing, or the page reports an error.
    """
    path = chromium()
    check_runtime()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name) / "web"
        shutil.copytree(WEB, folder, ignore=shutil.ignore_patterns("*.onnx", "*.map"))
        shutil.copy(lifter, folder / "lifter.onnx")
        shutil.copy(keypoints, folder / "keypoints.json")
        with served(folder) as address:
            browser = Browser(path, Path(name) / "profile")
            try:
                browser.call("Page.navigate", url=f"{address}/index.html?keypoints={quote('keypoints.json')}")
                _wait(browser)
                picture = browser.call("Page.captureScreenshot")["data"]
                found = browser.value(
                    "import('/page.js').then(({lifted}) => ({joints: Array.from(lifted.joints), "
                    "uncertainty: Array.from(lifted.uncertainty), names: lifted.about.joints_out.length, "
                    "status: document.getElementById('status').textContent}))"
                )
            finally:
                browser.close()
    screenshot.parent.mkdir(parents=True, exist_ok=True)
    screenshot.write_bytes(base64.b64decode(picture))
    joints = np.array(found["joints"], np.float32).reshape(-1, found["names"], 3)
    return joints, np.array(found["uncertainty"], np.float32).reshape(joints.shape[:2]), found["status"]


def _wait(browser: Browser) -> None:
    """Waits until the page has lifted, and drawn it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        status, kind = browser.value(
            "[document.getElementById('status')?.textContent, document.getElementById('status')?.className]"
        )
        if kind == "error":
            raise InputError(f"the page says: {status}")
        if status and "frames lifted" in status:
            time.sleep(0.5)
            return
        time.sleep(0.1)
    raise InputError(f"the page did not lift within {PATIENCE} s; its status is {status!r}")


def lifted_by_torch(weights: Weights, keypoints: Path) -> Lifted:
    """What PyTorch gives for the same file; its uncertainty is calibrated too."""
    content = json.loads(keypoints.read_text(encoding="utf-8"))
    names = content.get("joints", COCO17.joints)
    places = [weights.lifter.skeleton_in.index(name) for name in names]
    frames, j = len(content["frames"]), len(weights.lifter.skeleton_in)
    values = np.full((frames, j, 3), np.nan, np.float32)
    nobody = [[math.nan, math.nan, 0.0]] * len(names)
    values[:, places] = [[point or nobody[0] for point in frame or nobody] for frame in content["frames"]]
    scores = np.where(values[..., 2] >= THRESHOLD, values[..., 2], 0).astype(np.float32)
    width, height = content["image_size"]
    camera = camera_for((width, height))
    if "K" in content:
        camera = CameraModel(np.array(content["K"], float), (width, height), "given")
    times = np.arange(frames) / content["fps"]
    segment = Segment(0, frames, times, values[..., :2], scores, np.arange(frames), camera, turns=0, motions=1)
    (lifted,) = lift_segments(TorchNetwork(weights.lifter), [segment], weights.window, flip=True)
    assert lifted.uncertainty is not None, "shipped lifters give it"
    return Lifted(lifted.joints, weights.uncertainty_factor * lifted.uncertainty)


def main(arguments: Sequence[str] | None = None) -> None:
    """Lifts in the browser, compares, and prints the largest differences."""
    parser = command_line(__doc__)
    parser.add_argument("--weights", default="tiny", metavar="NAME|FILE", help="default tiny")
    parser.add_argument("--lifter", type=Path, metavar="FILE", help="a graph of these weights (default: export them)")
    parser.add_argument(
        "--keypoints", type=Path, default=WEB / "sample.json", metavar="FILE", help="default: the sample"
    )
    parser.add_argument("--out", type=Path, default=Path("outputs/web"), metavar="DIR", help="default outputs/web")
    options = parser.parse_args(arguments)
    with errors_shown(parser), tempfile.TemporaryDirectory() as folder:
        chromium()
        check_runtime()
        weights = load_weights(options.weights)
        lifter = options.lifter or Path(folder) / "lifter.onnx"
        if options.lifter is None:
            export_onnx(weights, lifter)
        joints, uncertainty, status = lifted_by_page(lifter, options.keypoints, options.out / "page.png")
        expected = lifted_by_torch(weights, options.keypoints)
        assert expected.uncertainty is not None
        far = np.linalg.norm(joints - expected.joints, axis=-1).max()
        other = np.abs(uncertainty - expected.uncertainty).max()
        print(status)
        print(f"largest difference from PyTorch: joints {1000 * far:.4f} mm, uncertainty {1000 * other:.4f} mm")


if __name__ == "__main__":
    main()
