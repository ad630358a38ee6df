"""Lifters to and from safetensors files, by PyTorch."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load, save

from poselift.core.errors import InputError, reason
from poselift.core.files import atomic_files, sha256, write_json
from poselift.core.publishing import find_published
from poselift.models.base import Lifter
from poselift.models.restore import restore
from poselift.models.saved_weights import graph_path, seal_card
from poselift.skeleton import Pelvis


def save_weights(
    path: str | Path,
    lifter: Lifter,
    window: int,
    training: dict[str, Any],
    dtype: torch.dtype = torch.float32,
    *,
    pelvis: Pelvis | None = None,
) -> None:
    """Writes a lifter (.safetensors), and the JSON beside it.

    The JSON has the SHA-256 of the weights.

    Args:
        path: of the safetensors file.
        lifter: its class must be in `MODELS`.
        window: frames in a window to lift with.
        training: how it was trained, as plain data.
        dtype: floating-point numbers are stored in it; they are always computed in float32.
        pelvis: where the lifter's pelvis lies; None if unknown.

    Raises:
        InputError: the folder cannot be created or written to, or the disk is full.
    """
    path = Path(path)
    state = {
        key: value.detach().cpu().to(dtype if value.is_floating_point() else value.dtype).contiguous()
        for key, value in lifter.state_dict().items()
    }
    card_path = path.with_suffix(".json")
    with atomic_files(path.parent, card_path.name, [graph_path(path).name]) as folder:  # the graph of earlier weights
        (folder / path.name).write_bytes(save(state))
        card = {
            "model": type(lifter).__name__,
            "config": asdict(lifter.config),
            "window": window,
            "sha256": sha256(folder / path.name),
            "training": training,
        }
        write_json(folder / card_path.name, seal_card(card | ({} if pelvis is None else {"pelvis": pelvis})))


def read_lifter(path: Path, card: Mapping[str, Any], device: str) -> Lifter:
    """The lifter of a safetensors file, in eval mode and in float32.

    Args:
        path: of the safetensors file.
        card: of the lifter.
        device: the lifter goes there.

    Raises:
        InputError: the file cannot be read, or card and file do not go together.
    """
    try:
        # Its bytes, because safetensors takes no path that is not UTF-8.
        state = {key: value.float() for key, value in load(find_published(path).read_bytes()).items()}
    except Exception as error:  # a damaged file can raise any exception
        raise InputError(f"{path} cannot be read as safetensors ({reason(error)}); copy it again") from error
    try:
        lifter = restore(card["model"], card["config"], state)
    except InputError as error:
        raise InputError(f"{path} and {path.with_suffix('.json').name} give no lifter: {error}") from error
    return lifter.to(device)
