"""Folders of a batch, and what is read from them."""

import contextlib
import threading

import pytest

from poselift.core.errors import InputError
from poselift.core.locks import BusyError, hold_lock
from poselift.recordings.batch_folders import KEPT, open_folder, tidy_stopped
from poselift.recordings.result_folder import open_results


def test_a_folder_in_which_nothing_was_to_be_done_leaves_nothing(tmp_path):
    (tmp_path / "walk").mkdir()
    (tmp_path / "walk" / KEPT).write_text("detections")
    with open_folder(str(tmp_path), "walk") as folder:
        assert (folder / KEPT).read_text() == "detections"
    assert [path.name for path in tmp_path.iterdir()] == ["walk"]


def test_detections_of_a_try_that_failed_stay_for_the_next(tmp_path):
    with contextlib.suppress(InputError), open_folder(str(tmp_path), "walk") as folder:
        (folder / KEPT).write_text("detections")
        raise InputError("no")
    with open_folder(str(tmp_path), "walk") as folder:
        assert (folder / KEPT).exists()


def test_errors_name_the_final_folder(tmp_path):
    for open_ in (open_folder(str(tmp_path), "walk"), open_results(tmp_path / "walk", None, None)):
        with pytest.raises(InputError) as found, open_ as folder:
            raise InputError(f"cannot write {folder / 'person_1.csv'}: no room")
        assert str(found.value) == f"cannot write {tmp_path / 'walk' / 'person_1.csv'}: no room"


@pytest.mark.parametrize("kept", [True, False])
def test_what_an_ended_worker_left_goes_but_its_detections(kept, tmp_path):
    unfinished = tmp_path / ".walk.unfinished"
    unfinished.mkdir()
    (tmp_path / ".walk.lock").touch()
    (unfinished / "person_1.npz").touch()
    if kept:
        (unfinished / KEPT).touch()
    tidy_stopped(str(tmp_path), "walk")
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert left == ({".walk.unfinished", f".walk.unfinished/{KEPT}"} if kept else set())


def hold(path, held, let_go):
    with hold_lock(path, ""):
        held.set()
        let_go.wait(60)


@pytest.mark.slow
def test_a_folder_that_the_worker_of_a_killed_run_still_holds(tmp_path, monkeypatch):
    held, let_go = threading.Event(), threading.Event()
    worker = threading.Thread(target=hold, args=(tmp_path / ".walk.lock", held, let_go))
    worker.start()
    held.wait()
    with monkeypatch.context() as patch:
        patch.setattr("poselift.recordings.batch_folders._PATIENCE", 0.1)
        with pytest.raises(BusyError, match="another run lifts it"), open_folder(str(tmp_path), "walk"):
            pass
    threading.Timer(0.3, let_go.set).start()
    with open_folder(str(tmp_path), "walk") as folder:
        assert let_go.is_set()
        assert folder.is_dir()
    worker.join()


def test_lift_refuses_a_folder_of_a_batch(tmp_path):
    (tmp_path / "batch.json").write_text("{}")
    with pytest.raises(InputError, match="belongs to a batch"), open_results(tmp_path, tmp_path / "walk.mp4", None):
        pass
