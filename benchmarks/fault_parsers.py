"""Damaged and hostile files for every parser: each must give a result or an `InputError`, in bounded time and memory.

    python -m benchmarks.fault_parsers [--tries 500] [--seed 0] [--parsers NAME ...]

The files are valid ones with changes (`benchmarks.mutations`). Each parser works in a process of its own. A try
survives if it ends within 5 s of CPU time and 1.5 GB of memory in a result or an `InputError`. One that is lost can be
repeated: `--parsers NAME --only NUMBER` shows the traceback and keeps the file.
"""

import gc
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch

from benchmarks.command import command_line, print_table
from benchmarks.fault_datasets import DATASETS
from benchmarks.fault_inputs import PARSERS as FILES
from benchmarks.fault_inputs import Parser
from poselift.core.errors import InputError

PARSERS = FILES | DATASETS

_SECONDS = 5.0
"""CPU time of a try."""
_MOST_MEMORY = 1500 << 20
"""Bytes that a try may add to the memory of its process."""
_SPARE = 8 << 30
"""Bytes of address space beyond which allocations fail, so that the machine survives a lost try."""
_SILENCE = 60.0
"""Seconds without a finished try after which a process is ended."""


class Row(NamedTuple):
    """What became of one parser's files.

    Attributes:
        fault: the parser.
        tries: number of files.
        survived: those that gave a result or an `InputError`, within the bounds.
        lost: all others.
        note: the last lines of the tracebacks of lost tries, each with the number of a try; else the share of results.
    """

    fault: str
    tries: int
    survived: int
    lost: int
    note: str


class _SlowError(BaseException):
    """Raised when a try takes too long; no parser catches it."""


def rows(tries: int, seed: int, names: list[str] | None = None) -> Iterator[Row]:
    """The rows of all parsers, or of some.

    Args:
        tries: files a parser.
        seed: of the changes.
        names: parsers; all if None.
    """
    torch.set_num_threads(1)
    for name in names or PARSERS:
        yield _row(name, PARSERS[name], tries, seed)


def _row(name: str, parser: Parser, tries: int, seed: int) -> Row:
    """Runs the tries in processes of their own: a new one after each that died."""
    done = results = 0
    lost: list[tuple[int, str]] = []
    died = -1  # the last try whose process died: its file must do it twice, as a fork of a process with threads may too
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        valid = parser.write(Path(folder, "valid"))
        parser.read(valid / parser.inside)
        while done < tries:
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(there, parser, valid, name, done, tries, seed))
            process.start()
            there.close()
            try:
                while here.poll(_SILENCE):
                    number, result, error = here.recv()
                    done, results = number + 1, results + result
                    if error:
                        lost.append((number, error))
                silent = True
            except EOFError:
                silent = False
            if silent:
                process.kill()
            process.join()
            if done < tries and process.exitcode and not silent and died != done:
                died = done
            elif done < tries and (silent or process.exitcode):
                why = f"no end within {_SILENCE:g} s" if silent else f"the process ended with {process.exitcode}"
                lost.append((done, why))
                done += 1
    first: dict[str, int] = {}
    for number, why in lost:
        first.setdefault(why, number)
    note = "; ".join(f"{number}: {why}" for why, number in first.items()) or f"{results / tries:.0%} gave a result"
    return Row(name, tries, tries - len(lost), len(lost), note)


def _work(pipe: Any, parser: Parser, valid: Path, name: str, start: int, tries: int, seed: int) -> None:
    """Sends for each try its number, whether it gave a result, and the error of a lost one."""
    bound_process()
    with open(os.devnull, "w") as nothing, tempfile.TemporaryDirectory() as folder:
        os.dup2(nothing.fileno(), 2)
        for number in range(start, tries):
            path = damaged(parser, valid, Path(folder, "try"), name, number, seed)
            result, error = tried(parser.read, path)
            pipe.send((number, result, error))
            if number % 100 == 0:
                gc.collect()
    pipe.close()


def bound_process() -> None:
    """Prepares a process for tries, with a bound for its memory."""
    warnings.simplefilter("ignore")
    space = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (space + _SPARE, space + _SPARE))
    signal.signal(signal.SIGPROF, _slow)
    gc.freeze()  # the libraries' objects stay: looking through them would take most of the time


def _slow(*_: object) -> None:
    raise _SlowError


def tried(read: Callable[[Path], object], path: Path) -> tuple[bool, str]:
    """Whether a file gives a result, and what is wrong if it does not end in that or an `InputError` within bounds."""
    # The fuzzer's own memory grows from try to try, so each has a peak of its own (proc(5), clear_refs).
    Path("/proc/self/clear_refs").write_text("5")
    before = _peak_memory()
    given, error = _read(read, path)
    grown = _peak_memory() - before
    return given, error or (f"it took {grown >> 20} MiB" if grown > _MOST_MEMORY else "")


def _peak_memory() -> int:
    """The peak of the memory of this process, bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


def _read(read: Callable[[Path], object], path: Path) -> tuple[bool, str]:
    """See `tried`, without the memory."""
    try:
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
        try:
            read(path)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except InputError as error:
        return False, "" if str(error).strip() and len(str(error)) < 2000 else f"a message of {len(str(error))} letters"
    except _SlowError:
        return False, f"more than {_SECONDS:g} s"
    except BaseException as error:  # whatever it is, it is what the benchmark looks for
        place = traceback.extract_tb(error.__traceback__)[-1]
        line = traceback.format_exception_only(error)[-1].strip()[:150]
        return False, f"{line} ({Path(place.filename).name}:{place.lineno})"
    return True, ""


def damaged(parser: Parser, valid: Path, path: Path, name: str, number: int, seed: int) -> Path:
    """Writes the file of a try, or the folder; its path."""
    rng = Random(f"{name} {seed} {number}")
    if valid.is_file():
        path = path.with_suffix(valid.suffix)
        path.write_bytes(parser.change(valid.read_bytes(), rng))
        return path
    files = sorted(each for each in valid.rglob("*") if each.suffix in parser.suffixes)
    if path.is_dir():  # of the try before
        for each in files:
            shutil.copyfile(each, path / each.relative_to(valid))
    else:
        shutil.copytree(valid, path)
    chosen = rng.choice(files)
    (path / chosen.relative_to(valid)).write_bytes(parser.change(chosen.read_bytes(), rng))
    return path / parser.inside


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--tries", type=int, default=500, help="files a parser; default 500")
    parser.add_argument("--seed", type=int, default=0, help="default 0")
    parser.add_argument("--parsers", nargs="+", choices=list(PARSERS), metavar="NAME", help=f"of {', '.join(PARSERS)}")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="one try, with its traceback")
    options = parser.parse_args(arguments)
    if options.only is not None:
        for name in options.parsers or PARSERS:
            folder = Path(tempfile.mkdtemp())
            valid = PARSERS[name].write(folder / "valid")
            path = damaged(PARSERS[name], valid, folder / "try", name, options.only, options.seed)
            print(path, PARSERS[name].read(path))
        return
    found = rows(options.tries, options.seed, options.parsers)
    print_table(["parser", "tries", "survived", "lost", "note"], (map(str, row) for row in found))


if __name__ == "__main__":
    main()
