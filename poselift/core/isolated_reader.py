"""Reads files in another process.

Damaged files can crash libraries written in C, or keep them for ever. The process starts at the first file, imports
only what its readers need, and stays for the files after it. Its answers are JSON and the bytes of arrays: nothing that
it sends is unpickled.
"""

import atexit
import contextlib
import importlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

from poselift.core.errors import reason
from poselift.core.npz import KINDS, check_text

_PATIENCE = 30.0
"""Seconds for a small file: the first one also waits for imports, on a machine that may be busy."""
_SLOWEST = 1 << 20
"""Bytes of a file that are read in a second, at least: those of a slow network drive."""
_SPARE = 1 << 30
"""Bytes of address space for libraries and working copies, beside twice the largest accepted content."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from poselift.core.isolated_reader import _serve; _serve()"
)


def read_isolated(read: Callable[..., Any], path: Path, most: int, *arguments: Any) -> Any:
    """What a function reads from a file, called in another process.

    Args:
        read: called with `path`, `most` and `arguments`; a function of a module, which the process imports: keep it
            light. It returns numbers, text, arrays of these or, as cells, of arrays, and lists and dicts of all.
        path: the file.
        most: largest accepted content, bytes (`poselift.core.safe_parsing.limit_unpacked`).
        arguments: plain values.

    Raises:
        ValueError: the function raised an error, crashed its process, took too much memory or did not end.
    """
    with _lock:
        return _process().read(read, path, most, arguments)


class _Reader:
    """The other process, kept until a file ends it."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", _START, json.dumps(sys.path)]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing)

    def read(self, read: Callable[..., Any], path: Path, most: int, arguments: tuple[Any, ...]) -> Any:
        """See `read_isolated`."""
        request = [read.__module__, read.__qualname__, str(path.absolute()), most, arguments]
        limit = _PATIENCE + path.stat().st_size / _SLOWEST
        alarm = threading.Timer(limit, self._process.kill)
        began = time.monotonic()
        alarm.start()
        try:
            assert self._process.stdin
            assert self._process.stdout
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
            if "error" not in answer:
                return _receive(answer["value"], self._process.stdout, most)
        except (OSError, EOFError, json.JSONDecodeError):  # it has died
            self.end()
            if time.monotonic() - began >= limit:
                raise ValueError(f"it is not read within {limit:.0f} s") from None
            raise ValueError(f"it crashes its reader ({_explain_death(self._process.returncode)})") from None
        except BaseException:  # such as Ctrl-C: an answer may be under way
            self.end()
            raise
        finally:
            alarm.cancel()
        raise ValueError(answer["error"])

    @property
    def alive(self) -> bool:
        """Whether it can read."""
        return self._process.poll() is None

    def end(self) -> None:
        """Ends the process at once."""
        with contextlib.suppress(OSError):  # what was not sent
            self._process.kill()
            self._process.communicate()


_lock = threading.Lock()
_kept: dict[int, _Reader] = {}
"""The process that reads for this one, by this one's number: a fork does not talk to that of its parent."""


def _process() -> _Reader:
    kept = _kept.get(os.getpid())
    if kept is None or not kept.alive:
        kept = _kept[os.getpid()] = _Reader()
    return kept


@atexit.register
def _end() -> None:
    if kept := _kept.pop(os.getpid(), None):
        kept.end()


def _renew_lock() -> None:
    """Another thread may have held it when the process was forked."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def _explain_death(code: int) -> str:
    """How a process ended."""
    return (signal.strsignal(-code) or f"signal {-code}") if code < 0 else f"exit code {code}"


def _serve() -> None:
    """Answers requests until the other process closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process decides
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what libraries print
        for line in sys.stdin.buffer:
            module, name, path, most, arguments = json.loads(line)
            arrays: list[np.ndarray] = []
            try:
                read = getattr(importlib.import_module(module), name)
                _bound_memory(2 * most + _SPARE)
                answer = {"value": _describe(read(path, most, *arguments), arrays)}
            except Exception as error:  # a damaged file can raise any exception
                answer, arrays = {"error": reason(error)}, []
            answers.write(json.dumps(answer).encode() + b"\n")
            for array in arrays:
                answers.write(array.data if array.nbytes else b"")
            answers.flush()


def _bound_memory(more: int) -> None:
    """Makes larger allocations fail, where the system can do that."""
    if sys.platform != "linux":
        return
    import resource

    most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + more
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _describe(value: Any, arrays: list[np.ndarray]) -> Any:
    """The value for JSON. Arrays are appended to `arrays`; their dtypes and shapes stand for them."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return {"cells": value.shape, "values": [_describe(each, arrays) for each in value.ravel()]}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in KINDS:
            raise ValueError(f"it holds {value.dtype}, which is neither numbers nor text")
        arrays.append(np.ascontiguousarray(value).reshape(-1).view(np.uint8) if value.nbytes else np.empty(0, np.uint8))
        return {"dtype": value.dtype.str, "shape": value.shape}
    if isinstance(value, dict):
        return {"dict": {key: _describe(each, arrays) for key, each in value.items()}}
    if isinstance(value, list | tuple):
        return [_describe(each, arrays) for each in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(f"it holds a {type(value).__name__}, which is neither numbers nor text")


def _receive(value: Any, stream: IO[bytes], most: int) -> Any:
    """The value that `_describe` describes, with its arrays from the stream."""
    if isinstance(value, list):
        return [_receive(each, stream, most) for each in value]
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return {key: _receive(each, stream, most) for key, each in value["dict"].items()}
    if "cells" in value:
        cells = np.empty(len(value["values"]), object)
        for at, each in enumerate(value["values"]):
            cells[at] = _receive(each, stream, most)
        return cells.reshape(value["cells"])
    dtype, count = np.dtype(value["dtype"]), math.prod(value["shape"])
    if dtype.kind not in KINDS or count * dtype.itemsize > most:
        raise ValueError(f"it holds the shape {value['shape']} of {dtype}, more than the {most} bytes that are read")
    array = np.empty(count, dtype)
    raw, filled = array.view(np.uint8).data if array.nbytes else memoryview(b""), 0
    while filled < len(raw):
        part = stream.readinto(raw[filled:])  # type: ignore[attr-defined]  # pipes have it
        if not part:
            raise EOFError
        filled += part
    check_text(array)
    return array.reshape(value["shape"])
