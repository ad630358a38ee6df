"""The `poselift` console script."""

import argparse
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from poselift import __version__
from poselift.cli import attention, calibrate, lift, report, weights
from poselift.core.errors import InputError, describe


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Leaves with exit code 2."""
        self.exit(2, f"error: {message}; see {self.prog} --help\n")


class _Command(_Parser):
    """Says itself what it does not know, so that the help that is named is the command's."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Leaves with exit code 2 where something is not known: the options, as what follows them may be known."""
        options, rest = super().parse_known_args(args, namespace)
        if rest:
            unknown = [argument for argument in rest if argument.startswith("-") and argument != "--"]
            self.error(f"there is no {', '.join(unknown)}" if unknown else f"{', '.join(rest)} is too much")
        return options, rest


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command; exit code 2 and one line where what was given cannot be used.

    Args:
        arguments: instead of the command line's.
    """
    parser = _Parser(prog="poselift", description="From the people in a video to 3D motion.")
    parser.add_argument("--version", action="version", version=f"poselift {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Command)
    lift.add_command(commands)
    attention.add_command(commands)
    report.add_command(commands)
    weights.add_command(commands)
    calibrate.add_command(commands)
    options = parser.parse_args(arguments)
    try:
        with _ending_cleanly():
            options.run(options)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:
        # A full disk, a folder without permission: what the system says is what the user needs.
        print(f"error: {describe(error)}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise SystemExit(130) from None


@contextlib.contextmanager
def _ending_cleanly() -> Iterator[None]:
    """Makes SIGTERM, as batch systems and `kill` send it, end the block as an error would.

    So files that are half written are taken away.
    """

    def end(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():  # where signals cannot be handled
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
