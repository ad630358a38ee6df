"""Saved lifters: a safetensors file with the weights and a JSON card with the config; no pickle."""

import json
import logging
import math
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import torch
from safetensors.torch import load, save
from torch import Tensor

from poselift.core.bounded import read_json, whole_number
from poselift.core.errors import InputError, reason
from poselift.core.files import atomic_path, sha256, write_json
from poselift.models.base import Lifter
from poselift.models.restore import restore
from poselift.skeleton import Pelvis

_LOG = logging.getLogger(__name__)

MOST_FRAMES = 1 << 14
"""Largest window, frames."""


@dataclass(frozen=True)
class Weights:
    """A lifter with what is known about it; only the first three are needed to lift.

    Attributes:
        name: of the weights.
        lifter: in eval mode.
        window: frames in a window to lift with.
        sha256: of the safetensors file; None for a lifter that was not loaded from a file.
        path: of the safetensors file; None for a lifter that was not loaded from a file.
        card: the JSON beside the file: model, its config, and how it was trained.
        pelvis: where the lifter's pelvis lies; None if unknown.
    """

    name: str
    lifter: Lifter
    window: int
    sha256: str | None = None
    path: Path | None = None
    card: dict[str, Any] = field(default_factory=dict)
    pelvis: Pelvis | None = None

    @property
    def uncertainty_factor(self) -> float:
        """Factor that makes the lifter's uncertainties hold in 90 % of cases; 1 if uncalibrated."""
        return float(self.card.get("uncertainty_factor", 1.0))


def shipped_weights() -> dict[str, Path]:
    """The safetensors files that come with the package, by name."""
    folder = Path(str(files("poselift") / "weights"))
    return {path.stem: path for path in sorted(folder.glob("*.safetensors"))}


def save_weights(
    path: str | Path,
    lifter: Lifter,
    window: int,
    training: dict[str, Any],
    dtype: torch.dtype = torch.float32,
    *,
    pelvis: Pelvis | None = None,
) -> None:
    """Writes a lifter to `path` (.safetensors) and the JSON beside it, which has the SHA-256 of the weights.

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
    with atomic_path(path) as temporary:
        temporary.write_bytes(save(state))
    card = {
        "model": type(lifter).__name__,
        "config": asdict(lifter.config),
        "window": window,
        "sha256": sha256(path),
        "training": training,
    }
    write_json(path.with_suffix(".json"), card | ({} if pelvis is None else {"pelvis": pelvis}))


def read_window(value: Any) -> int:
    """The frames in a window to lift with, as a card or a checkpoint has them.

    Raises:
        InputError: the value is no number of frames.
    """
    window = whole_number(value, 1, MOST_FRAMES)
    if window is None:
        raise InputError(f"window is {value!r:.40}; write a whole number of frames from 1 to {MOST_FRAMES}")
    return window


def read_pelvis(card: dict[str, Any], path: Path) -> Pelvis | None:
    """Where the lifter's pelvis lies, by its card; None if the card has no key "pelvis".

    Args:
        card: of a lifter.
        path: of the card, for the error.

    Raises:
        InputError: the value is not known.
    """
    pelvis: Any = card.get("pelvis")
    if "pelvis" in card and (not isinstance(pelvis, str) or pelvis not in get_args(Pelvis)):
        raise InputError(
            f'{path}: pelvis is {json.dumps(pelvis):.40}; write "spine" (where the spine begins) or "hips" (midway '
            "between the hips), or leave it out if unknown"
        )
    return pelvis


def load_weights(name_or_path: str | Path, device: torch.device | str = "cpu") -> Weights:
    """Loads a lifter with its card.

    Args:
        name_or_path: name of shipped weights, or a .safetensors file with a JSON of the same name beside it.
        device: the lifter goes there.

    Raises:
        InputError: there are no such weights, a file cannot be read, the two do not belong together, or a value of the
            card is wrong.
    """
    path = Path(name_or_path)
    if path.suffix != ".safetensors":
        shipped = shipped_weights()
        if str(name_or_path) not in shipped:
            known = ", ".join(shipped) or "none"
            raise InputError(
                f"no shipped weights are called {str(name_or_path)!r}; choose {known}, or give a .safetensors file"
            )
        path = shipped[str(name_or_path)]
    config_path = path.with_suffix(".json")
    for file in (path, config_path):
        if not file.is_file():
            raise InputError(f"no such file: {file}; weights are a .safetensors file with a .json of the same name")
    try:
        card = read_json(config_path)
        model, config, window = card["model"], card["config"], read_window(card["window"])
    except InputError as error:
        raise InputError(f"{config_path} does not describe a lifter: {error}; copy both files again") from error
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{config_path} does not describe a lifter ({type(error).__name__}: {reason(error)}); copy both files again"
        ) from error
    factor = card.get("uncertainty_factor", 1.0)
    if type(factor) not in (int, float) or not 0 < factor < math.inf:
        raise InputError(
            f"{config_path}: uncertainty_factor is {json.dumps(factor):.40}; write a number above 0, or leave it out "
            "for 1"
        )
    pelvis = read_pelvis(card, config_path)
    _LOG.info("loading the lifter %s", path)
    state = _read_state(path)
    checksum = sha256(path)
    if card.get("sha256", checksum) != checksum:
        raise InputError(
            f"{path} is damaged or was replaced: its sha256 is {checksum}, but {config_path.name} has "
            f"{card['sha256']!r:.70}; copy both files again (if you changed the weights yourself, write their sha256 "
            f"into {config_path.name})"
        )
    try:
        lifter = restore(model, config, state)
    except InputError as error:
        raise InputError(f"{path} and {config_path.name} give no lifter: {error}") from error
    return Weights(path.stem, lifter.to(device), window, checksum, path, card, pelvis)


def _read_state(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, in float32."""
    try:
        # Its bytes, because safetensors takes no path that is not UTF-8.
        return {key: value.float() for key, value in load(path.read_bytes()).items()}
    except Exception as error:  # a damaged file can raise any exception
        raise InputError(f"{path} cannot be read as safetensors ({reason(error)}); copy it again") from error
