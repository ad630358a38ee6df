"""`poselift weights`: lists, fetches and checks weights by name."""

import argparse
from typing import Any

from poselift.cli.values import full_text
from poselift.core.download import cache_folder
from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.core.registry import RegistryEntry, published, registry
from poselift.lifting.request import DEFAULT_LIFTER


def add_command(commands: Any) -> None:
    """Adds `weights` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "weights",
        description="Weights that come with the package, and published weights of other projects. Fetched files stay "
        "in the user's cache folder, or in the folder of the variable POSELIFT_CACHE.",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    action = actions.add_parser("list", help="list all names with licence, size and place")
    action.set_defaults(run=list_weights)
    action = actions.add_parser("get", help="fetch weights and print their paths")
    action.add_argument("names", nargs="+", metavar="NAME")
    action.add_argument("--offline", action="store_true", help="only look into the cache")
    action.set_defaults(run=get_weights)
    action = actions.add_parser("check", help="compare local files with their SHA-256")
    action.add_argument("names", nargs="*", metavar="NAME", help="weights to check (default: all local ones)")
    action.set_defaults(run=check_weights)


def add_lifter_option(parser: argparse._ActionsContainer, default: str = DEFAULT_LIFTER) -> None:
    """Adds `--weights`, which chooses the lifter of a command."""
    parser.add_argument(
        "--weights",
        default=default,
        metavar="NAME|FILE",
        type=full_text,
        help="the lifter: shipped weights by name, or a .safetensors file (default: %(default)s)",
    )


def list_weights(options: argparse.Namespace) -> None:
    """Prints one line for each weights file."""
    rows = [(e.name, _where(e), _size(e), e.licence, e.what) for e in registry().values()]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for *row, what in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)), what)
    print(f"Cache: {cache_folder()}")


def get_weights(options: argparse.Namespace) -> None:
    """Fetches weights and prints their paths, one per line.

    Raises:
        InputError: a name is unknown, or its file cannot be fetched.
    """
    for entry in [published(name) for name in options.names]:
        print(entry.get(options.offline))


def check_weights(options: argparse.Namespace) -> None:
    """Checks each file's SHA-256, and removes damaged ones from the cache.

    Raises:
        InputError: a name is unknown, or its file is missing or damaged.
    """
    # Files of the package must exist; files that can be fetched need not.
    here = [entry for entry in registry().values() if entry.shipped or entry.path.is_file()]
    entries = [published(name) for name in options.names] or here
    for entry in entries:
        if not entry.path.is_file():
            advice = "reinstall poselift" if entry.shipped else f"run: poselift weights get {entry.name}"
            raise InputError(f"{entry.name}: file not found; {advice}")
    damaged = [entry.name for entry in entries if not _check(entry)]
    if damaged:
        raise InputError(f"damaged: {', '.join(damaged)}")


def _check(entry: RegistryEntry) -> bool:
    """Whether a file is undamaged; prints it too."""
    actual = sha256(entry.path)
    if actual.startswith(entry.sha256):
        digits = "" if actual == entry.sha256 else f" (only its first {len(entry.sha256)} digits are published)"
        print(f"ok       {entry.name}  sha256 {actual}{digits}")
        return True
    if entry.shipped is None:
        entry.path.unlink()
        advice = f"removed; run: poselift weights get {entry.name}"
    else:
        advice = "reinstall poselift"
    print(f"damaged  {entry.name}  sha256 {actual}, not {entry.sha256}; {advice}")
    return False


def _size(entry: RegistryEntry) -> str:
    """The published size, or else that of the local file."""
    size = entry.size or (entry.path.stat().st_size if entry.path.is_file() else None)
    return f"{size / 1e6:.1f} MB" if size else "?"


def _where(entry: RegistryEntry) -> str:
    if entry.shipped:
        return "shipped"
    return "in the cache" if entry.path.is_file() else "to fetch"
