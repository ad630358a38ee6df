"""Checkpoints of mmpose and mmdet, read without running code. They are fetched and checked."""

import pickle
import re
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from poselift.core.download import fetch
from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.core.registry import published, registry
from poselift.core.unpickling import numpy_constructors

_PUBLISHED = re.compile(r"-(?!20[12]\d[01]\d[0-3]\d\.)([0-9a-f]{8})(?:_\d{8})?\.pth$")
"""OpenMMLab's file names carry the first eight digits of the file's SHA-256, some a date behind it, and some a date
in its place."""


@dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint.

    Attributes:
        name: of the file.
        sha256: of the file.
        state: the model's parameters.
        dataset_meta: of the data that it was trained on: names of joints or classes; empty where it is not said.
    """

    name: str
    sha256: str
    state: dict[str, Tensor]
    dataset_meta: dict[str, Any]


def load_checkpoint(source: str, trust: bool = False, offline: bool = False) -> Checkpoint:
    """Reads a checkpoint.

    Args:
        source: a path; the name of published weights (`poselift weights list`); or a URL with the file's SHA-256,
            either behind it (`URL#sha256=...`) or, as OpenMMLab does it, the first eight digits of it in the file name.
        trust: also read files that hold more than tensors, plain data and numpy arrays. Reading such a file runs
            whatever code its author put into it.
        offline: take what has a name or a URL from the cache, or not at all.

    Raises:
        InputError: the file is missing, cannot be fetched, is another than the SHA-256 says, is no checkpoint, or
            would run code.
    """
    if source in registry():
        path = published(source).get(offline)
    else:
        path = _fetch(source, offline) if "://" in source else Path(source)
    if not path.is_file():
        raise InputError(f"checkpoint {source}: no such file; check the path")
    content = _read(path, trust)
    state = content.get("state_dict", content) if isinstance(content, dict) else None
    if not isinstance(state, dict) or not state or not all(isinstance(value, Tensor) for value in state.values()):
        raise InputError(f"checkpoint {path}: it holds no state_dict of a model")
    meta = content.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    # mmdet before version 3 keeps the names of the classes, in capitals, in the outer dict.
    dataset_meta = meta.get("dataset_meta") or {key: meta[key] for key in ("CLASSES",) if key in meta}
    named = dataset_meta if isinstance(dataset_meta, dict) else {}
    return Checkpoint(path.name, sha256(path), state, {str(key).lower(): value for key, value in named.items()})


def load_state(model: nn.Module, checkpoint: Checkpoint, config: Path) -> None:
    """Puts a checkpoint's parameters into a model.

    What the model does not have is left out.

    Raises:
        InputError: the checkpoint is of another model: parameters are missing or have other shapes.
    """
    # Distributed training puts "module." before each name. The version numbers that PyTorch keeps in an attribute of
    # the dict are needed to read older checkpoints.
    state = type(checkpoint.state)((key.removeprefix("module."), value) for key, value in checkpoint.state.items())
    if hasattr(checkpoint.state, "_metadata"):
        state._metadata = checkpoint.state._metadata  # type: ignore[attr-defined]  # only PyTorch's dict has it
    try:
        missing = model.load_state_dict(state, strict=False).missing_keys
    except RuntimeError as error:
        first = str(error).strip().splitlines()[1:2]
        raise InputError(
            f"checkpoint {checkpoint.name} is not of the model of {config.name}: {''.join(first).strip()}"
        ) from error
    missing = [key for key in missing if not key.endswith("num_batches_tracked")]
    if missing:
        raise InputError(
            f"checkpoint {checkpoint.name} is not of the model of {config.name}: {len(missing)} parameters are "
            f"missing, {missing[0]} the first of them"
        )


def _read(path: Path, trust: bool) -> Any:
    try:
        if trust:
            return torch.load(path, map_location="cpu", weights_only=False)
        with torch.serialization.safe_globals(_list_allowed()):
            return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        found = re.search(r"GLOBAL (\S+)", str(error))
        wants = f" wants {found[1]}, which" if found else ""
        raise InputError(
            f"checkpoint {path}{wants} is more than tensors and plain data, and might run any code when it is read; if "
            "you trust its author, add --trust-checkpoint"
        ) from error
    except Exception as error:  # a damaged file can raise any exception
        raise InputError(f"checkpoint {path} is damaged, or is no checkpoint of PyTorch's") from error


class _HistoryBuffer:
    """A stand-in for mmengine's log of a checkpoint's training. The class has this name there."""


def _method_name(owner: type, name: str) -> str:
    """A stand-in for `getattr`, with which that log names methods. It would be averaged with them."""
    return name


def _list_allowed() -> list[Any]:
    """What checkpoints may hold beside tensors. numpy's arrays and numbers, and the log of the training."""
    allowed: list[Any] = [(made, f"{module}.{name}") for (module, name), made in numpy_constructors().items()]
    allowed += [(_HistoryBuffer, "mmengine.logging.history_buffer.HistoryBuffer")]
    return allowed + [(_method_name, f"{builtins}.getattr") for builtins in ("builtins", "__builtin__")]


def _fetch(url: str, offline: bool) -> Path:
    """The file that a URL names."""
    address, _, fragment = url.partition("#")
    name = Path(urllib.parse.unquote(urllib.parse.urlsplit(address).path)).name
    digits = _PUBLISHED.search(name)
    if fragment:
        expected = fragment.removeprefix("sha256=").lower()
        if not re.fullmatch("[0-9a-f]{64}", expected):
            raise InputError(f"checkpoint {url}: write the SHA-256 behind the URL as #sha256= and 64 hex digits")
    elif digits:
        expected = digits[1]
    else:
        raise InputError(f"checkpoint {url}: add the file's SHA-256 as {address}#sha256=...")
    if not name.strip("."):
        raise InputError(f"checkpoint {url}: the URL names no file")
    return fetch(name, [address], expected, offline)
