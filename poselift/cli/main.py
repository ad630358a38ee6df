"""The `poselift` console script."""

import argparse
import atexit
import contextlib
import functools
import gc
import importlib
import io
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from poselift import __version__
from poselift.cli.values import explain_value
from poselift.core.choices import did_you_mean
from poselift.core.endings import PICTURE_ENDINGS
from poselift.core.errors import InputError, describe, lacks_memory, make_printable
from poselift.core.optional import not_installed
from poselift.core.telemetry import turn_off_telemetry

_COMMANDS = {
    "lift": "3D motion from a video, or from 2D keypoints",
    "multiview": "3D motion from several videos of the same moment, without a board",
    "batch": "3D motion from many videos, one folder each",
    "view": "a page to look at the results of `poselift lift`",
    "web": "a page that lifts videos in a browser",
    "edit": "correct the results of `poselift lift` by hand, in the browser",
    "export": "write motions in the formats of other programs",
    "stream": "3D motion live from a camera, a file or a URL",
    "train": "train a lifter; every setting is a Hydra override",
    "evaluate": "score a lifter or saved predictions under a protocol; every setting is a Hydra override",
    "smooth": "filter a motion with a Butterworth filter",
    "measure": "measure ranges of motion and gait, as tables, files and a page",
    "compare": "compare trials: what changed, with its doubt",
    "opensim": "scale OpenSim's model to people and solve its inverse kinematics",
    "figure": "draw figures for papers",
    "report": "make the tables and plots of a paper from evaluations",
    "attention": "draw where a lifter looks in a video",
    "calibrate": "scale a lifter's uncertainty on held-out people",
    "weights": "list, fetch and check weights by name",
    "export-onnx": "write a lifter as an ONNX graph, from pixels to joints",
}
"""Every command with its help, in the order of `poselift --help`. Only the module of the chosen one is imported."""

_HYDRA = ("train", "evaluate")
"""The commands that Hydra configures by conf/NAME.yaml."""


_LEAST_MEMORY = {**dict.fromkeys(("train", "evaluate"), 1.5), **dict.fromkeys(("lift", "multiview", "batch"), 0.9)}
_LEAST_OF_OTHERS = 0.7
"""Gigabytes of addresses (ulimit -v) that a command takes at least: with less, libraries crash while they load."""
_NO_MEMORY = (
    "there is not enough memory; close other programs, or raise the limit of this shell (ulimit -v) or batch system; "
    "a long video also goes in parts, with --start and --end"
)


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        """Exits with code 2."""
        self.exit(2, make_printable(f"error: {explain_value(message)}; see {self.prog} --help\n"))


class _Command(_Parser):
    """A parser that names its command's help for unknown arguments."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Exits with code 2 for unknown arguments. Names only options if there are any."""
        options, rest = super().parse_known_args(args, namespace)
        if rest:
            unknown = [argument for argument in rest if argument.startswith("-") and argument != "--"]
            many = f"{', '.join(rest[:3])}{', ...' if len(rest) > 3 else ''}"
            hint = _explain_rest(rest)
            self.error(f"there is no {', '.join(unknown)}" if unknown else f"{many} is too much{hint}")
        return options, rest


def _explain_rest(rest: Sequence[str]) -> str:
    """What may have been meant by words that no argument takes."""
    if all(word.lower().endswith(PICTURE_ENDINGS) for word in rest):
        return "; give the folder of the pictures"
    from poselift.cli.formats import NAMES

    if all(word in NAMES for word in rest):
        return "; write several formats with commas, such as bvh,trc"
    return "; put a name with spaces into quotes, and give several videos to poselift batch"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command; unusable inputs give one line and exit code 2.

    Ctrl-C gives exit code 130, SIGTERM, which batch systems and `kill` send, 143, and a closed pipe 141.

    Args:
        arguments: used instead of the command line's.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files need not be UTF-8
    turn_off_telemetry()  # of packages that others import, too
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Python takes its handlers away while it exits. Ctrl-C then would kill a process whose work is done.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    ends: list[SystemExit] = []

    def end(number: int, frame: object) -> NoReturn:
        os.write(2, b"stopped\n")
        ends.append(SystemExit(128 + number))
        raise ends[0]

    try:
        # SIGTERM ends the block like an error: half-written files go.
        with _handle_signals(end, signal.SIGTERM):
            if given and given[0] in _HYDRA:
                _run_hydra(end, *given)
            else:
                _run(given)
    except BrokenPipeError:  # the reader has left, as `| head` does; Python would write the rest at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(141) from None
    except (InputError, OSError) as error:
        if ends:  # libraries in C turn the end into an error of their own
            raise ends[0] from None
        # Of a full disk or a missing permission, the user needs the system's own words.
        words = str(error) if isinstance(error, InputError) else describe(error)
        if lacks_memory(error):  # also where libraries wrap it
            words = _NO_MEMORY
        print(make_printable(f"error: {words}"), file=sys.stderr)
        raise SystemExit(2) from None
    except (SystemExit, ModuleNotFoundError) as error:
        if ends:  # a library has caught the end, and ended in its own way
            raise ends[0] from None
        if isinstance(error, SystemExit):
            raise
        missing = not_installed(error)
        if missing is None:
            raise
        print(make_printable(f"error: {missing}"), file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise SystemExit(128 + signal.SIGINT) from None
    except Exception as error:
        if ends:
            raise ends[0] from None
        if not lacks_memory(error):
            raise
        print(f"error: {_NO_MEMORY}", file=sys.stderr)
        raise SystemExit(2) from None


def _run_hydra(end: Callable[[int, object], None], name: str, *arguments: str) -> None:
    """Hands the arguments to Hydra as they are, --help among them.

    While Hydra composes the config, a signal ends the process at once: nothing is written yet, and Hydra would turn an
    interrupt into errors of its own. The command has the handler `end` and Python's own.
    """
    command = _module(name).run
    from poselift.cli.config import run_hydra

    interrupt = signal.getsignal(signal.SIGINT)

    @functools.wraps(command)
    def interruptible(config: Any) -> Any:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_handle_signals(end, signal.SIGTERM))
            stack.enter_context(_handle_signals(interrupt, signal.SIGINT))
            return command(config)

    with _handle_signals(_end_at_once, signal.SIGINT, signal.SIGTERM):
        run_hydra(interruptible, name, arguments)


def _run(arguments: Sequence[str]) -> None:
    """Runs a command that argparse reads."""
    parser = _Parser(prog="poselift", description="3D motion of the people in a video.")
    parser.add_argument("--version", action="version", version=f"poselift {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Command)
    for name, about in _COMMANDS.items():
        if arguments and arguments[0] == name:
            _module(name).add_command(commands)
        else:
            commands.add_parser(name, help=about)
    if arguments and not arguments[0].startswith("-") and arguments[0] not in _COMMANDS:
        raise InputError(_explain_word(arguments[0]))
    options = parser.parse_args(arguments)
    options.run(options)


def _explain_word(word: str) -> str:
    """What to do about a first word that is no command."""
    if Path(word).exists() or "." in word or "/" in word:
        return f"{word} is no command; to lift a video: poselift lift {shlex.quote(word)}"
    hints = [did_you_mean(word, _COMMANDS), "poselift --help lists all"]
    return f"{word} is no command; {' '.join(filter(None, hints))}"


def _module(name: str) -> ModuleType:
    """The module of a command.

    Loading takes up to seconds. A signal meanwhile ends the process at once: nothing is written yet, and libraries that
    are half loaded turn an interrupt into other errors.
    """
    _refuse_small_limit(name)
    place = f"{name}.{name}_command" if name in ("batch", "compare", "measure") else name.replace("-", "_")
    module = f"poselift.cli.{place}"
    if module in sys.modules:
        return sys.modules[module]
    collects = gc.isenabled()
    gc.disable()  # modules stay: looking for garbage among them takes a tenth of the time of loading
    try:
        with _handle_signals(_end_at_once, signal.SIGINT, signal.SIGTERM):
            return importlib.import_module(module)
    finally:
        gc.freeze()
        if collects:
            gc.enable()


def _refuse_small_limit(name: str) -> None:
    """Raises an InputError if the shell limits memory too much. The libraries of a command need more."""
    if sys.platform == "win32":
        return
    import resource

    limit, least = resource.getrlimit(resource.RLIMIT_AS)[0], _LEAST_MEMORY.get(name, _LEAST_OF_OTHERS)
    if limit != resource.RLIM_INFINITY and limit < least * 1e9:
        raise InputError(
            f"there is not enough memory: this shell or batch system allows {limit / 1e9:.2g} GB, and poselift {name} "
            f"needs at least {least:g} GB; raise the limit (ulimit -v)"
        )


@contextlib.contextmanager
def _handle_signals(handler: Any, *signals: signal.Signals) -> Iterator[None]:
    """Handles signals in the block, if this is the main thread.

    A signal that the parent told this process to ignore, as a shell does for a job in the background, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handled = [number for number in signals if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in handled}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _end_at_once(number: int, frame: object) -> NoReturn:
    os.write(2, b"stopped\n")
    os._exit(128 + number)
