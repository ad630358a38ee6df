"""A lifter's cost: parameters, multiply-adds, time and memory per frame.

It is the cost of one pass over one window, uncertainty included, divided by the window's frames. The input has the
joints that the evaluation's settings name, or else all joints of the lifter. Averaging with the mirrored input doubles
the cost, and so do windows that overlap by half.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch

from poselift.core.errors import InputError, reason
from poselift.core.files import write_json
from poselift.core.safe_parsing import read_json
from poselift.data.dataset_skeletons import joint_mask
from poselift.models import Lifter, encode, load_weights
from poselift.models.checkpoint import load_checkpoint
from poselift.models.encoding import Encoded
from poselift.reports.counting import multiply_adds, peak_bytes
from poselift.reports.entries import Entry
from poselift.skeleton import SKELETONS, Skeleton

_FORMAT = "poselift-cost"
_REPEATS = 20
"""Timings of each model, whose median counts."""


@dataclass(frozen=True)
class Cost:
    """The cost of one lifter.

    Attributes:
        parameters: their number.
        macs: multiply-adds per output frame, including those of attention.
        ms: milliseconds of CPU per frame on one thread, the median over the repeats.
        memory: bytes of the weights and of the tensors of one pass on the CPU at its peak.
    """

    parameters: int
    macs: float
    ms: float
    memory: int


def cost_key(entry: Entry) -> str:
    """The weights, frames and joints that decide an entry's cost."""
    sha256 = entry.model and entry.model["sha256"]
    return f"{sha256} window={_window(entry)} joints={_joints(entry)}"


def measure_costs(entries: Sequence[Entry], repeats: int = _REPEATS) -> tuple[dict[str, Cost], list[str]]:
    """The costs of entries' models by `cost_key`, and warnings.

    Each missing model has a warning.

    The repeats of all models are interleaved, so that a busy moment of the machine slows all of them alike.

    Args:
        entries: those without a model are skipped.
        repeats: the number of timings of each model.
    """
    passes: dict[str, tuple[Lifter, Encoded]] = {}
    missing: list[str] = []
    for entry in entries:
        key = cost_key(entry)
        if entry.model is None or key in passes:
            continue
        try:
            passes[key] = _load(entry, entry.model)
        except InputError as error:
            warning = f"no cost of {entry.name}: {error}"
            missing += [] if warning in missing else [warning]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        seconds = _interleaved(list(passes.values()), repeats)
        return {
            key: _cost(lifter, encoded, duration)
            for (key, (lifter, encoded)), duration in zip(passes.items(), seconds, strict=True)
        }, missing
    finally:
        torch.set_num_threads(threads)


def write_costs(path: Path, costs: Mapping[str, Cost]) -> None:
    """Writes costs for a later report to read."""
    write_json(path, {"format": _FORMAT, "version": 1, "costs": {key: asdict(cost) for key, cost in costs.items()}})


def read_costs(path: Path) -> dict[str, Cost]:
    """The costs in a file of `write_costs`.

    Raises:
        InputError: the file cannot be read.
    """
    content = read_json(path, "give the cost.json of an earlier report, measure or none")
    try:
        known = (content["format"], content["version"]) == (_FORMAT, 1)
        costs = {
            key: Cost(int(cost["parameters"]), float(cost["macs"]), float(cost["ms"]), int(cost["memory"]))
            for key, cost in content["costs"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise InputError(
            f"{path} is not a cost.json of poselift report ({type(error).__name__}: {reason(error)})"
        ) from error
    if not known:
        raise InputError(f"{path} is not a cost.json of poselift report, or of another version; measure again")
    return costs


def _window(entry: Entry) -> int:
    """The frames in a window of the evaluation."""
    return int(entry.settings.get("window", (entry.model or {"window": 0})["window"]))


def _joints(entry: Entry) -> str | None:
    """The skeleton of the input, if the settings name it."""
    joints = entry.settings.get("data.skeleton")
    return joints if joints in SKELETONS else None


def _load(entry: Entry, model: Mapping[str, Any]) -> tuple[Lifter, Encoded]:
    """The lifter of an entry and a window as input."""
    path = Path(model["weights"])
    weights = (load_checkpoint if path.suffix == ".ckpt" else load_weights)(path)
    if weights.sha256 != model["sha256"]:
        raise InputError(f"{path} has another sha256 than the evaluated weights; run poselift evaluate again")
    return weights.lifter, example_window(weights.lifter.skeleton_in, _window(entry), _joints(entry))


def example_window(skeleton: Skeleton, frames: int, joints: str | None = None) -> Encoded:
    """A window of random keypoints, for measurements of cost.

    Args:
        skeleton: of the lifter's input.
        frames: in the window.
        joints: the skeleton whose joints are seen; all joints are seen if it is left out.
    """
    t = frames
    seen = joint_mask(joints, skeleton) if joints else torch.ones(len(skeleton), dtype=torch.bool)
    keypoints = 400 + 200 * torch.rand(1, t, len(skeleton), 2, generator=torch.Generator().manual_seed(0))
    return encode(
        torch.where(seen[:, None], keypoints, torch.nan),
        seen.float().expand(1, t, -1),
        torch.arange(t)[None] / 50,
        torch.tensor([[[1000.0, 0, 500], [0, 1000, 500], [0, 0, 1]]]),
        torch.tensor([[1000.0, 1000.0]]),
    )


def _interleaved(passes: Sequence[tuple[Lifter, Encoded]], repeats: int) -> list[float]:
    """Each lifter's median CPU seconds of one pass.

    Without the first round; other programs do not count.
    """
    seconds: list[list[float]] = [[] for _ in passes]
    with torch.inference_mode():
        for _ in range(repeats + 1):
            for (lifter, encoded), taken in zip(passes, seconds, strict=True):
                start = time.process_time()
                lifter.estimate(encoded)
                taken.append(time.process_time() - start)
    return [median(taken[1:]) for taken in seconds]


def _cost(lifter: Lifter, encoded: Encoded, seconds: float) -> Cost:
    t = encoded.times.shape[1]
    weights = sum(value.nbytes for value in lifter.state_dict().values())
    return Cost(
        sum(parameter.numel() for parameter in lifter.parameters()),
        multiply_adds(lambda: lifter.estimate(encoded)) / t,
        1000 * seconds / t,
        weights + peak_bytes(lambda: lifter.estimate(encoded)),
    )
