"""`poselift weights`: what there is by name, fetched and checked."""

import argparse
from typing import Any

from rich.console import Console

from poselift.core.download import cache_folder
from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.core.registry import Published, published, registry


def add_command(commands: Any) -> None:
    """Adds `weights` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "weights",
        help="list, fetch and check weights by name",
        description="Weights that come with the package, and weights of others that poselift knows by name. What is "
        "fetched is kept in the user's cache folder, or in the folder that POSELIFT_CACHE names.",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    action = actions.add_parser("list", help="all names, with licence, size and whether they are here")
    action.set_defaults(run=list_weights)
    action = actions.add_parser("get", help="fetch weights; prints where they are")
    action.add_argument("names", nargs="+", metavar="NAME")
    action.add_argument("--offline", action="store_true", help="fetch nothing; only look into the cache")
    action.set_defaults(run=get_weights)
    action = actions.add_parser("check", help="compare files that are here with their SHA-256")
    action.add_argument("names", nargs="*", metavar="NAME", help="default: all that are here")
    action.set_defaults(run=check_weights)


def add_lifter_option(parser: argparse._ActionsContainer) -> None:
    """Adds `--weights`, by which a command's lifter is chosen."""
    parser.add_argument(
        "--weights",
        default="small",
        metavar="NAME|FILE",
        help="the lifter: shipped weights by name, or a .safetensors file (default: %(default)s)",
    )


def list_weights(options: argparse.Namespace) -> None:
    """Prints a line for each of all weights."""
    rows = [(e.name, _where(e), _size(e), e.licence, e.what) for e in registry().values()]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    console = _console()
    for *row, what in rows:
        console.print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)), what)
    console.print(f"Cache: {cache_folder()}")


def get_weights(options: argparse.Namespace) -> None:
    """Fetches weights and prints their paths, one a line.

    Raises:
        InputError: a name is unknown, or its file cannot be had.
    """
    for entry in [published(name) for name in options.names]:
        _console().print(entry.get(options.offline))


def check_weights(options: argparse.Namespace) -> None:
    """Says of each file whether it has its SHA-256; one in the cache that has not is removed.

    Raises:
        InputError: a name is unknown or its file is not here, or a file is not what it should be.
    """
    # What comes with the package has to be here; what can be fetched need not be.
    here = [entry for entry in registry().values() if entry.shipped or entry.path.is_file()]
    entries = [published(name) for name in options.names] or here
    for entry in entries:
        if not entry.path.is_file():
            advice = "reinstall poselift" if entry.shipped else f"run: poselift weights get {entry.name}"
            raise InputError(f"{entry.name}: not here; {advice}")
    damaged = [entry.name for entry in entries if not _check(entry)]
    if damaged:
        raise InputError(f"damaged: {', '.join(damaged)}")


def _check(entry: Published) -> bool:
    """Prints how a file is."""
    actual = sha256(entry.path)
    console = _console()
    if actual.startswith(entry.sha256):
        digits = "" if actual == entry.sha256 else f" (only its first {len(entry.sha256)} digits are published)"
        console.print(f"ok       {entry.name}  sha256 {actual}{digits}")
        return True
    if entry.shipped is None:
        entry.path.unlink()
        advice = f"removed; run: poselift weights get {entry.name}"
    else:
        advice = "reinstall poselift"
    console.print(f"damaged  {entry.name}  sha256 {actual}, not {entry.sha256}; {advice}")
    return False


def _size(entry: Published) -> str:
    """As published, or else of the file that is here."""
    size = entry.size or (entry.path.stat().st_size if entry.path.is_file() else None)
    return f"{size / 1e6:.1f} MB" if size else "?"


def _where(entry: Published) -> str:
    if entry.shipped:
        return "shipped"
    return "in the cache" if entry.path.is_file() else "to fetch"


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
