"""Digests of files, for what a change of structure must not change.

A file's text is held to the letter, without its numbers, versions and times. Numbers are held by how many there are and
by their mean size, to 0.5 %: other processors and libraries round otherwise, and other encoders make other pictures.
Neighbours weigh differently in the mean, so that it shows exchanged ones.
"""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.io import netcdf_file

from poselift import __version__

_TABLE = Path(__file__).with_name("golden_files.txt")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")
_CHANGING = {"seconds", "stamp", "path"}
"""Keys of summary.json that every run changes."""


def check_files(group: str, folder: Path) -> None:
    """Compares a folder's files with those of a group in golden_files.txt. Prints the rows for a meant change."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    found = {path.relative_to(folder).as_posix(): _digest(path) for path in files}
    for name, (text, count, mean) in found.items():
        print(group, name.replace(" ", "_"), text, count, f"{mean:.6g}")
    rows = [line.split() for line in _TABLE.read_text().splitlines() if line.split()[0] == group]
    assert [name.replace(" ", "_") for name in found] == [name for _, name, *_ in rows]
    for (name, (text, count, mean)), (*_, known, numbers, size) in zip(found.items(), rows, strict=True):
        assert (text, count) == (known, int(numbers)), name
        assert mean == pytest.approx(float(size), rel=5e-3, abs=1e-6), name


def _digest(path: Path) -> tuple[str, int, float]:
    """The start of the text's SHA-256, the number of finite numbers, and their mean size."""
    text, numbers = _READERS.get(path.suffix, _read_text)(path)
    numbers = np.abs(numbers[np.isfinite(numbers)])
    mean = float(np.average(numbers, weights=np.arange(len(numbers)) % 7 + 1)) if len(numbers) else 0.0
    return hashlib.sha256(text.encode()).hexdigest()[:12], len(numbers), mean


def _read_text(path: Path) -> tuple[str, np.ndarray]:
    return _split(path.read_text())


def _split(text: str) -> tuple[str, np.ndarray]:
    text = text.replace(__version__, "VERSION")
    return _NUMBER.sub("#", text), np.array([float(number) for number in _NUMBER.findall(text)])


def _read_json(path: Path) -> tuple[str, np.ndarray]:
    value = json.loads(path.read_text())
    return _split(json.dumps({key: value[key] for key in value if key not in _CHANGING}))


def _read_arrays(path: Path) -> tuple[str, np.ndarray]:
    if path.suffix == ".nc":
        with netcdf_file(path, mmap=False) as file:
            arrays = {name: variable[:] for name, variable in file.variables.items()}
    else:
        with np.load(path) as file:
            arrays = dict(file)
    numbers = [array.ravel() for array in arrays.values() if array.dtype.kind in "biuf"]
    texts = [array.tolist() for array in arrays.values() if array.dtype.kind not in "biuf"]
    shapes = [(name, array.dtype.str, array.shape) for name, array in arrays.items()]
    return f"{shapes} {texts}", np.concatenate(numbers).astype(float)


def _read_glb(path: Path) -> tuple[str, np.ndarray]:
    content = path.read_bytes()
    length = int.from_bytes(content[12:16], "little")
    text, numbers = _split(content[20 : 20 + length].decode())
    document = json.loads(content[20 : 20 + length])
    chunk = content[28 + length :]
    for accessor in document["accessors"]:
        if accessor["componentType"] == 5126:
            view = document["bufferViews"][accessor["bufferView"]]
            start, size = view.get("byteOffset", 0), view["byteLength"]
            numbers = np.append(numbers, np.frombuffer(chunk[start : start + size], "<f4"))
    return text, numbers


def _read_c3d(path: Path) -> tuple[str, np.ndarray]:
    content = path.read_bytes()
    words = np.frombuffer(content[: len(content) // 4 * 4], "<f4").astype(float)
    return f"{len(content)} bytes", words[(np.abs(words) > 1e-3) & (np.abs(words) < 1e5)]


_READERS = {
    ".json": _read_json,
    ".npz": _read_arrays,
    ".nc": _read_arrays,
    ".glb": _read_glb,
    ".vrma": _read_glb,
    ".c3d": _read_c3d,
}
