"""Weights with the config that builds their model: a safetensors file and a JSON beside it, no pickle."""

import json
import math
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from poselift.core.errors import InputError
from poselift.core.files import atomic_path, sha256, write_json
from poselift.models.base import Lifter
from poselift.models.encoder_decoder import EncoderDecoder
from poselift.models.joint_tokens import JointTokenTransformer
from poselift.models.lifter import SpatioTemporalLifter
from poselift.models.martinez import SimpleBaseline
from poselift.models.recurrent import RecurrentLifter
from poselift.models.seq2seq import BahdanauLifter, LuongLifter
from poselift.models.tcn import TemporalConvolution

MODELS: dict[str, type[Lifter]] = {
    model.__name__: model
    for model in (
        SpatioTemporalLifter,
        EncoderDecoder,
        RecurrentLifter,
        BahdanauLifter,
        LuongLifter,
        SimpleBaseline,
        TemporalConvolution,
        JointTokenTransformer,
    )
}
"""Models that weights can be for, by the name in their JSON."""


@dataclass(frozen=True)
class Weights:
    """A lifter with what is known about it.

    Attributes:
        name: of the weights.
        lifter: in eval mode.
        window: frames in a window to lift with: as trained, unless another number was found better and written there.
        sha256: of the safetensors file.
        path: of the safetensors file.
        card: the JSON beside it: model, its config, and how it was trained.
    """

    name: str
    lifter: Lifter
    window: int
    sha256: str | None = None
    path: Path | None = None
    card: dict[str, Any] = field(default_factory=dict)
    pelvis: str | None = None

    @property
    def gives_uncertainty(self) -> bool:
        """Whether the lifter says how far off each joint may be."""
        return bool(self.lifter.config.get("uncertainty"))

    @property
    def uncertainty_factor(self) -> float:
        """What the lifter's radii are multiplied by to hold in 9 of 10 cases (`tools/calibrate.py`); 1 if unknown."""
        return float(self.card.get("uncertainty_factor", 1.0))


def shipped_weights() -> dict[str, Path]:
    """The weights that come with the package: name to safetensors file."""
    folder = Path(str(files("poselift") / "weights"))
    return {path.stem: path for path in sorted(folder.glob("*.safetensors"))}


def save_weights(
    path: str | Path, lifter: Lifter, window: int, training: dict[str, Any], dtype: torch.dtype = torch.float32
) -> None:
    """Writes `path` (.safetensors) and the JSON beside it.

    Args:
        path: of the safetensors file.
        lifter: its class must be one of `MODELS`, and its `config` the arguments that build it.
        window: frames in a window, as trained.
        training: how it was trained, as plain data.
        dtype: in which floating-point numbers are stored; computing is always in float32.
    """
    path = Path(path)
    state = {
        key: value.detach().cpu().to(dtype if value.is_floating_point() else value.dtype).contiguous()
        for key, value in lifter.state_dict().items()
    }
    with atomic_path(path) as temporary:
        save_file(state, temporary)
    card = {"model": type(lifter).__name__, "config": lifter.config, "window": window, "training": training}
    write_json(path.with_suffix(".json"), card)


def load_weights(name_or_path: str | Path, device: torch.device | str = "cpu") -> Weights:
    """Loads a lifter by the name of shipped weights, or from a safetensors file with its JSON.

    Raises:
        InputError: there are no such weights, a file cannot be read, the two do not belong together, or the JSON's
            `uncertainty_factor` is not a number above 0.
    """
    path = Path(name_or_path)
    if path.suffix != ".safetensors":
        shipped = shipped_weights()
        if str(name_or_path) not in shipped:
            known = ", ".join(shipped) or "none"
            raise InputError(
                f"no weights are called {str(name_or_path)!r}; shipped are: {known}; or give a .safetensors file"
            )
        path = shipped[str(name_or_path)]
    config_path = path.with_suffix(".json")
    for file in (path, config_path):
        if not file.is_file():
            raise InputError(f"no such file: {file}; weights are a .safetensors file with a .json of the same name")
    try:
        card = json.loads(config_path.read_text(encoding="utf-8"))
        model, config, window = MODELS[card["model"]], card["config"], int(card["window"])
        lifter = model(**config)
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{config_path} does not describe a lifter ({type(error).__name__}: {error})") from error
    factor = card.get("uncertainty_factor", 1.0)
    if type(factor) not in (int, float) or not 0 < factor < math.inf:
        told = json.dumps(factor)
        raise InputError(f"{config_path}: uncertainty_factor is {told}; it must be a number above 0, or left out for 1")
    try:
        state = {key: value.float() for key, value in load_file(path).items()}
        lifter.load_state_dict(state)
    except (SafetensorError, OSError) as error:
        raise InputError(f"{path} cannot be read as safetensors ({error})") from error
    except RuntimeError as error:
        raise InputError(f"{path} does not fit the lifter that {config_path.name} describes") from error
    return Weights(path.stem, lifter.eval().to(device), window, sha256(path), path, card, card.get("pelvis"))
