"""ONNX graphs of lifters against PyTorch: differences on the CMU benchmark, and time.

    python -m benchmarks.onnx_graphs --corpus cmu50.npz --bench bench_val.npz --weights tiny small [--threads 1 2]

Exports each lifter as `poselift export-onnx` does. Lifts every view in windows with both, and gives the largest
difference. Then times both in turns, the mean with the mirrored keypoints included, and writes the medians. The time is
the CPU time of the process, because other programs do not change it; on two threads it is the time on the clock.
"""

import statistics
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import onnxruntime
import torch
from torch import Tensor

from benchmarks.command import add_bench, command_line, errors_shown, table_head, table_row
from poselift.core.files import write_text
from poselift.data.cmu_bench import CmuBench
from poselift.lifting.network.overlapping_windows import window_starts
from poselift.models import Weights, load_weights
from poselift.models.onnx_export import INPUTS, PixelsToJoints, export_onnx

LIVE = 27
"""Frames of a short window, as in live use."""

Windows = tuple[Tensor, ...]


def session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """The opened graph."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def windows(bench: CmuBench, index: int, frames: int) -> Windows:
    """The windows of one view, half overlapping, as the graph takes them."""
    view = bench[index]
    frames = min(frames, len(view))
    rows = torch.tensor(window_starts(len(view), frames, frames // 2))[:, None] + torch.arange(frames)
    b = len(rows)
    fixed = view.K.expand(b, 3, 3), view.image_size.expand(b, 2)
    return (view.keypoints[rows], view.scores[rows], view.times[rows], *fixed)


def run_graph(graph: onnxruntime.InferenceSession, given: Windows) -> list[np.ndarray]:
    """Joints and their uncertainty, metres."""
    outputs: list[np.ndarray] = graph.run(
        None, {name: part.contiguous().numpy() for name, part in zip(INPUTS, given, strict=True)}
    )
    return outputs


def differences(module: PixelsToJoints, path: Path, bench: CmuBench, frames: int) -> tuple[int, float, float]:
    """Number of windows, and the largest differences of a joint and of an uncertainty, metres."""
    graph, count, far = session(path, 1), 0, np.zeros(2)
    for index in range(len(bench)):
        given = windows(bench, index, frames)
        count += len(given[0])
        with torch.inference_mode():
            joints, uncertainty = (part.numpy() for part in module(*given))
        own, other = run_graph(graph, given)
        far = np.maximum(far, (np.linalg.norm(own - joints, axis=-1).max(), np.abs(other - uncertainty).max()))
    return count, *far


def timed(runs: dict[str, Callable[[], object]], repeats: int, clock: Callable[[], float]) -> dict[str, float]:
    """Median seconds of each, in turns; the first round is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for repeat in range(repeats + 1):
        for name, run in runs.items():
            start = clock()
            run()
            if repeat:
                seconds[name].append(clock() - start)
    return {name: statistics.median(own) for name, own in seconds.items()}


def times(weights: Weights, module: PixelsToJoints, path: Path, given: Windows, threads: int, repeats: int) -> str:
    """A row of the table: milliseconds a window, and how many times faster the graph is."""
    graph = session(path, threads)
    torch.set_num_threads(threads)

    def run_torch() -> None:
        with torch.inference_mode():
            module(*given)

    runs = {"torch": run_torch, "graph": lambda: run_graph(graph, given)}
    own = timed(runs, repeats, process_time if threads == 1 else perf_counter)
    b, frames = given[0].shape[:2]
    ms = [f"{1000 * own[name] / b:.2f}" for name in runs]
    return table_row(
        [f"{weights.name}, {b} x {frames} frames", str(threads), *ms, f"{own['torch'] / own['graph']:.2f}"]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, prints, and writes the tables."""
    parser = command_line(__doc__)
    add_bench(parser, skeleton="coco17")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], help="default 1 2")
    parser.add_argument("--repeats", type=int, default=15, help="of each timing; default 15")
    parser.add_argument(
        "--out", type=Path, default=Path("outputs/onnx_graphs.md"), help="default outputs/onnx_graphs.md"
    )
    options = parser.parse_args(arguments)
    far = [table_head(["lifter", "windows", "joints, mm", "uncertainty, mm"])]
    speed = [table_head(["windows", "threads", "torch, ms a window", "onnxruntime, ms a window", "times torch"])]
    with errors_shown(parser), tempfile.TemporaryDirectory() as folder:
        bench = CmuBench(options.corpus, options.bench, options.skeleton)
        longest = max(range(len(bench)), key=lambda index: len(bench[index]))
        for name in options.weights:
            weights = load_weights(name)
            module, path = PixelsToJoints(weights).eval(), Path(folder) / f"{weights.name}.onnx"
            export_onnx(weights, path)
            count, *largest = differences(module, path, bench, weights.window)
            far.append(table_row([weights.name, str(count), *(f"{1000 * value:.4f}" for value in largest)]))
            for threads in options.threads:
                for b, frames in ((1, LIVE), (1, weights.window), (4, weights.window)):
                    given = tuple(
                        part[:1].repeat(b, *[1] * (part.ndim - 1)) for part in windows(bench, longest, frames)
                    )
                    speed.append(times(weights, module, path, given, threads, options.repeats))
    about = f"torch {version('torch')}, onnxruntime {version('onnxruntime')}, {options.skeleton}, {options.bench.name}"
    text = "\n".join([about, "", "Largest difference:", "", *far, "", *speed, ""])
    write_text(options.out, text)
    print(text)


if __name__ == "__main__":
    main()
