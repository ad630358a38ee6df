"""Reading of PyTorch's files, without running what is in them."""

import hashlib
import os
import re
from typing import Any
from zipfile import ZIP_STORED, ZipFile, is_zipfile

import torch

from poselift.core.errors import InputError, reason, shorten

CHECKSUM = "sha256"
"""Key of a checkpoint's own `content_sha256`, without this key."""


def _check_archive(path: str | os.PathLike[str]) -> None:
    """Raises a ValueError for a damaged or oversized part. `torch.load` does not notice the damage."""
    if not is_zipfile(path):
        raise ValueError("it is another kind of file, or cut short")
    with ZipFile(path) as archive:
        # PyTorch does not compress, so that nothing unpacks to more than the file.
        packed = any(info.compress_type != ZIP_STORED for info in archive.infolist())
        if packed or sum(info.file_size for info in archive.infolist()) > os.path.getsize(path):
            raise ValueError("its parts are compressed, so PyTorch did not write it")
        if damaged := archive.testzip():
            raise ValueError(f"wrong check sum of {damaged}")


def content_sha256(value: Any) -> str:
    """SHA-256 of nested tensors and plain data, as lower-case hex."""
    digest = hashlib.sha256()
    _add(digest, value)
    return digest.hexdigest()


def _add(digest: "hashlib._Hash", value: Any) -> None:
    """Adds a value with its type to a checksum."""
    if isinstance(value, torch.Tensor):
        digest.update(f"{value.dtype}{tuple(value.shape)}".encode())
        digest.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    elif isinstance(value, dict):
        digest.update(f"dict {len(value)}".encode())
        for item in value.items():
            _add(digest, item)
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)}".encode())
        for item in value:
            _add(digest, item)
    else:
        digest.update(f"{type(value).__name__} {value!r} ".encode("utf-8", "backslashreplace"))


def read_checkpoint_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of a training run's checkpoint: tensors and plain data.

    Raises:
        InputError: the file is damaged, is no checkpoint, holds anything else, or has another content than its
            `sha256` says.
    """
    try:
        _check_archive(path)
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged file can raise any exception
        raise InputError(
            f"{path} cannot be read as a checkpoint of tensors and plain data ({_why(error)}); copy it again, or take "
            "another checkpoint"
        ) from error
    if not isinstance(content, dict):
        raise InputError(f"{path} is no checkpoint: it holds a {type(content).__name__}; give another file")
    checksum = content.pop(CHECKSUM, None)
    if checksum is not None and checksum != content_sha256(content):
        raise InputError(
            f"{path} is damaged or was changed: its content does not have its sha256; copy it again, or take another "
            "checkpoint"
        )
    return content


def _why(error: Exception) -> str:
    """The reason of `torch.load`'s error, without its unsafe advice."""
    if found := re.search(r"GLOBAL (\S+)", str(error)):
        return f"it wants {found[1]}, which is no plain data"
    found = re.search(r"WeightsUnpickler error:(.*)", str(error))
    words = found[1].strip() if found else "" if isinstance(error, EOFError) else reason(error)
    return "it is another kind of file, or cut short" if not words or "zip archive" in words else shorten(words)


class _Forgotten:
    """A placeholder for what is no tensor, such as a random state."""

    def __init__(self, *_: object) -> None:
        pass

    def __setstate__(self, state: object) -> None:
        pass


_FORGOTTEN = (
    "numpy.random.__RandomState_ctor",
    "numpy.random._pickle.__randomstate_ctor",
    "numpy.random._pickle.__bit_generator_ctor",
    "numpy.random.mtrand.RandomState",
    "numpy.random._mt19937.MT19937",
    *(f"numpy.{core}.multiarray.{name}" for core in ("core", "_core") for name in ("_reconstruct", "scalar")),
    "numpy.ndarray",
    "numpy.dtype",
    "_codecs.encode",
)
"""What other programs' training loops save beside their weights."""


def read_foreign_weights(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Tensors and plain data of another program's checkpoint.

    Random generators are left out. Nothing in the file is run.

    Raises:
        InputError: the file is damaged, is no checkpoint, or holds anything else.
    """
    try:
        with torch.serialization.safe_globals([(_Forgotten, name) for name in _FORGOTTEN]):
            content = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise InputError(f"no such file: {path}; check the path of the weights") from error
    except Exception as error:  # a damaged pickle may raise anything
        raise InputError(f"{path} cannot be read as a checkpoint of PyTorch ({_why(error)}); copy it again") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} holds no weights by name; give a checkpoint of PyTorch")
    return content
