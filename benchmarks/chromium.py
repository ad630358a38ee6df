"""Headless Chromium for benchmarks and tests of pages, and a server for them."""

import functools
import http.server
import json
import os
import select
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from poselift.core.errors import InputError


def chromium() -> str:
    """The path of Chromium.

    Raises:
        InputError: Chromium is missing.
    """
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise InputError("Chromium is not installed; install the package chromium of your system")
    return found


_STARTER = """
import os, sys
inward, outward = (os.dup(int(number)) for number in sys.argv[1:3])
for number, wanted in ((inward, 3), (outward, 4)):
    os.dup2(number, wanted)
    os.set_inheritable(wanted, True)  # dup2 leaves a descriptor alone that is there already
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Starts Chromium, which reads from its descriptor 3 and writes to 4."""


_PATIENCE = 120
"""Seconds that Chromium may take for an answer."""


class Browser:
    """Headless Chromium, controlled through its pipe (https://chromedevtools.github.io/devtools-protocol).

    Attributes:
        process: number of its first process.
    """

    def __init__(self, path: str, folder: Path) -> None:
        inward, self._write = os.pipe()
        self._read, outward = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        command = [sys.executable, "-c", _STARTER, str(inward), str(outward), path, *flags, "about:blank"]
        self._process = subprocess.Popen(command, pass_fds=(inward, outward), stderr=subprocess.DEVNULL)
        os.close(inward)
        os.close(outward)
        self.process = self._process.pid
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

    def wait(self, condition: str, patience: float = 60.0) -> None:
        """Waits until an expression is true.

        Raises:
            InputError: it does not come true in this many seconds.
        """
        end = time.monotonic() + patience
        while not self._holds(condition):
            if time.monotonic() > end:
                shown = self.value("document.body.innerText")
                raise InputError(f"{condition} did not come true in {patience:.0f} s; the page shows: {shown}")
            time.sleep(0.1)

    def _holds(self, condition: str) -> bool:
        """Whether an expression is true; not while a page gives way to the next one."""
        try:
            return bool(self.value(f"Boolean({condition})"))
        except InputError as error:
            if "navigated" in str(error):
                return False
            raise

    def close(self) -> None:
        """Ends Chromium."""
        self._process.terminate()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)

    def _message(self) -> dict[str, Any]:
        """The next message; Chromium ends each with a zero byte."""
        while b"\0" not in self._rest:
            if not select.select([self._read], [], [], _PATIENCE)[0]:
                raise InputError(f"Chromium has not answered for {_PATIENCE} s; start it by hand to see why")
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
