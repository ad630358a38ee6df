"""`poselift compare`: changes between two groups of trials. They come as a table, CSV and a page."""

import argparse
from pathlib import Path
from typing import Any

from poselift.cli.compare.compare_files import FILE, PAGE, changes_table, write_csv, write_page
from poselift.cli.compare.trials import Group, read_groups, read_table
from poselift.cli.values import local_path, number_where
from poselift.core.errors import InputError
from poselift.core.files import atomic_files, check_writable, remove_partial_of
from poselift.core.progress_text import show
from poselift.kinematics.comparison import compare_trials
from poselift.kinematics.gait import NO_BELT, is_belt


def add_command(commands: Any) -> None:
    """Adds `compare` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compare",
        description="Compares the measures of two trials, or of two groups of trials, of the same people: each change "
        "with its 95 % interval, and whether it is shown.",
    )
    parser.add_argument(
        "trials",
        type=local_path,
        nargs="*",
        metavar="BEFORE AFTER",
        help="two motions of poselift lift, its folders, or folders of such folders",
    )
    parser.add_argument(
        "--table",
        type=local_path,
        metavar="CSV",
        help="trials instead: columns trial (a file), group and, with several people, person",
    )
    parser.add_argument("--groups", metavar="A,B", help="the two groups of the table to compare; default: its two")
    parser.add_argument("--person", type=int, metavar="N", help="number of the person in folders with several")
    parser.add_argument(
        "--belt", type=number_where(is_belt, NO_BELT), metavar="SPEED", help="speed of a treadmill's belt, m/s"
    )
    parser.add_argument("--out", type=local_path, metavar="DIR", help=f"folder for {FILE} and {PAGE}")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints the table, and writes the files.

    Raises:
        InputError: the trials cannot be read or compared, or a file cannot be written.
    """
    if options.out is not None:
        check_writable(options.out)
        remove_partial_of(options.out / PAGE)
    before, after = _groups(options.trials, options.table, options.groups, options.person, options.belt)
    changes = compare_trials(before.trials, after.trials)
    if options.out is not None:
        with atomic_files(options.out, PAGE) as folder:
            write_csv(folder / FILE, changes)
            write_page(folder / PAGE, before, after, changes)
    show(f"## {before.name} and {after.name}\n\n{changes_table(changes, before, after)}")
    if options.out is not None:
        show(f"\n{options.out / PAGE}")


def _groups(
    trials: list[Path], table: Path | None, groups: str | None, person: int | None, belt: float | None
) -> tuple[Group, Group]:
    """The two groups that a command line names."""
    if table is not None:
        if trials:
            raise InputError("give BEFORE and AFTER, or --table, not both")
        names = None
        if groups is not None:
            names = [name.strip() for name in groups.split(",")]
            if len(names) != 2 or not all(names):
                raise InputError(f"--groups {groups!r}: give two names of groups with a comma, such as before,after")
        return read_table(table, names, person, belt)
    if len(trials) != 2:
        raise InputError(f"compare takes two trials or folders, BEFORE and AFTER, or --table; got {len(trials)}")
    return read_groups(trials[0], trials[1], person, belt)
