import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from poselift.core import publishing
from poselift.core.errors import InputError, WriteError
from poselift.core.files import (
    atomic_files,
    atomic_folder,
    atomic_path,
    check_writable,
    remove_partial_of,
    write_json,
    write_text,
)
from tests.core.full_disk import full_disk


@pytest.mark.parametrize(("open_", "inside"), [(atomic_path, ""), (atomic_folder, "/b.csv")])
def test_errors_name_the_place_and_not_the_temporary_one(open_, inside, tmp_path):
    place = tmp_path / "a.d"
    for kind in (InputError, WriteError):
        with pytest.raises(kind) as found, open_(place) as temporary:
            raise kind(f"{temporary}{inside}: no frame was written")
        assert str(found.value) == f"{place}{inside}: no frame was written"
    with pytest.raises(OSError, match="not permitted") as system, open_(place) as temporary:
        raise PermissionError(1, "not permitted", f"{temporary}{inside}")
    assert system.value.filename == f"{place}{inside}"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail():
        with atomic_path(path) as temporary:
            temporary.write_text("new")
            raise RuntimeError("halfway")

    with pytest.raises(RuntimeError, match="halfway"):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_folders_are_made_and_the_suffix_is_kept(tmp_path):
    path = tmp_path / "deep" / "b.npz"
    with atomic_path(path) as temporary:
        assert temporary.suffix == ".npz"
        temporary.write_bytes(b"x")
    assert path.read_bytes() == b"x"


def test_others_may_read_what_was_written(tmp_path):
    write_text(tmp_path / "c.txt", "hello")
    plain = tmp_path / "plain.txt"
    plain.write_text("hello")
    assert stat.S_IMODE((tmp_path / "c.txt").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_bytes_of_names_that_are_no_utf8_become_escapes(tmp_path):
    write_text(tmp_path / "c.txt", "clip\udcff.mp4\r\n")
    assert (tmp_path / "c.txt").read_bytes() == rb"clip\udcff.mp4" + b"\r\n"


def test_a_folder_that_cannot_be_made_is_an_input_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="choose another folder"):
        write_text(tmp_path / "file" / "d.txt", "x")


def test_a_folder_in_place_of_the_file_is_an_input_error(tmp_path):
    with pytest.raises(WriteError, match="it is a folder"), atomic_path(tmp_path):
        pytest.fail("something was written")


def test_json_refuses_nan(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "e.json", {"x": float("nan")})
    assert not (tmp_path / "e.json").exists()
    write_json(tmp_path / "e.json", {"x": [1, None]})
    assert json.loads((tmp_path / "e.json").read_text()) == {"x": [1, None]}


def test_partial_files_of_one_file_are_removed(tmp_path):
    path = tmp_path / "person_1.angles.csv"
    with atomic_path(path) as left, atomic_path(tmp_path / "person_2.angles.csv") as other:
        mine = tmp_path / ".vscode.settings.csv"
        mine.touch()
        longer = tmp_path / ".person_1.angles.left_leg.a1b2c3d4.csv"  # of person_1.angles.left_leg.csv
        longer.touch()
        remove_partial_of(path)
        assert longer.exists()
        assert not left.exists()
        assert other.exists()
        assert mine.exists()
        left.touch()


def _write_npz(path):
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, x=np.random.default_rng(0).random(10_000))


@pytest.mark.parametrize(
    "write",
    [_write_npz, lambda path: write_text(path, "x" * 50_000)],
)
@pytest.mark.parametrize("room", [0, 4096])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # NumPy 1.26 leaves its archive open
def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path, write, room):
    path = tmp_path / "a.out"
    path.write_text("old")
    with full_disk(room), pytest.raises(WriteError) as error:
        write(path)
    assert str(error.value) == f"cannot write {path}: File too large; free some space, or choose another folder"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_that_is_not_of_the_disk_stays(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "a.txt"):
        (tmp_path / "missing").read_bytes()


PAIR = """
import os, signal, sys
from pathlib import Path
from poselift.core import files

def end(moved, replace=os.replace):
    def replaced(first, second):
        replace(first, second)
        if Path(second).name == moved:
            os.kill(os.getpid(), {number})
    return replaced

def stop(number, frame):
    raise SystemExit(128 + number)

signal.signal(signal.SIGTERM, stop)
with files.atomic_files(".", "m.json") as folder:
    (folder / "m.npz").write_text("new")
    (folder / "m.json").write_text("of the new")
    os.replace = end("m.npz")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize(("number", "left"), [(9, {"m.npz": "new"}), (15, {"m.npz": "new", "m.json": "of the new"})])
def test_a_signal_between_the_files_of_a_pair(number, left, tmp_path):
    """SIGKILL leaves no old description beside the new file, for other programs; SIGTERM moves both."""
    (tmp_path / "m.npz").write_text("old")
    (tmp_path / "m.json").write_text("of the old")
    done = subprocess.run([sys.executable, "-c", PAIR.format(number=number)], cwd=tmp_path)
    assert done.returncode == (-9 if number == 9 else 143)
    assert {path.name: path.read_text() for path in tmp_path.glob("[!.]*")} == left


def test_a_pair_that_fails_leaves_the_old_one_and_nothing_else(tmp_path):
    write_text(tmp_path / "m.npz", "old")
    write_text(tmp_path / "m.json", "of the old")

    def fail():
        with atomic_files(tmp_path, "m.json") as folder:
            (folder / "m.npz").write_text("new")
            write_json(folder / "m.json", {"x": float("nan")})

    with pytest.raises(InputError, match=r"m.*json: a value is NaN or infinite, which JSON has not"):
        fail()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"m.npz": "old", "m.json": "of the old"}


def test_the_file_that_says_that_a_folder_is_complete_comes_last(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    write_text(tmp_path / "out" / "a.json", "old")
    moved = []
    replace = os.replace

    def watch(first, second):
        moved.append((Path(second).name, (tmp_path / "out" / "a.json").exists()))
        replace(first, second)

    with atomic_folder(tmp_path / "out", last="a.json") as folder:
        for name in ("a.json", "b.csv", "c.csv"):
            (folder / name).write_text("new")
        monkeypatch.setattr(os, "replace", watch)
    assert moved == [("b.csv", False), ("c.csv", False), ("a.json", False)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.json", "b.csv", "c.csv"]


def test_what_is_renamed_is_on_the_disk_before(tmp_path, monkeypatch):
    """Without that, a power cut can leave an empty file under the final name."""
    done = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (done.append("fsync"), sync(handle))[1])
    monkeypatch.setattr(os, "replace", lambda first, second: (done.append("replace"), replace(first, second))[1])
    write_text(tmp_path / "a.txt", "hello")
    assert done[:2] == ["fsync", "replace"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("names", [("a.csv", "m.json"), ("a.csv", "plots/b.csv")])
def test_a_folder_of_another_file_system_gets_the_files_too(names, tmp_path, monkeypatch):
    """As behind a link, or where one is mounted: renaming fails between them."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "m.json").write_text("old")
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    rename = os.rename

    def rename_within(first, second):
        if Path(first).parent.resolve() != Path(second).parent.resolve():
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(first))
        rename(first, second)

    monkeypatch.setattr(os, "rename", rename_within)
    with atomic_folder(tmp_path / "out", last=names[-1]) as folder:
        for name in names:
            write_text(folder / name, "new")
    written = {path.relative_to(tmp_path / "disk").as_posix() for path in (tmp_path / "disk").rglob("*.*")}
    assert written == {*names, "m.json"}
    assert {(tmp_path / "out" / name).read_text() for name in names} == {"new"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "out"]


def test_the_last_file_may_be_in_a_folder(tmp_path):
    (tmp_path / "out").mkdir()
    with atomic_folder(tmp_path / "out") as folder:
        write_text(folder / "a.csv", "new")
        write_text(folder / "z" / "b.csv", "new")
    assert (tmp_path / "out" / "a.csv").read_text() == (tmp_path / "out" / "z" / "b.csv").read_text() == "new"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_nothing_is_refused_before_the_work(tmp_path):
    (tmp_path / "out").symlink_to(tmp_path / "missing")
    for folder in (tmp_path / "out", tmp_path / "out" / "walk"):
        with pytest.raises(WriteError, match="out is not a folder; choose another folder"):
            check_writable(folder)


def test_a_listing_is_of_one_moment(tmp_path, monkeypatch):
    """Another process moves the files while they are listed."""
    committed = tmp_path / publishing.COMMITTED
    names = ["a.npz", "b.npz", "m.json"]
    committed.mkdir()
    for name in names:
        write_text(committed / name, "new")
    (committed / ".poselift_plan.json").write_text('{"last": "m.json", "stale": ["old.npz"]}')
    (tmp_path / "old.npz").touch()
    listed, iterate = [], Path.iterdir

    def move_meanwhile(folder):
        found = list(iterate(folder))
        if len(listed) < 2:
            listed.append(folder)
            if len(listed) == 1:
                os.replace(committed / "a.npz", tmp_path / "a.npz")
            else:
                monkeypatch.setattr(Path, "iterdir", iterate)
                publishing.finish_publishing(tmp_path)
        return iter(found)

    monkeypatch.setattr(Path, "iterdir", move_meanwhile)
    assert [path.name for path in publishing.list_published(tmp_path)] == names


def test_a_file_in_place_of_a_folder_within_is_refused_before_the_old_files_go(tmp_path):
    """Later, no writer in the folder could go on."""
    for name in ("m.json", "plots"):
        (tmp_path / name).write_text("old")

    def write():
        with atomic_files(tmp_path, "m.json") as folder:
            for name in ("m.json", "plots/a.csv"):
                write_text(folder / name, "new")

    with pytest.raises(WriteError, match="plots: it is no folder; move it"):
        write()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"m.json": "old", "plots": "old"}


@pytest.mark.parametrize(
    "wrong", [{"last": "../m.json"}, {"last": ""}, {"last": "a\0"}, {"stale": ["a\0"]}, {"stale": 3}]
)
def test_a_plan_that_nobody_wrote_is_none(wrong, tmp_path):
    committed = tmp_path / publishing.COMMITTED
    committed.mkdir()
    write_text(committed / "m.json", "new")
    (committed / ".poselift_plan.json").write_text(json.dumps({"last": "m.json", "stale": []} | wrong))
    assert publishing.find_published(tmp_path / "m.json") == tmp_path / "m.json"
    write_text(tmp_path / "a.txt", "next")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
