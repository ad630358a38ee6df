"""onnxruntime-web, which runs networks in browsers. It is fetched once, because it is too large for the package."""

import gzip
import tarfile
from pathlib import Path

from poselift.core.download import fetch
from poselift.core.errors import InputError

VERSION = "1.30.0"
_ARCHIVE = f"onnxruntime-web-{VERSION}.tgz"
_URL = f"https://registry.npmjs.org/onnxruntime-web/-/{_ARCHIVE}"
_SHA256 = "d2228df7e4616bc3348bf504ee888f3bec43789a273f0a63f3e68d203ce3bf71"

_WITHOUT_GPU, _WITH_GPU = "ort-wasm-simd-threaded", "ort-wasm-simd-threaded.asyncify"
FILES = (
    *("ort.wasm.min.mjs", f"{_WITHOUT_GPU}.mjs", f"{_WITHOUT_GPU}.wasm"),
    *("ort.webgpu.min.mjs", f"{_WITH_GPU}.mjs", f"{_WITH_GPU}.wasm"),
)
"""A browser loads the first three, or where it has WebGPU the others."""


def write_runtime(folder: Path, given: Path | None = None, offline: bool = False) -> None:
    """Writes onnxruntime-web's files, WebAssembly packed with gzip.

    gzip packs them to a quarter.

    Args:
        folder: where to write.
        given: folder `dist` of an onnxruntime-web of this version, instead of a download.
        offline: only look into the cache.

    Raises:
        InputError: a file is missing, or cannot be downloaded.
    """
    if given is not None:
        missing = [name for name in FILES if not (given / name).is_file()]
        if missing:
            raise InputError(f"{given} has no {missing[0]}; give the folder dist of onnxruntime-web {VERSION} from npm")
        for name in FILES:
            _write(folder, name, (given / name).read_bytes())
        return
    with tarfile.open(fetch(_ARCHIVE, [_URL], _SHA256, offline)) as archive:
        for name in FILES:
            content = archive.extractfile(f"package/dist/{name}")
            assert content is not None, "the SHA-256 was right"
            _write(folder, name, content.read())


def _write(folder: Path, name: str, content: bytes) -> None:
    if not name.endswith(".wasm"):
        (folder / name).write_bytes(content)
        return
    # Level 9 takes twice the time for 1 % less.
    with gzip.GzipFile(folder / f"{name}.gz", "wb", 6, mtime=0) as file:
        file.write(content)
