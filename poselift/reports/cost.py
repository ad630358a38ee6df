"""What a lifter costs: parameters, multiply-adds, time and memory for a frame, counted alike for all.

The cost is of one forward pass over one window at a time, shared out over the window's frames, with the joints in
that the evaluation's settings name, or else all of the lifter's. Averaging with the mirrored input doubles it, and so
do windows that overlap by half.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import nn

from poselift.core.errors import InputError
from poselift.core.files import write_json
from poselift.data.skeletons import joint_mask
from poselift.models import encode, load_weights
from poselift.models.checkpoint import load_checkpoint
from poselift.models.encoding import Encoded
from poselift.reports.counting import multiply_adds, peak_bytes
from poselift.reports.entries import Entry
from poselift.skeleton import SKELETONS, Skeleton

_FORMAT = "poselift-cost"
_REPEATS = 20


@dataclass(frozen=True)
class Cost:
    """What one lifter costs.

    Attributes:
        parameters: how many.
        macs: multiply-adds for a frame that comes out, those of attention among them.
        ms: milliseconds for a frame on one CPU thread, the median over the repeats.
        memory: bytes, the weights and the most that one pass holds at once on the CPU.
    """

    parameters: int
    macs: float
    ms: float
    memory: int


def cost_key(entry: Entry) -> str:
    """Entries of one key cost the same: the same weights, frames and joints in."""
    sha256 = entry.model and entry.model["sha256"]
    return f"{sha256} window={_window(entry)} joints={_joints(entry)}"


def measure_costs(entries: Sequence[Entry], repeats: int = _REPEATS) -> tuple[dict[str, Cost], list[str]]:
    """Measures the models of entries, their repeats interleaved, so that a busy moment slows all of them alike.

    Args:
        entries: those without a model are passed over.
        repeats: how often each is timed.

    Returns:
        Costs by `cost_key`, and a warning for each model whose weights are not there any more.
    """
    passes: dict[str, tuple[nn.Module, Encoded]] = {}
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
    """Writes costs, for a later report to take instead of measuring again."""
    write_json(path, {"format": _FORMAT, "version": 1, "costs": {key: asdict(cost) for key, cost in costs.items()}})


def read_costs(path: Path) -> dict[str, Cost]:
    """Reads what `write_costs` wrote.

    Raises:
        InputError: it cannot be read.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        known = (content["format"], content["version"]) == (_FORMAT, 1)
        costs = {
            key: Cost(int(cost["parameters"]), float(cost["macs"]), float(cost["ms"]), int(cost["memory"]))
            for key, cost in content["costs"].items()
        }
    except FileNotFoundError:
        raise InputError(f"no such file: {path}; give the cost.json of an earlier report, measure or none") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is not a cost.json of poselift report ({type(error).__name__}: {error})") from error
    if not known:
        raise InputError(f"{path} is not a cost.json of poselift report, or of another version; measure again")
    return costs


def _window(entry: Entry) -> int:
    """Frames in a window, as evaluated."""
    return int(entry.settings.get("window", (entry.model or {"window": 0})["window"]))


def _joints(entry: Entry) -> str | None:
    """The joint set that went in, where the data says so."""
    joints = entry.settings.get("data.skeleton")
    return joints if joints in SKELETONS else None


def _load(entry: Entry, model: Mapping[str, Any]) -> tuple[nn.Module, Encoded]:
    """The lifter of an entry, and a window for it."""
    path = Path(model["weights"])
    weights = (load_checkpoint if path.suffix == ".ckpt" else load_weights)(path)
    if weights.sha256 != model["sha256"]:
        raise InputError(f"{path} is not what was evaluated: its sha256 is another")
    return weights.lifter, example_window(weights.lifter.skeleton_in, _window(entry), _joints(entry))


def example_window(skeleton: Skeleton, frames: int, joints: str | None = None) -> Encoded:
    """A window of random keypoints, to measure what lifting one costs.

    Args:
        skeleton: the joints that the lifter sees.
        frames: in the window.
        joints: the joint set that goes in; all of the lifter's if left out.
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


def _interleaved(passes: Sequence[tuple[nn.Module, Encoded]], repeats: int) -> list[float]:
    """Seconds of one pass of each, the median; the first round is not counted."""
    seconds: list[list[float]] = [[] for _ in passes]
    with torch.inference_mode():
        for _ in range(repeats + 1):
            for (lifter, encoded), taken in zip(passes, seconds, strict=True):
                start = time.perf_counter()
                lifter(encoded)
                taken.append(time.perf_counter() - start)
    return [median(taken[1:]) for taken in seconds]


def _cost(lifter: nn.Module, encoded: Encoded, seconds: float) -> Cost:
    t = encoded.times.shape[1]
    weights = sum(value.nbytes for value in lifter.state_dict().values())
    return Cost(
        sum(parameter.numel() for parameter in lifter.parameters()),
        multiply_adds(lambda: lifter(encoded)) / t,
        1000 * seconds / t,
        weights + peak_bytes(lambda: lifter(encoded)),
    )
