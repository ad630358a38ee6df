"""How fast a GPU lifts, by batch size and precision, and what the precision costs in accuracy.

    python -m benchmarks.gpu [--device cuda] [--weights small tiny] [--batch 1 8 64 256] [--repeats 7]

Lifts windows of synthetic keypoints through the network, once per frame (`poselift lift` does it twice, for the flip).
The variants take turns; the first round is not counted. A difference is the mean distance of joints from those of
float32 with exact products, mm.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from statistics import median
from time import perf_counter

import torch
from torch import Tensor

from benchmarks.command import add_weights, command_line, print_table
from poselift.core.device import choose_device
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.models import Encoded, Weights, encode, load_weights

PRECISION = {
    "float32": ("highest", None),
    "tf32": ("high", None),
    "bfloat16": ("high", torch.bfloat16),
    "float16": ("high", torch.float16),
}
"""Precision of float32 products, and the type of automatic mixed precision, by name."""


def windows(weights: Weights, count: int, device: torch.device) -> Encoded:
    """A batch of encoded windows of synthetic people."""
    view = render_views(synthetic_corpus(1, weights.window, seed=0), seed=1)[0].convert(
        weights.lifter.skeleton_in, weights.lifter.skeleton_out
    )

    def repeated(values: Tensor) -> Tensor:
        return values.to(device).expand(count, *values.shape)

    parts = (view.keypoints, view.scores, view.times, view.K, view.image_size)
    return encode(*map(repeated, parts))


@contextmanager
def precise(device: torch.device, precision: str) -> Iterator[None]:
    """Sets the precision for a block."""
    products, mixed = PRECISION[precision]
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(products)
    try:
        with nullcontext() if mixed is None else torch.autocast(device.type, mixed):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def lifted(weights: Weights, encoded: Encoded, precision: str, device: torch.device) -> tuple[float, Tensor]:
    """Seconds that one batch takes, and its joints."""
    with torch.inference_mode(), precise(device, precision):
        start = perf_counter()
        joints = weights.lifter.estimate(encoded).joints
        if device.type == "cuda":
            torch.cuda.synchronize()
        return perf_counter() - start, joints.float()


def batch_rows(weights: Weights, batch: int, repeats: int, device: torch.device) -> Iterator[list[str]]:
    """The cells of each precision for one lifter and batch size."""
    encoded = windows(weights, batch, device)
    seconds: dict[str, list[float]] = {precision: [] for precision in PRECISION}
    joints: dict[str, Tensor] = {}
    for repeat in range(repeats + 1):
        for precision in PRECISION:
            taken, joints[precision] = lifted(weights, encoded, precision, device)
            if repeat:
                seconds[precision].append(taken)
    for precision, times in seconds.items():
        rates = [batch * weights.window / taken for taken in times]
        difference = 1000 * float((joints[precision] - joints["float32"]).norm(dim=-1).mean())
        ratio = median(seconds["float32"]) / median(times)
        spread = f"{min(rates):,.0f} to {max(rates):,.0f}"
        name = f"{weights.name}, {batch} windows, {precision}"
        yield [name, f"{median(rates):,.0f}", spread, f"{ratio:.2f}", f"{difference:.3f}"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = command_line(__doc__)
    parser.add_argument(
        "--device", choices=["auto", "cpu", "cuda"], default="auto", help="default: a GPU if there is one"
    )
    add_weights(parser, "small", "tiny")
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 8, 64, 256], help="windows at once")
    parser.add_argument("--repeats", type=int, default=7, help="of each variant; default 7")
    options = parser.parse_args(arguments)
    device = torch.device(choose_device(options.device))
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    lifters = [load_weights(each, str(device)) for each in options.weights]
    rows = (
        row for each in lifters for batch in options.batch for row in batch_rows(each, batch, options.repeats, device)
    )
    heads = ["variant", "frames a second", "spread", "times float32", "difference, mm"]
    print_table(heads, rows, f"{name}, torch {version('torch')}, {options.repeats} repeats")


if __name__ == "__main__":
    main()
