"""Runs every trial of faults, and prints the table of docs/faults.md.

    python benchmarks/faults.py [--tries N] [--seed S] [--only videos,parsers,processes,batch]

Each part is a module `benchmarks.fault_NAME` with a function `rows(tries, seed)`.
"""

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

if not __package__:  # run as a file: `benchmarks` is beside, not above
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.command import command_line, errors_shown, table_head, table_row
from poselift.core.choices import choose

PARTS = {name: f"benchmarks.fault_{name}" for name in ("videos", "parsers", "processes", "batch")}
COLUMNS = ("fault", "tries", "survived", "lost")


def lines(only: list[str], tries: int, seed: int) -> Iterator[str]:
    """The table line by line; parts that are not there are named on stderr.

    Args:
        only: names of `PARTS`.
        tries: of each fault.
        seed: of random moments, sizes and bytes.
    """
    yield table_head(COLUMNS)
    for name in only:
        try:
            part = importlib.import_module(PARTS[name])
        except ModuleNotFoundError as error:
            if error.name != PARTS[name]:
                raise
            print(f"{PARTS[name]} is missing; its faults are left out", file=sys.stderr)
            continue
        for row in part.rows(tries, seed):
            if row.note:
                print(f"{row.fault}: {row.note}", file=sys.stderr)
            yield table_row(str(getattr(row, column)) for column in COLUMNS)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table to stdout, and what went wrong to stderr."""
    parser = command_line(__doc__)
    parser.add_argument("--tries", type=int, default=50, help="of each fault (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas (default: all)")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        only = options.only.split(",")
        for name in only:
            choose("part", name, PARTS)
        for line in lines(only, options.tries, options.seed):
            print(line, flush=True)


if __name__ == "__main__":
    main()
