"""How long a training step takes on this machine, and how long it waits for its batch.

    python -m benchmarks.training_step [overrides of poselift train ...] [--device cuda] [--steps 20] [--repeats 7]

First table: the share of a step that waits for data, while the next batch is made during a step (as `poselift train`
does) and when it is made on demand. Second table: seconds a step with PyTorch's fused attention and with plain
products (`poselift/training/task.py` takes plain products on a CPU), in float32 and bfloat16 (`trainer.precision`).
The variants take turns. Steps are those of `poselift train data=synthetic` with the position loss alone.
"""

import itertools
import statistics
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from time import perf_counter

import torch
from hydra.utils import instantiate
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.command import command_line, composed, table_head, table_row
from poselift.core.device import choose_device
from poselift.data.batches import Batch, Batches
from poselift.losses import position_loss
from poselift.models import Lifter, build_model, encode

WARM_UP = 3
"""Steps at the beginning that are not counted."""

ATTENTION = {
    "fused": [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH],
    "plain": [SDPBackend.MATH],
}
PRECISION = {"float32": False, "bfloat16": True}


class Step:
    """One training step of a lifter."""

    def __init__(self, lifter: Lifter, device: torch.device) -> None:
        self.lifter, self.device = lifter.to(device), device
        self.optimizer = torch.optim.AdamW(lifter.parameters())

    def __call__(self, batch: Batch, attention: str = "plain", precision: str = "float32") -> None:
        """Forward, backward and the optimizer's update."""
        with (
            sdpa_kernel(ATTENTION[attention]),
            torch.autocast(self.device.type, torch.bfloat16, enabled=PRECISION[precision]),
        ):
            encoded = encode(batch.keypoints, batch.scores, batch.times, batch.K, batch.image_size, batch.valid)
            mask = batch.joints.isfinite().all(-1) & batch.valid[..., None]
            loss = position_loss(self.lifter(encoded), batch.joints.nan_to_num(), mask)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if self.device.type == "cuda":
            torch.cuda.synchronize()


def waiting(step: Step, batches: Iterator[Batch]) -> tuple[float, float]:
    """Percent of the time that steps wait for their batch, and seconds a step with its waiting."""
    waits, steps = [], []
    before = perf_counter()
    for batch in batches:
        arrived = perf_counter()
        step(batch)
        after = perf_counter()
        waits.append(arrived - before)
        steps.append(after - before)
        before = after
    return 100 * sum(waits[WARM_UP:]) / sum(steps[WARM_UP:]), statistics.mean(steps[WARM_UP:])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = command_line(__doc__)
    parser.add_argument(
        "--device", choices=["auto", "cpu", "cuda"], default="auto", help="default: a GPU if there is one"
    )
    parser.add_argument("--steps", type=int, default=20, help="counted in each repeat of the first table; default 20")
    parser.add_argument("--repeats", type=int, default=7, help="of each variant; default 7")
    parser.add_argument("overrides", nargs="*", help="of poselift train; before the options")
    options = parser.parse_intermixed_args(arguments)
    config = composed("train", [*options.overrides, f"data.batches={options.steps + WARM_UP}"])
    data = instantiate(config.data, _convert_="all")
    device = torch.device(choose_device(options.device))
    batches = Batches(data.training_sampler(device), data.batch_size, data.batches, data.seed, 0, 1)
    step = Step(build_model(instantiate(config.model, _convert_="all")), device)
    where = torch.cuda.get_device_name() if device.type == "cuda" else f"{torch.get_num_threads()} threads"
    print(f"{where}, torch {version('torch')}, batches of {data.batch_size} windows, {options.repeats} repeats")

    waits: dict[str, list[tuple[float, float]]] = {"during the step before": [], "on demand": []}
    for _ in range(options.repeats):
        waits["during the step before"].append(waiting(step, iter(batches)))
        waits["on demand"].append(waiting(step, map(batches.make, range(len(batches)))))
    print(f"\n{table_head(['a batch is made', 'waiting, %', 'spread', 'seconds a step', 'spread'])}")
    for name, results in waits.items():
        shares, seconds = zip(*results, strict=True)
        print(table_row([name, *_median(shares, 1), *_median(seconds, 3)]))

    batch = batches.make(0)
    taken: dict[tuple[str, str], list[float]] = {way: [] for way in itertools.product(ATTENTION, PRECISION)}
    for repeat in range(options.repeats + 1):
        for (attention, precision), times in taken.items():
            start = perf_counter()
            step(batch, attention, precision)
            if repeat:  # the first round is not counted
                times.append(perf_counter() - start)
    unit = statistics.median(taken["fused", "float32"])
    print(f"\n{table_head(['attention, precision', 'seconds a step', 'spread', 'ratio'])}")
    for way, times in taken.items():
        print(table_row([", ".join(way), *_median(times, 3), f"{statistics.median(times) / unit:.2f}"]))


def _median(values: Sequence[float], digits: int) -> tuple[str, str]:
    """The median and the range, as text."""
    return f"{statistics.median(values):.{digits}f}", f"{min(values):.{digits}f} to {max(values):.{digits}f}"


if __name__ == "__main__":
    main()
