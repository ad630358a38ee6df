"""The `poselift` console script."""

import argparse
import contextlib
import importlib
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from poselift import __version__
from poselift.cli import (
    attention,
    calibrate,
    export,
    export_onnx,
    figure,
    lift,
    measure,
    report,
    smooth,
    stream,
    view,
    weights,
)
from poselift.cli.study import command as study
from poselift.core.errors import InputError, describe

_HYDRA = {
    "train": "train a lifter; every setting is a Hydra override",
    "evaluate": "score a lifter or saved predictions under a protocol; every setting is a Hydra override",
}
"""The commands that Hydra configures, with their help: conf/NAME.yaml and the module poselift.cli.NAME."""


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        """Exits with code 2."""
        self.exit(2, f"error: {message}; see {self.prog} --help\n")


class _Command(_Parser):
    """Reports unknown arguments itself, so that the error points to the help of the command."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Exits with code 2 if an argument is unknown; names only options if there are any."""
        options, rest = super().parse_known_args(args, namespace)
        if rest:
            unknown = [argument for argument in rest if argument.startswith("-") and argument != "--"]
            self.error(f"there is no {', '.join(unknown)}" if unknown else f"{', '.join(rest)} is too much")
        return options, rest


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command; an input that cannot be used gives one line and exit code 2.

    Args:
        arguments: used instead of the command line's.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in _HYDRA:
        _run_hydra(*given)
    else:
        _run(given)


def _run_hydra(name: str, *arguments: str) -> None:
    """Hands the arguments to Hydra as they are, --help among them."""
    from poselift.cli.config import run_hydra

    # Imported here, as Lightning takes seconds to load and no other command needs it.
    run_hydra(importlib.import_module(f"poselift.cli.{name}").run, name, arguments)


def _run(arguments: Sequence[str]) -> None:
    """Runs a command that argparse reads."""
    parser = _Parser(prog="poselift", description="3D motion of the people in a video.")
    parser.add_argument("--version", action="version", version=f"poselift {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Command)
    lift.add_command(commands)
    view.add_command(commands)
    export.add_command(commands)
    stream.add_command(commands)
    for name, about in _HYDRA.items():
        commands.add_parser(name, help=about)
    for module in (smooth, measure, figure, report, study, attention, calibrate, weights, export_onnx):
        module.add_command(commands)
    options = parser.parse_args(arguments)
    try:
        with _ending_cleanly():
            options.run(options)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:
        # A full disk or a missing permission: the user needs the system's own words.
        print(f"error: {describe(error)}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise SystemExit(130) from None


@contextlib.contextmanager
def _ending_cleanly() -> Iterator[None]:
    """Makes SIGTERM, which batch systems and `kill` send, end the block like an error: half-written files go."""

    def end(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():  # other threads cannot handle signals
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
