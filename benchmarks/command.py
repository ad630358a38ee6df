"""What the benchmarks share: options, Markdown tables, and the bend of a limb."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError


def command_line(doc: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the module's docstring."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def add_weights(parser: argparse.ArgumentParser, *names: str) -> None:
    """Adds `--weights`, by default with these names."""
    help_ = f"shipped weights or files; default {' '.join(names)}"
    parser.add_argument("--weights", nargs="+", default=list(names), metavar="NAME|FILE", help=help_)


def add_bench(parser: argparse.ArgumentParser, skeleton: str | None = None, *, required: bool = True) -> None:
    """Adds the options of the CMU benchmark: `--corpus`, `--bench`, `--weights`, and `--skeleton` if it has a default.

    Args:
        parser: of the benchmark.
        skeleton: default of `--skeleton`.
        required: whether the command does nothing without corpus and benchmark.
    """
    parser.add_argument("--corpus", type=Path, required=required, metavar="FILE", help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=required, metavar="FILE", help="bench_val.npz or bench_test.npz")
    add_weights(parser, "small")
    if skeleton:
        parser.add_argument("--skeleton", default=skeleton, help=f"skeleton of the 2D keypoints; default {skeleton}")


@contextmanager
def errors_shown(parser: argparse.ArgumentParser) -> Iterator[None]:
    """Turns an InputError into one line on stderr and exit code 2."""
    try:
        yield
    except InputError as error:
        parser.error(str(error))


def bend(joints: Float[np.ndarray, "t 3 3"]) -> Float[np.ndarray, " t"]:
    """The angle between the two bones of three joints in a row, such as hip, knee and ankle; degrees."""
    first, second = np.diff(joints.astype(np.float64), axis=1).swapaxes(0, 1)
    across = np.linalg.norm(np.cross(first, second), axis=-1)
    return np.degrees(np.arctan2(across, (first * second).sum(-1)))


def table_row(cells: Iterable[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def print_table(titles: Sequence[str], rows: Iterable[Iterable[str]], title: str = "") -> None:
    """Prints a Markdown table row by row: labels in the first column, numbers in the others.

    Args:
        titles: of the columns.
        rows: the cells; printed as soon as each is made.
        title: a line above the table, with empty lines around it.
    """
    if title:
        print(f"\n{title}\n")
    print(f"{table_row(titles)}\n|---|{'---:|' * (len(titles) - 1)}", flush=True)
    for row in rows:
        print(table_row(row), flush=True)
