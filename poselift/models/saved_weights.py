"""Saved lifters: safetensors with a JSON card, no pickle.

The card tells what lifting needs to know of a lifter. PyTorch loads the weights when the lifter itself is needed.
"""

import hashlib
import json
import logging
import math
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from poselift.core.annotations import check_annotations
from poselift.core.device import choose_device
from poselift.core.errors import InputError, reason
from poselift.core.files import sha256
from poselift.core.optional import require
from poselift.core.publishing import find_published
from poselift.core.safe_parsing import read_json, whole_number
from poselift.skeleton import Pelvis, Skeleton, get_skeleton

if TYPE_CHECKING:
    from poselift.models.base import Lifter
else:
    Lifter = Any  # naming it would import torch

_LOG = logging.getLogger(__name__)

CARD_SUM = "card_sha256"
"""Key of the card with the SHA-256 of its other keys, as JSON with sorted keys."""
GRAPH_SUM = "graph_sha256"
"""Key of the card with the SHA-256 of the graph beside the weights."""
MOST_FRAMES = 1 << 14
"""Largest window, frames."""


@dataclass(frozen=True, eq=False)
class Weights:
    """A lifter with what is known about it.

    Only the first three attributes are needed to lift.

    Attributes:
        name: of the weights.
        loaded: the lifter in eval mode; None to load it from `path` when it is needed.
        window: frames in a window to lift with.
        sha256: of the safetensors file; None for a lifter that was not loaded from a file.
        path: of the safetensors file; None for a lifter that was not loaded from a file.
        card: the JSON beside the file: model, its config, and how it was trained.
        pelvis: where the lifter's pelvis lies; None if unknown.
        device: the lifter is loaded there.
    """

    name: str
    loaded: Lifter | None
    window: int
    sha256: str | None = None
    path: Path | None = None
    card: dict[str, Any] = field(default_factory=dict)
    pelvis: Pelvis | None = None
    device: str = "cpu"

    @cached_property
    def lifter(self) -> Lifter:
        """The lifter in eval mode.

        Raises:
            InputError: PyTorch is not installed, or the files give no lifter.
        """
        if self.loaded is not None:
            return self.loaded
        require("torch", "train")
        from poselift.models.lifter_files import read_lifter

        assert self.path is not None, "weights have a lifter or a path"
        return read_lifter(self.path, self.card, self.device)

    @cached_property
    def graph(self) -> Path | None:
        """The lifter's ONNX graph beside its file, or None."""
        if self.loaded is not None or self.path is None:
            return None
        path = find_published(graph_path(self.path))
        return path if path.is_file() else None

    @property
    def skeleton_in(self) -> Skeleton:
        """The lifter's input skeleton."""
        return self.lifter.skeleton_in if self.graph is None else get_skeleton(self.card["config"]["skeleton_in"])

    @property
    def skeleton_out(self) -> Skeleton:
        """The lifter's output skeleton; its first joint is the root."""
        return self.lifter.skeleton_out if self.graph is None else get_skeleton(self.card["config"]["skeleton_out"])

    @property
    def temporal_stride(self) -> int:
        """Frames in a token of the lifter."""
        return self.lifter.temporal_stride if self.graph is None else self.card["config"].get("temporal_stride", 1)

    @property
    def gives_uncertainty(self) -> bool:
        """Whether the lifter gives its uncertainty."""
        return self.lifter.gives_uncertainty if self.graph is None else self.card["config"].get("uncertainty", False)

    @property
    def uncertainty_factor(self) -> float:
        """Factor that makes uncertainties hold in 90 % of cases.

        It is 1 if the lifter is uncalibrated.
        """
        return float(self.card.get("uncertainty_factor", 1.0))


def graph_path(path: Path) -> Path:
    """The place of the ONNX graph of a safetensors file (`poselift.models.weights_graph`)."""
    return path.with_suffix(".graph.onnx")


def shipped_weights() -> dict[str, Path]:
    """The safetensors files that come with the package, by name."""
    folder = Path(str(files("poselift") / "weights"))
    return {path.stem: path for path in sorted(folder.glob("*.safetensors"))}


def read_window(value: Any) -> int:
    """The frames in a window to lift with, by the card.

    Raises:
        InputError: the value is no number of frames.
    """
    window = whole_number(value, 1, MOST_FRAMES)
    if window is None:
        raise InputError(f"window is {value!r:.40}; write a whole number of frames from 1 to {MOST_FRAMES}")
    return window


def read_pelvis(card: dict[str, Any], path: Path) -> Pelvis | None:
    """Where the lifter's pelvis lies, by its card.

    None if the card has no key "pelvis".

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


_CHECKPOINTS = (".bin", ".pth", ".pt", ".tar", ".ckpt", ".h5", ".pkl")
"""Endings of the weights of training programs."""


def _refuse_other_files(path: Path) -> None:
    """Says what other file was given as weights.

    Nothing for what may be a mistyped name.

    Raises:
        InputError: the path is that of a file of weights.
    """
    if path.suffix.lower() in (*_CHECKPOINTS, ".onnx") and not path.exists():
        raise InputError(f"no such file: {path}; check the path of the weights")
    if path.suffix.lower() == ".ckpt":
        raise InputError(
            f"{path} is a checkpoint of a training run, which poselift evaluate takes; lift with the .safetensors file "
            "in the run's folder"
        )
    if path.suffix.lower() in _CHECKPOINTS:
        raise InputError(
            f"{path} is a file of PyTorch or another program; weights of poselift are a .safetensors file with a .json "
            "of the same name. poselift evaluate weights=FILE takes checkpoints of VideoPose3D and MotionBERT; for "
            "other lifters, run the program that wrote it and give its output to poselift evaluate as predictions="
        )
    if path.suffix.lower() == ".onnx":
        raise InputError(f"{path} is a graph without its weights' card; give the .safetensors file beside it")
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the .safetensors file in it")


@check_annotations
def load_weights(name_or_path: str | Path, device: str = "cpu") -> Weights:
    """Loads a lifter with its card.

    A lifter that has a graph is loaded when it is needed.

    Args:
        name_or_path: name of shipped weights, or a .safetensors file with a JSON of the same name beside it.
        device: the lifter goes there: "cpu", "cuda", a GPU by number such as "cuda:1", or "auto".

    Raises:
        InputError: there are no such weights, a file cannot be read, the two do not belong together, or a value of the
            card or the device is wrong.
    """
    path = Path(name_or_path)
    if path.suffix != ".safetensors":
        shipped = shipped_weights()
        if str(name_or_path) not in shipped:
            _refuse_other_files(path)
            known = ", ".join(shipped) or "none"
            raise InputError(
                f"no shipped weights are called {str(name_or_path)!r}; choose {known}, or give a .safetensors file"
            )
        path = shipped[str(name_or_path)]
    config_path = path.with_suffix(".json")
    for file in (path, config_path):
        if not find_published(file).is_file():
            raise InputError(f"no such file: {file}; weights are a .safetensors file with a .json of the same name")
    try:
        card = read_json(config_path)
        window = read_window(card["window"])
        for key in ("skeleton_in", "skeleton_out"):
            get_skeleton(card["config"][key])
        card["model"]  # its absence is an error too
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
    if card.get(CARD_SUM, _sum_card(card)) != _sum_card(card):
        raise InputError(
            f"{config_path} is damaged or was changed: its content does not fit its {CARD_SUM}; copy the files again "
            f"(if you changed it yourself, remove {CARD_SUM})"
        )
    _LOG.debug("loading the lifter %s", path)
    checksum = sha256(path)
    if card.get("sha256", checksum) != checksum:
        raise InputError(
            f"{path} is damaged or was replaced: its sha256 is {checksum}, but {config_path.name} has "
            f"{card['sha256']!r:.70}; copy both files again (if you changed the weights yourself, write their sha256 "
            f"into {config_path.name})"
        )
    weights = Weights(path.stem, None, window, checksum, path, card, pelvis, choose_device(device))
    if weights.graph is None:
        weights.lifter  # noqa: B018 - errors in it come at once
    else:
        _check_graph(weights.graph, card, path)
    return weights


def _check_graph(graph: Path, card: dict[str, Any], path: Path) -> None:
    """Refuses a graph that is not the card's. Damaged ones can give wrong joints without an error."""
    if card.get(GRAPH_SUM) != (checksum := sha256(graph)):
        known = f"the card has {card[GRAPH_SUM]!r:.70}" if GRAPH_SUM in card else f"the card has no {GRAPH_SUM}"
        raise InputError(
            f"{graph} is damaged, or belongs to other weights: its sha256 is {checksum}, and {known}; copy the files "
            f"again, or remove it, to lift with PyTorch; poselift export-onnx --beside --weights {path} then writes it"
        )


def seal_card(card: dict[str, Any]) -> dict[str, Any]:
    """The card with its content's checksum, by which `load_weights` sees damage."""
    return {**{key: value for key, value in card.items() if key != CARD_SUM}, CARD_SUM: _sum_card(card)}


def _sum_card(card: dict[str, Any]) -> str:
    content = {key: value for key, value in card.items() if key != CARD_SUM}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
