"""What the benchmarks share: options, evaluation on the CMU benchmark, and Markdown tables."""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from poselift.cli.main import main as poselift
from poselift.core.errors import InputError


def command_line(doc: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the module's docstring."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def add_bench(parser: argparse.ArgumentParser, skeleton: str | None = None, *, required: bool = True) -> None:
    """Adds the options of the CMU benchmark: `--corpus`, `--bench`, `--weights`, and `--skeleton` if it has a default.

    Args:
        parser: of the benchmark.
        skeleton: default of `--skeleton`.
        required: whether the command does nothing without corpus and benchmark.
    """
    parser.add_argument("--corpus", type=Path, required=required, metavar="FILE", help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=required, metavar="FILE", help="bench_val.npz or bench_test.npz")
    parser.add_argument(
        "--weights", nargs="+", default=["small"], metavar="NAME|FILE", help="shipped weights or files; default small"
    )
    if skeleton:
        parser.add_argument("--skeleton", default=skeleton, help=f"skeleton of the 2D keypoints; default {skeleton}")


@contextmanager
def errors_shown(parser: argparse.ArgumentParser) -> Iterator[None]:
    """Turns an InputError into one line on stderr and exit code 2."""
    try:
        yield
    except InputError as error:
        parser.error(str(error))


def evaluated(
    weights: str, options: argparse.Namespace, skeleton: str, keypoints: str, output: Path, *overrides: str
) -> str:
    """The output folder of an evaluation on the CMU benchmark.

    Args:
        weights: shipped weights by name, or a file.
        options: with `corpus` and `bench` (`add_bench`).
        skeleton: of the 2D keypoints.
        keypoints: "det" for detector-like 2D, "gt" for exact 2D.
        output: the folder to write.
        *overrides: of `poselift evaluate`, for ablations.
    """
    settings = [
        "protocol=cmu_bench",
        f"data.corpus='{options.corpus}'",
        f"data.bench='{options.bench}'",
        f"data.skeleton={skeleton}",
        f"data.keypoints={keypoints}",
        f"weights='{weights}'",
        f"output='{output}'",
    ]
    poselift(["evaluate", *settings, *overrides])
    return str(output)


def subject_mean(values: Iterable[tuple[str, Any]]) -> float:
    """The mean over subjects of the means of their values; NaN does not count.

    Args:
        values: subject, and a number or an array of numbers; a subject may come more than once.
    """
    subjects = defaultdict(list)
    for subject, own in values:
        subjects[subject].append(np.ravel(own))
    pooled = [np.concatenate(parts) for parts in subjects.values()]
    means = [np.nanmean(own) for own in pooled if np.isfinite(own).any()]
    return float(np.mean(means)) if means else np.nan


def table_row(cells: Iterable[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def table_head(titles: Sequence[str]) -> str:
    """The first two lines of a Markdown table: labels in the first column, numbers in the others."""
    return f"{table_row(titles)}\n|---|{'---:|' * (len(titles) - 1)}"
