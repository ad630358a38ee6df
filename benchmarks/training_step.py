"""How long a training step takes on this machine: with PyTorch's fused attention or plain products, and by precision.

    python -m benchmarks.training_step [--repeats 7] [overrides of tools/train.py ...]

One batch of `python tools/train.py data=synthetic`, forward, backward and the optimizer's step, in turn for each way.
On a CPU the project takes the plain products (`poselift/training/task.py`); the precision is `trainer.precision`.
"""

import argparse
import itertools
import statistics
from importlib.metadata import version
from time import perf_counter

import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.data_wait import loss_of
from poselift.cli.config import CONF

ATTENTION = {"fused": [SDPBackend.FLASH_ATTENTION, SDPBackend.MATH], "plain": [SDPBackend.MATH]}
PRECISION = {"float32": False, "bfloat16": True}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("overrides", nargs="*")
    options = parser.parse_args()
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", options.overrides)
    data = instantiate(config.data, _convert_="all")
    data.setup("fit")
    batch = data.training.make(0)
    lifter = instantiate(config.model, _convert_="all")
    optimizer = torch.optim.AdamW(lifter.parameters())
    seconds: dict[tuple[str, str], list[float]] = {way: [] for way in itertools.product(ATTENTION, PRECISION)}
    for repeat in range(options.repeats + 1):
        for (attention, precision), taken in seconds.items():
            start = perf_counter()
            with sdpa_kernel(ATTENTION[attention]), torch.autocast("cpu", torch.bfloat16, enabled=PRECISION[precision]):
                loss = loss_of(lifter, batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if repeat:  # the first round is not counted
                taken.append(perf_counter() - start)

    base = statistics.median(seconds["fused", "float32"])
    print(f"torch {version('torch')}, {torch.get_num_threads()} threads, {options.repeats} steps of {len(batch.valid)}")
    print("| attention | precision | seconds a step | spread | ratio |\n|---|---|---|---|---|")
    for (attention, precision), taken in seconds.items():
        median = statistics.median(taken)
        print(
            f"| {attention} | {precision} | {median:.3f} | {min(taken):.3f} to {max(taken):.3f} | {median / base:.2f} |"
        )


if __name__ == "__main__":
    main()
