"""Puts the configs of conf/ into the package as `poselift/conf`; everything else stands in pyproject.toml."""

import types
import zipfile
import zlib
from typing import Any

from setuptools import find_namespace_packages, setup


class _Smallest:
    """The smallest of what deflate's strategies make of a file.

    Float16 weights become 86 kB smaller, which keeps a wheel under 40 MB.
    """

    def __init__(self, level: int, method: int = zlib.DEFLATED, bits: int = zlib.MAX_WBITS, *rest: Any) -> None:
        strategies = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED)
        self._tried = [zlib.compressobj(9, method, bits, 9, strategy) for strategy in strategies]
        self._made = [bytearray() for _ in self._tried]

    def compress(self, data: bytes) -> bytes:
        for tried, made in zip(self._tried, self._made, strict=True):
            made += tried.compress(data)
        return b""

    def flush(self) -> bytes:
        return bytes(min((made + tried.flush() for tried, made in zip(self._tried, self._made, strict=True)), key=len))


# zipfile hands on no option of deflate but the level.
zipfile.zlib = types.SimpleNamespace(**{**vars(zlib), "compressobj": _Smallest})  # type: ignore[attr-defined]

setup(
    packages=[*find_namespace_packages(include=["poselift*"]), "poselift.conf"], package_dir={"poselift.conf": "conf"}
)
