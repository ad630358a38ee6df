"""How long a training step of the default lifter waits for its data.

    python benchmarks/data_wait.py [--steps 20] [--repeats 7]

Steps as `python tools/train.py data=synthetic` takes them (position loss only: the other losses would make the step
longer and the share smaller), in turn with each batch made while the step before it runs, as the project does, and
with each made when it is asked for. Prints the median share of the time that a step waits, and the time that a step
takes with its waiting.
"""

import argparse
import statistics
from collections.abc import Iterator
from importlib.metadata import version
from time import perf_counter

import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from torch import Tensor, nn

from poselift.cli.config import CONF
from poselift.data.batches import Batch, Batches
from poselift.losses import position_loss
from poselift.models import encode

WARM_UP = 3
"""Steps of each repeat that are not counted."""


def loss_of(lifter: nn.Module, batch: Batch) -> Tensor:
    """The position loss of a batch."""
    encoded = encode(batch.keypoints, batch.scores, batch.times, batch.K, batch.image_size, batch.valid)
    mask = batch.joints.isfinite().all(-1) & batch.valid[..., None]
    return position_loss(lifter(encoded), batch.joints.nan_to_num(), mask)


def measure(lifter: nn.Module, optimizer: torch.optim.Optimizer, batches: Iterator[Batch]) -> tuple[float, float]:
    """The share of the time that steps wait, and the seconds that a step takes with its waiting."""
    waits, steps = [], []
    before = perf_counter()
    for batch in batches:
        got = perf_counter()
        optimizer.zero_grad()
        loss_of(lifter, batch).backward()
        nn.utils.clip_grad_norm_(lifter.parameters(), 1.0)
        optimizer.step()
        after = perf_counter()
        waits.append(got - before)
        steps.append(after - before)
        before = after
    waiting, total = sum(waits[WARM_UP:]), sum(steps[WARM_UP:])
    return waiting / total, total / len(steps[WARM_UP:])


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20, help="of each repeat that are counted")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", [f"data.batches={options.steps + WARM_UP}"])
    data = instantiate(config.data, _convert_="all")
    data.setup("fit")
    batches: Batches = data.training
    lifter = instantiate(config.model, _convert_="all")
    optimizer = torch.optim.AdamW(lifter.parameters())
    rows: dict[str, list[tuple[float, float]]] = {"while the step before runs": [], "when it is asked for": []}
    for _ in range(options.repeats):
        for made, results in rows.items():
            ahead = made == "while the step before runs"
            iterator = iter(batches) if ahead else map(batches.make, range(len(batches)))
            results.append(measure(lifter, optimizer, iterator))

    print(f"torch {version('torch')}, {torch.get_num_threads()} threads, {options.repeats} x {options.steps} steps")
    print("| a batch is made | waiting, % | spread | seconds a step | spread |\n|---|---|---|---|---|")
    for made, results in rows.items():
        shares, seconds = [100 * share for share, _ in results], [second for _, second in results]
        print(
            f"| {made} | {statistics.median(shares):.1f} | {min(shares):.1f} to {max(shares):.1f} "
            f"| {statistics.median(seconds):.3f} | {min(seconds):.3f} to {max(seconds):.3f} |"
        )


if __name__ == "__main__":
    main()
