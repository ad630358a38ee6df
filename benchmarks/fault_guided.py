"""Fuzzes every parser, guided by the branches of poselift's code that each file reaches (atheris).

    pip install atheris
    python -m benchmarks.fault_guided [--tries 100000] [--seed 0] [--parsers NAME ...] [--lost DIR]

A try survives as in `benchmarks.fault_parsers`, whose parsers and valid files these are. Files that reach new branches
are changed further; half of the changes know the format, half are libFuzzer's. Each parser has a process of its own.
The files of lost tries are kept in DIR: the first byte is the number of the file in the parser's folder.
"""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.command import command_line, errors_shown, table_head, table_row
from benchmarks.fault_parsers import PARSERS, Row
from poselift.core.errors import InputError

_WORK = (
    "import sys; from benchmarks.fault_guided_worker import work; "
    "work(sys.argv[1], *map(int, sys.argv[2:4]), sys.argv[4])"
)


def row(name: str, tries: int, seed: int, lost: Path) -> Row:
    """What became of one parser's files; a process that dies counts as one lost try, and another goes on.

    Args:
        name: of the parser.
        tries: number of files.
        seed: of the changes.
        lost: folder for the files of lost tries.
    """
    done, results, failures = 0, 0, []
    while done < tries:
        command = [sys.executable, "-c", _WORK, name, str(tries - done), str(seed + done), str(lost)]
        number, gave = 0, 0
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                number, gave, error = json.loads(line)
                if error:
                    failures.append(f"{done + number}: {error}")
        done, results = done + number, results + gave
        if process.returncode:
            done += 1
            failures.append(f"{done}: the process ended with {process.returncode}")
    kinds: dict[str, str] = {}
    for failure in failures:
        kinds.setdefault(failure.partition(": ")[2], failure)
    note = "; ".join(kinds.values()) or f"{results / tries:.0%} gave a result"
    return Row(name, tries, tries - len(failures), len(failures), note)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--tries", type=int, default=100_000, help="files a parser; default 100000")
    parser.add_argument("--seed", type=int, default=0, help="default 0")
    parser.add_argument("--parsers", nargs="+", choices=list(PARSERS), metavar="NAME", help=f"of {', '.join(PARSERS)}")
    parser.add_argument("--lost", type=Path, default=Path("lost"), metavar="DIR", help="default lost")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        if importlib.util.find_spec("atheris") is None:
            raise InputError("atheris is not installed; run: pip install atheris")
        options.lost.mkdir(parents=True, exist_ok=True)
        print(table_head(["parser", "tries", "survived", "lost", "note"]))
        for name in options.parsers or PARSERS:
            print(table_row(map(str, row(name, options.tries, options.seed, options.lost))), flush=True)


if __name__ == "__main__":
    main()
