"""Damaged and hostile versions of valid files: flipped bytes, cuts, and changes that know the format."""

import functools
import io
import json
import pickle
import re
import zipfile
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import yaml

Mutation = Callable[[bytes, Random], bytes]
"""Makes another file of a file."""

_WORDS = [b"\xff" * 4, b"\xff" * 8, b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00" * 8, b"\x80", b"NaN", b"1e999"]
_DEEP = 5000
_ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 2.5, "", "=1+1", "x" * 300, "\ud800", "../../x", [], {}, [[]], [None], [1, 2]),
    *(10**9, 10**30, 10**399, -(10**18), 1e308, -1e308, 1e-320, float("nan"), float("inf"), float("-inf")),
]
"""Values that stand where others are expected."""
_NUMBERS = [b"1e999", b"-1e308", b"NaN", b"Infinity", b"9" * 400, b"-1", b"0", b"1e-320", b"0x10", b"", b"null", b"[]"]


def bytes_changed(data: bytes, rng: Random) -> bytes:
    """One to three changes: a bit or byte flipped, a cut, a part repeated, removed, moved or overwritten."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not changed:
            break
        at, length = rng.randrange(len(changed)), rng.choice((1, 2, 4, 8, 64))
        kind = rng.randrange(8)
        if kind == 0:
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            changed[at] = rng.randrange(256)
        elif kind == 2:
            del changed[at:]
        elif kind == 3:
            del changed[at : at + length]
        elif kind == 4:
            changed[at:at] = changed[at : at + length] * rng.choice((1, 2, 50))
        elif kind == 5:
            word = rng.choice(_WORDS)
            changed[at : at + len(word)] = word
        elif kind == 6:
            other = rng.randrange(len(changed))
            changed[at : at + length] = changed[other : other + length]
        else:
            changed[at:at] = rng.randbytes(length)
    return bytes(changed)


def text_changed(data: bytes, rng: Random) -> bytes:
    """A number or a cell of a text replaced, a line removed or repeated; or bytes changed."""
    kind = rng.randrange(4)
    if kind == 0:
        numbers = list(re.finditer(rb"-?\d+(\.\d+)?", data))
        if numbers:
            found = rng.choice(numbers)
            return data[: found.start()] + rng.choice(_NUMBERS) + data[found.end() :]
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    if kind == 1:
        return b"\n".join(lines[:at] + lines[at : at + 1] * rng.choice((0, 2, 100)) + lines[at + 1 :])
    if kind == 2:
        separator = b"\t" if b"\t" in lines[at] else b","
        cells = lines[at].split(separator)
        place = rng.randrange(len(cells))
        cells[place : place + 1] = rng.choice(([], [b"", b""], [b"x"], [b'"'], [rng.choice(_NUMBERS)]))
        return b"\n".join([*lines[:at], separator.join(cells), *lines[at + 1 :]])
    return bytes_changed(data, rng)


def value_changed(value: Any, rng: Random) -> Any:
    """The value, nested lists and dicts, with one part replaced, removed, repeated, renamed or wrapped in place."""
    parent: Any = None
    key: Any = None
    part = value
    while isinstance(part, dict | list) and part and rng.random() < 0.85:
        parent, key = part, rng.choice(list(part)) if isinstance(part, dict) else rng.randrange(len(part))
        part = parent[key]
    if parent is None:
        return deepcopy(rng.choice(_ODD))
    kind = rng.randrange(6)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, list):
        parent[key:key] = [deepcopy(part) for _ in range(rng.choice((1, 2, 40)))]
    elif kind == 2 and isinstance(parent, dict):
        parent[rng.choice(("", "x", "=1", str(key).upper()))] = parent.pop(key)
    elif kind == 3:
        parent[key] = rng.choice(([part], {"a": part}, [part, deepcopy(part)], str(part)))
    else:
        parent[key] = deepcopy(rng.choice(_ODD))
    return value


def json_changed(data: bytes, rng: Random) -> bytes:
    """JSON with changed values, nested too deeply, or with changed text."""
    kind = rng.randrange(8)
    if kind == 0:
        return text_changed(data, rng)
    if kind == 1 and rng.random() < 0.1:
        begin, end = rng.choice(((b"[", b"]"), (b'{"a":', b"}")))
        at = rng.choice([0, *(found.start() for found in re.finditer(rb"[\[{]", data))][:50])
        depth = rng.choice((90, 500, _DEEP, 100_000))
        return data[:at] + begin * depth + b"1" + end * depth + (data[at:] if at else b"")
    value = json.loads(data)
    for _ in range(rng.choice((1, 1, 2))):
        value = value_changed(value, rng)
    return json.dumps(value).encode()


def yaml_changed(data: bytes, rng: Random) -> bytes:
    """YAML with changed values or text, deep nesting, or aliases that unfold without end."""
    kind = rng.randrange(8)
    if kind == 0 and rng.random() < 0.3:
        laughs = [b"a0: &a0 [x, x]"] + [
            b"a%d: &a%d [%s]" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 9)) for i in range(1, 12)
        ]
        return b"\n".join([*laughs, data if rng.random() < 0.5 else b"rows: *a11"])
    if kind == 1 and rng.random() < 0.3:
        return b"rows: " + b"[" * _DEEP + b"]" * _DEEP
    if kind == 2:
        tag = rng.choice(
            (b"!!python/object/apply:os.mkdir [x]", b"!!binary x", b"!!timestamp 9", b"&a [*a]", b"{<<: 1}")
        )
        return re.sub(rb": [^\n]+", b": " + tag.replace(b"\\", b"\\\\"), data, count=1)
    if kind < 5:
        return text_changed(data, rng)
    return yaml.safe_dump(value_changed(yaml.safe_load(data), rng), allow_unicode=False).encode()


def npy_changed(data: bytes, rng: Random) -> bytes:
    """An npy whose header declares something else, or with changed bytes."""
    if rng.random() < 0.3:
        return bytes_changed(data, rng)
    length = int.from_bytes(data[8:10], "little")
    header, rest = data[10 : 10 + length].decode("latin1"), data[10 + length :]
    shape = rng.choice(
        ("(10**9,)", "(999999999999,)", "(-1,)", "()", "(0, 99999999999)", "(3.5,)", "(1, 2, 3)", "[2]", "x")
    )
    descr = rng.choice(
        ("'|O'", "'<f8'", "'<U9'", "'|S0'", "'|V8'", "'<M8[s]'", "[('a', '<f4')]", "'>f2'", "'x'", "None")
    )
    old, new = rng.choice(((r"'shape': \([^)]*\)", f"'shape': {shape}"), (r"'descr': '[^']*'", f"'descr': {descr}")))
    header = re.sub(old, lambda _: new, header)
    return data[:8] + len(header).to_bytes(2, "little") + header.encode("latin1") + rest


def npz_changed(data: bytes, rng: Random) -> bytes:
    """An npz with a changed, missing, renamed, repeated or enormous array, or with changed bytes."""
    kind = rng.randrange(10)
    if kind < 4:
        return bytes_changed(data, rng)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(parts))
    if kind == 4:
        del parts[name]
    elif kind == 5:
        parts[rng.choice(("../x.npy", "x", "x.npy", name.upper()))] = parts.pop(name)
    elif kind == 6:
        parts[name] = _npy(_array(rng))
    elif kind == 7 and rng.random() < 0.02:
        return _bomb(name)
    elif kind == 8 and _pickled(parts[name]):
        parts[name] = _objects_changed(parts[name], rng)
    else:
        parts[name] = npy_changed(parts[name], rng)
    return _zip(parts, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)))


def pickle_changed(data: bytes, rng: Random) -> bytes:
    """A pickle of changed values, one that runs code, one that unfolds without end, or with changed bytes."""
    kind = rng.randrange(8)
    if kind == 0:
        value: Any = [1] * 10
        for _ in range(12):
            value = [value] * 10
        return pickle.dumps(value)
    if kind == 1:
        return rng.choice(
            (b"\x80\x04Nr\xff\xff\xff\xff.", b"Np4000000000\n.", b"cos\nmkdir\n(Vhacked\ntR.", b"\x80\x02]" * 4000)
        )
    if kind < 5:
        return bytes_changed(data, rng)
    return pickle.dumps(value_changed(pickle.loads(data), rng), protocol=rng.randrange(6))


def _objects_changed(npy: bytes, rng: Random) -> bytes:
    """An npy of pickled objects with other objects; the file is the benchmark's own."""
    array = np.load(io.BytesIO(npy), allow_pickle=True)
    value = array.item() if array.ndim == 0 else array.tolist()
    return _npy(np.array(value_changed(value, rng), object))


def _pickled(npy: bytes) -> bool:
    return b"'|O'" in npy[:128]


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def _array(rng: Random) -> np.ndarray:
    """An array of any shape and type."""
    shape = [rng.choice((0, 1, 2, 3, 17, 28)) for _ in range(rng.randrange(5))]
    kind = rng.choice(("f4", "f8", "i8", "?", "U5", "S3", "c8", "f2", "u1"))
    array = np.zeros(shape, kind)
    if kind[0] == "f" and rng.random() < 0.5:
        array[...] = rng.choice((np.nan, np.inf, -1.0, 6e4))
    return array


def _zip(parts: dict[str, bytes], compression: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


@functools.cache
def _bomb(name: str) -> bytes:
    """600 MiB of zeros in a few."""
    size = 600 << 20
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (size // 8,)})
    file = io.BytesIO()
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(name, "w") as member,
    ):
        member.write(header.getvalue())
        for _ in range(size >> 20):
            member.write(bytes(1 << 20))
    return file.getvalue()
