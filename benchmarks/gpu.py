"""How fast a GPU lifts, by batch size and precision, and what the precision costs in accuracy.

    python benchmarks/gpu.py [--device cuda] [--weights small tiny] [--batch 1 8 64 256] [--repeats 7] [--out FILE]

Lifts windows of synthetic keypoints through the network, once per frame (`poselift lift` does it twice, for the flip).
The variants take turns; the first round is not counted. A difference is the mean distance of joints from those of
float32 with exact products, mm.
"""

import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import torch
from torch import Tensor

if not __package__:  # run as a file: `benchmarks` is beside, not above
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.command import command_line, table_head, table_row
from poselift.core.device import choose_device
from poselift.core.files import write_text
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


def measured(weights: Weights, batch: int, repeats: int, device: torch.device) -> list[str]:
    """Rows of the table for one lifter and batch size."""
    encoded = windows(weights, batch, device)
    seconds: dict[str, list[float]] = {precision: [] for precision in PRECISION}
    joints: dict[str, Tensor] = {}
    for repeat in range(repeats + 1):
        for precision in PRECISION:
            taken, joints[precision] = lifted(weights, encoded, precision, device)
            if repeat:
                seconds[precision].append(taken)
    rows, frames = [], batch * weights.window
    for precision, times in seconds.items():
        rates = [frames / taken for taken in times]
        difference = 1000 * float((joints[precision] - joints["float32"]).norm(dim=-1).mean())
        ratio = statistics.median(seconds["float32"]) / statistics.median(times)
        spread = f"{min(rates):,.0f} to {max(rates):,.0f}"
        numbers = (f"{statistics.median(rates):,.0f}", spread, f"{ratio:.2f}", f"{difference:.3f}")
        rows.append(table_row([f"{weights.name}, {batch} windows, {precision}", *numbers]))
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, prints, and writes the table."""
    parser = command_line(__doc__)
    parser.add_argument(
        "--device", choices=["auto", "cpu", "cuda"], default="auto", help="default: a GPU if there is one"
    )
    parser.add_argument(
        "--weights", nargs="+", default=["small", "tiny"], metavar="NAME|FILE", help="default small tiny"
    )
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 8, 64, 256], help="windows at once")
    parser.add_argument("--repeats", type=int, default=7, help="of each variant; default 7")
    parser.add_argument("--out", type=Path, default=Path("outputs/gpu.md"), help="default outputs/gpu.md")
    options = parser.parse_args(arguments)
    device = torch.device(choose_device(options.device))
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    lines = [f"{name}, torch {version('torch')}, {options.repeats} repeats", ""]
    lines.append(table_head(["variant", "frames a second", "spread", "times float32", "difference, mm"]))
    for each in options.weights:
        weights = load_weights(each, str(device))
        for batch in options.batch:
            lines += measured(weights, batch, options.repeats, device)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_text(options.out, "\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
