"""Puts the configs of conf/ into the package as `poselift/conf`; everything else stands in pyproject.toml."""

import types
import zipfile
import zlib
from typing import Any

from setuptools import find_namespace_packages, setup

try:
    from zopfli.zlib import compress
except ImportError:  # an editable install without build isolation packs nothing
    compress = None

_LARGE = 1 << 20
"""Bytes from which zopfli wins what it takes: 0.1 % in a second for each 3 MB."""


class _Smallest:
    """Compresses weights with zopfli, which divides them into better blocks, and small files with zlib.

    This keeps a wheel under 40 MB: the weights are 44 kB smaller than with libdeflate's highest level.
    """

    def __init__(self, *_: Any) -> None:
        self._data = bytearray()

    def compress(self, data: bytes) -> bytes:
        self._data += data
        return b""

    def flush(self) -> bytes:
        if len(self._data) < _LARGE:
            return zlib.compress(self._data, 9, wbits=-zlib.MAX_WBITS)
        # More iterations win nothing. A wheel has no use for the header and the check sum of the zlib format.
        return bytes(compress(bytes(self._data), numiterations=1)[2:-4])


# zipfile has no option for another library.
if compress is not None:
    zipfile.zlib = types.SimpleNamespace(**{**vars(zlib), "compressobj": _Smallest})  # type: ignore[attr-defined]

setup(
    packages=[*find_namespace_packages(include=["poselift*"]), "poselift.conf"], package_dir={"poselift.conf": "conf"}
)
