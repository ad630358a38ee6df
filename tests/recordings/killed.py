"""Writers that SIGKILL ends before each of their system calls in turn, for `test_killed.py`.

    python tests/recordings/killed.py FOLDER [all]

With `all`, calls before the publication and those that rename or remove nothing count too.
"""

import os
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from poselift.core import files
from poselift.core.files import atomic_files, remove_partial_of, write_text
from poselift.core.publishing import find_published, list_published
from poselift.recordings import read_recording
from poselift.recordings.batch_folders import open_folder
from poselift.recordings.motion_files import write_motion
from poselift.recordings.names import RECORD
from poselift.recordings.result_folder import open_results
from poselift.skeleton import H36M17
from poselift.structures import Keypoints2D, Motion

ALL = "all" in sys.argv
CALLS = ("os.", "shutil.", "open") if ALL else ("os.rename", "os.remove", "os.rmdir")
"""Beginnings of the audit events of Python that count."""


def end_before(number, write):
    """Whether `write` came to its end in a process that SIGKILL ends before its call with this number."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    left, counts = [number], [ALL]

    def publish(new, folder, *others, publish=files.publish):
        counts[0] = ALL or not folder.name.startswith(".")  # not within the hidden folder of a result
        publish(new, folder, *others)

    files.publish = publish

    def count(event, arguments):
        if counts[0] and event.startswith(CALLS) and not (event == "open" and arguments[1] in ("r", "rb")):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    try:
        sys.addaudithook(count)
        write()
        os._exit(0)
    finally:
        os._exit(1)


def end_everywhere(name, folder, old, new, read):
    """Ends `new` before each of its calls, over what `old` wrote.

    Args:
        name: for messages.
        folder: where both write; removed before each try.
        old: writes.
        new: writes over it.
        read: gives what readers see.
    """
    for write in (old, new):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        write()
        states = [*states, read()] if write is new else [read()]
    assert states[0] != states[1]
    seen, number, done = [], 0, False
    while not done:
        number += 1
        shutil.rmtree(folder)
        folder.mkdir()
        old()
        done = end_before(number, new)
        found = read()
        assert found in states, f"{name}, call {number}: {found}"
        seen.append(states.index(found))
        end_before(1 + number % 7, new)  # the next run is killed as well
        found = read()
        assert found in states, f"{name}, call {number} and {1 + number % 7}: {found}"
        assert states.index(found) >= seen[-1], f"{name}, call {number}: the new files were lost"
        new()
        assert read() == states[1], f"{name}, call {number}"
        left = [path.name for path in folder.rglob(".*")]
        assert left == [], f"{name}, call {number}: {left}"
    assert seen == sorted(seen), f"{name}: {seen}"
    print(f"{name}: {number} calls, published after {seen.index(1)}")


def motion(person, places):
    times = np.arange(4) / 30
    keypoints = Keypoints2D(np.full((4, 17, 2), 9.0), np.ones((4, 17)), times, H36M17, (640, 480), person)
    root = np.full((4, 3), float(places))
    return Motion(np.zeros((4, 17, 3)), root, times, np.zeros(4, bool), H36M17, "camera", keypoints)


def people(folder):
    """Each person's place in the arrays, and what the JSON beside them says of it."""
    found = read_recording(folder).people
    return {one.keypoints.person: (float(one.root[0, 0]), one.filters[0]["place"]) for one in found}


def write_person(folder, person, place):
    write_motion(folder / f"person_{person}.npz", replace(motion(person, place), filters=({"place": place},)))


def write_result(folder, persons, place):
    names = [f"person_{person}.{ending}" for person in persons for ending in ("npz", "json")]
    for person in persons:
        write_person(folder, person, place)
    text = f'{{"path": "{folder.parent}/walk.mp4", "people": [], "weights": {{}}, "files": {names}}}'
    write_text(folder / "summary.json", text.replace("'", '"'))


def lift(out, persons, place):
    with open_results(out, out / "walk.mp4", None) as folder:
        write_result(folder, persons, place)


def batch(out, persons, place):
    with open_folder(str(out), "walk") as folder:
        write_result(folder, persons, place)
        write_text(folder / RECORD, "{}")


def smooth(out, place):
    remove_partial_of(out / "person_1.json")
    write_person(out, 1, place)


def three(out, text, names, stale=()):
    """As weights with their graph."""
    remove_partial_of(out / "a.json")
    with atomic_files(out, "a.json", stale) as folder:
        for name in names:
            write_text(folder / name, text)


def texts(out):
    return {path.name: find_published(path).read_text() for path in list_published(out) if path.name[0] != "."}


def main(place):
    out = Path(place) / "out"
    weights = "a.json", "a.safetensors"
    end_everywhere(
        "weights over weights with a graph",
        out,
        lambda: three(out, "old", (*weights, "a.graph.onnx")),
        lambda: three(out, "new", weights, ["a.graph.onnx"]),
        lambda: texts(out),
    )
    end_everywhere("a pair", out, lambda: smooth(out, 1), lambda: smooth(out, 2), lambda: people(out))
    end_everywhere("a result", out, lambda: lift(out, (1, 2), 1), lambda: lift(out, (2, 3), 2), lambda: people(out))
    end_everywhere(
        "a video of a batch",
        out,
        lambda: batch(out, (1, 2), 1),
        lambda: batch(out, (2, 3), 2),
        lambda: people(out / "walk"),
    )


if __name__ == "__main__":
    main(sys.argv[1])
