"""Fuzzes one parser in this process, guided by the branches that each file reaches; for `benchmarks.fault_guided`.

It imports nothing of poselift before atheris can count its branches.
"""

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

_LONGEST = 60
"""Seconds of wall time after which libFuzzer ends the process; a try has less CPU time."""


def work(name: str, tries: int, seed: int, lost: str) -> None:
    """Makes tries until there are enough, or the process dies. It does not return.

    For each try that is lost, and for each thousandth, it prints the number of tries, the number of results and what
    is wrong, as JSON.

    Args:
        name: of the parser.
        tries: how many.
        seed: of the changes.
        lost: folder for the files of tries that are lost.
    """
    report = os.fdopen(os.dup(1), "w", buffering=1)
    for told in (1, 2):  # what the fuzzer and the libraries say
        os.dup2(os.open(os.devnull, os.O_WRONLY), told)
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["poselift"]):
        bounds = importlib.import_module("benchmarks.fault_parsers")
    parser, done, results = bounds.PARSERS[name], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        valid = parser.write(Path(folder, "valid"))
        files = (
            [valid] if valid.is_file() else sorted(each for each in valid.rglob("*") if each.suffix in parser.suffixes)
        )
        contents = [each.read_bytes() for each in files[:256]]
        parser.read(valid / parser.inside)
        seeds = Path(folder, "seeds")
        seeds.mkdir()
        for index, content in enumerate(contents):
            (seeds / str(index)).write_bytes(bytes([index]) + content)
        bounds.bound_process()

        def one(data: bytes) -> None:
            """One try: the first byte chooses the file, the others are its content."""
            nonlocal done, results
            index = data[0] % len(files) if data else 0
            files[index].write_bytes(data[1:])
            result, error = bounds.tried(parser.read, valid / parser.inside)
            files[index].write_bytes(contents[index])
            done, results = done + 1, results + result
            if error:
                Path(lost, f"{name} {seed} {done}".replace("/", "_").replace(":", "")).write_bytes(data)
            if error or done % 1000 == 0 or done == tries:
                print(json.dumps([done, results, error]), file=report)
            if done == tries:
                os._exit(0)

        longest = 2 * max(map(len, contents)) + 4096
        flags = [
            f"-seed={seed + 1}",
            f"-max_len={longest}",
            f"-timeout={_LONGEST}",
            f"-artifact_prefix={lost}/{name[:3]} ",
        ]
        flags += ["-rss_limit_mb=0", "-len_control=0", str(seeds)]
        atheris.Setup([sys.argv[0], *flags], one, custom_mutator=_mutator(atheris, parser.change, contents))
        atheris.Fuzz()


def _mutator(
    atheris: Any, change: Callable[[bytes, Random], bytes], contents: list[bytes]
) -> Callable[[bytes, int, int], bytes]:
    """Half of the changes are the format's, of a valid file; half are libFuzzer's, of any that reached new branches.

    A change of the format reads its file, as a pickle: that must be the benchmark's own.
    """

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        draw = Random(seed)
        if draw.random() < 0.5:
            index = draw.randrange(len(contents))
            return bytes([index]) + change(contents[index], draw)[: most - 1]
        changed: bytes = atheris.Mutate(data, most)
        return changed

    return mutated
