"""`poselift batch` as a whole: good and broken videos, the second run, other options, kills."""

import csv
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks.warped_clips import MOVES, Warp
from poselift.cli.batch.batch_run import BatchRun
from poselift.cli.batch.settings import find_settings
from poselift.cli.batch.video_task import Task, VideoLifter
from poselift.cli.batch.videos import find_videos
from poselift.cli.formats import write_formats
from poselift.cli.lift_request import CommandRequest
from poselift.cli.request_fields import set_fields
from poselift.core import threads
from poselift.core.locks import hold_lock
from poselift.geometry.camera import camera_for
from poselift.lifting.request import DetectorRequest
from poselift.samples import demo_video
from poselift.video import VideoReader, VideoWriter
from tests.cli.batch.conftest import BROKEN, GOOD, QUICK, contents
from tests.cli.running import poselift
from tests.core.full_disk import full_disk
from tests.golden import check_files


def folders(out):
    return sorted(path.name for path in out.iterdir() if path.is_dir() and not path.name.startswith("."))


@pytest.mark.slow
def test_the_good_videos_are_lifted_and_the_broken_ones_listed(whole):
    assert whole.ran.code == 3
    assert "3 of 6 videos failed" in whole.ran.err
    assert [name.rsplit("-", 1)[0] for name in folders(whole.out)] == ["=SUM(1)", "walk", "walk"]
    for name in folders(whole.out):
        there = {path.name for path in (whole.out / name).iterdir()}
        summary = json.loads((whole.out / name / "summary.json").read_text())
        assert there == {"batch.json", "keypoints.npz", "summary.json", *summary["files"]}
        np.load(whole.out / name / "keypoints.npz", allow_pickle=False).close()
    with open(whole.out / "failures.csv", newline="") as file:
        failures = list(csv.DictReader(file))
    names = ["'=cut.mp4", *BROKEN[1:]]  # no name is a formula
    assert [(row["video"], row["tries"]) for row in failures] == [(name, "1") for name in names]
    assert "is empty (0 bytes)" in failures[2]["reason"]


@pytest.mark.slow
def test_the_tables(whole):
    clips = pq.read_table(whole.out / "clips.parquet").to_pylist()
    assert [(row["video"], row["status"]) for row in clips] == [
        (name, "lifted" if name in GOOD else "failed") for name in sorted(GOOD + BROKEN)
    ]
    lifted = [row for row in clips if row["status"] == "lifted"]
    assert all((row["width"], row["height"], row["people"] >= 1) == (480, 270, True) for row in lifted)
    assert all(
        row["seconds"] > 0 and 0 < row["seen_share"] <= 1 and 0.01 < row["uncertainty_m"] < 0.5 for row in lifted
    )
    assert [row["seconds"] for row in clips if row["status"] == "failed"] == [None] * len(BROKEN)
    people = pq.read_table(whole.out / "people.parquet").to_pylist()
    assert len(people) == sum(row["people"] for row in lifted)
    assert all((whole.out / row["folder"] / f"person_{row['id']}.npz").exists() for row in people)


@pytest.mark.slow
def test_a_video_alone_gives_the_same_bytes(whole, videos, tmp_path):
    poselift("lift", videos / GOOD[0], "--out", tmp_path, "--no-render", *QUICK)
    [folder] = {
        row["folder"] for row in pq.read_table(whole.out / "people.parquet").to_pylist() if row["video"] == GOOD[0]
    }
    for path in tmp_path.iterdir():
        if path.name != "summary.json":
            assert path.read_bytes() == (whole.out / folder / path.name).read_bytes(), path.name


@pytest.mark.slow
def test_the_files_of_a_lift_its_exports_and_measures_stay(whole, tmp_path):
    people = pq.read_table(whole.out / "people.parquet").to_pylist()
    [folder] = {row["folder"] for row in people if row["video"] == GOOD[0]}
    files = tmp_path / "files"
    walk = shutil.copytree(whole.out / folder, files / "walk", ignore=shutil.ignore_patterns("batch.json"))
    formats = "trc,mot,opensim,c3d,bvh,glb,vrma,angles,netcdf"
    for command in (
        ["export", "--formats", formats, "--out", files / "exported"],
        ["measure", "--out", files / "measured"],
    ):
        ran = poselift(*command, walk)
        assert ran.code == 0, ran.err
    check_files("commands", files)


@pytest.mark.usefixtures("one_process")
def test_subfolders_without_csv_and_a_second_run_does_nothing(videos, batch, tmp_path, monkeypatch):
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    shutil.copy(videos / GOOD[0], source / "walk.mp4")
    (source / "broken.mp4").touch()
    assert batch(source, out, "--subfolders", "--no-csv").code == 3
    [row] = [row for row in pq.read_table(out / "clips.parquet").to_pylist() if row["status"] == "lifted"]
    parent, name = row["folder"].split("/")
    assert (parent, name[-2:]) == (name[-2:], parent)
    assert {path.suffix for path in (out / row["folder"]).iterdir()} == {".npz", ".json"}
    left = out / parent / f".{name}.unfinished"
    left.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr("poselift.cli.batch.batch_command.LocalEngine", None)  # nothing is lifted
        assert batch(source, out, "--subfolders", "--no-csv").code == 3
    assert not left.exists()


@pytest.mark.slow
@pytest.mark.usefixtures("one_process")
def test_a_second_run_does_nothing_and_other_weights_need_no_picture(whole, videos, batch, tmp_path, monkeypatch):
    out = tmp_path / "out"
    shutil.copytree(whole.out, out, copy_function=shutil.copy2)
    with monkeypatch.context() as patch:
        patch.setattr("poselift.cli.batch.batch_command.LocalEngine", None)  # nothing is lifted
        ran = batch(videos, out)
    assert (ran.code, contents(out)) == (3, whole.contents)
    assert batch(videos, out, "--threshold", 0.3).code == 3
    for name in folders(out):
        summary = json.loads((out / name / "summary.json").read_text())
        assert summary["seconds"]["detect"] < 0.01, "the detections were kept"
        assert (out / name / "keypoints.npz").read_bytes() == (whole.out / name / "keypoints.npz").read_bytes()
    assert [name for name in os.listdir(out) if name.startswith(".")] == [".failed"]


@pytest.mark.slow
@pytest.mark.usefixtures("one_process")
def test_what_has_changed_is_done_again(whole, videos, batch, tmp_path):
    """A new date alone changes nothing but the record; another content does; a repaired video is lifted."""
    source, out = tmp_path / "videos", tmp_path / "out"
    shutil.copytree(videos, source)
    shutil.copytree(whole.out, out)
    shutil.copyfile(source / GOOD[0], source / GOOD[1])
    shutil.copyfile(source / GOOD[0], source / BROKEN[0])
    assert batch(source, out).code == 3
    clips = {row["video"]: row for row in pq.read_table(out / "clips.parquet").to_pylist()}
    for name in (GOOD[0], GOOD[2]):
        files = {key: value for key, value in whole.contents.items() if key.startswith(clips[name]["folder"])}
        assert files.items() <= contents(out).items(), "only the date is another"
    assert clips[GOOD[1]]["sha256"] == clips[GOOD[0]]["sha256"] == clips[BROKEN[0]]["sha256"]
    assert clips[BROKEN[0]]["status"] == "lifted"
    assert not (out / ".failed" / f"{clips[BROKEN[0]]['folder']}.json").exists()


def wait_until_one_is_begun(out, running):
    """Waits until a batch has begun with a video."""
    deadline = time.monotonic() + 120
    while not (out.exists() and any(".unfinished" in name or "-" in name for name in os.listdir(out))):
        assert time.monotonic() < deadline
        assert running()
        time.sleep(0.01)


@pytest.mark.slow
def test_a_batch_that_is_killed_goes_on(whole, videos, batch, one_process, tmp_path):
    out = tmp_path / "out"
    options = [str(videos), "--out", str(out), *QUICK, "--workers", "1"]
    command = [sys.executable, "-c", "from poselift.cli.main import main; main()", "batch", *options]
    run = subprocess.Popen(command)
    wait_until_one_is_begun(out, lambda: run.poll() is None)
    run.kill()
    run.wait(60)
    assert batch(videos, out).code == 3
    assert contents(out) == whole.contents


@pytest.mark.slow
def test_a_batch_that_is_terminated_goes_on(whole, videos, batch, tmp_path, request):
    """The signal comes from another thread while the worker, a process of its own, lifts."""
    out, ended = tmp_path / "out", threading.Event()

    def terminate():
        wait_until_one_is_begun(out, lambda: not ended.is_set())
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=terminate)
    thread.start()
    ran = batch(videos, out)
    ended.set()
    thread.join()
    assert ran.code == 143
    assert "To go on, run the same command again" in ran.err
    request.getfixturevalue("one_process")
    assert batch(videos, out).code == 3
    assert contents(out) == whole.contents


def test_two_runs_at_once_are_refused(videos, batch, tmp_path):
    with hold_lock(tmp_path / ".batch.lock", ""):
        ran = batch(videos, tmp_path)
    assert (ran.code, "another run is writing to" in ran.err) == (2, True)


@pytest.mark.usefixtures("one_process")
def test_nothing_but_broken_videos(videos, batch, tmp_path):
    ran = batch(f"{videos}/*.m[ko]v", tmp_path / "out", "--shard", "1/1")
    assert ran.code == 2
    assert "2 of 2 videos failed" in ran.err
    assert (tmp_path / "out" / "failures.1-of-1.csv").read_text().count("\n") == 3


@pytest.mark.usefixtures("one_process")
def test_a_batch_says_how_many_videos_show_nobody(batch, tmp_path):
    with VideoWriter(tmp_path / "night.mp4", 96, 64) as writer:
        for index in range(4):
            writer.write(np.zeros((64, 96, 3), np.uint8), index / 25)
    ran = batch(tmp_path, tmp_path / "out", "--shard", "1/1")
    assert (ran.code, ran.err) == (0, "in 1 of 1 lifted videos nobody was found: clips.1-of-1.parquet says why\n")


@pytest.mark.slow
@pytest.mark.usefixtures("one_process")
def test_results_that_somebody_removed_meanwhile_are_told(videos, batch, tmp_path, monkeypatch):
    write_tables = BatchRun.write_tables

    def remove_first(batch_run):
        shutil.rmtree(next(path for path in tmp_path.iterdir() if path.is_dir()))
        return write_tables(batch_run)

    monkeypatch.setattr(BatchRun, "write_tables", remove_first)
    ran = batch(videos / "monday", tmp_path)
    assert (ran.code, "1 of 1 videos are neither lifted nor failed: somebody changed" in ran.err) == (2, True)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--weights", "nonsense"], "no shipped weights are called 'nonsense'"),
        (["--device", "cpu,toaster"], "there is no device 'toaster'"),
        (["--end", "inf"], "end is inf s; give seconds, or leave it out"),
        (["--shard", "0/3"], "is not a part"),
        (["--detector", "rtmpose", "--model", "nowhere.onnx"], "model nowhere.onnx: no such file"),
    ],
)
def test_bad_options_are_one_line(options, message, videos, batch, tmp_path):
    ran = batch(videos, tmp_path / "out", *options)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert message in ran.err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("formats", [(), ("csv", "bvh")])
def test_a_full_disk_is_no_fault_of_the_video(formats, videos, tmp_path, monkeypatch):
    """The next run tries it again, wherever the disk was full."""
    monkeypatch.setattr(threads, "_limit", 0)
    given = {"weights": "tiny", "detector": DetectorRequest("movenet-fast"), "flip": False, "overlay": False}
    request = set_fields(CommandRequest(), given | {"formats": formats})
    video = find_videos(str(videos / "monday"), str(tmp_path), request)[0]
    lifter, task = VideoLifter(request, "cpu", 1), Task(video, find_settings(request), str(tmp_path))
    if formats:  # the disk is full as the further formats begin
        write = partial(_write_without_room, write_formats)
        monkeypatch.setattr("poselift.cli.result_files.write_formats", write)
        full = lifter(task)
    else:
        with full_disk(2000):
            full = lifter(task)
    assert "File too large; free some space" in full.reason
    assert full.again
    assert not full.lasting
    monkeypatch.undo()
    assert lifter(task).reason is None


def _write_without_room(write, *arguments):
    with full_disk(100):
        return write(*arguments)


def test_videos_of_a_store_are_lifted_into_a_store(store, whole, monkeypatch):
    monkeypatch.setattr(threads, "_limit", 0)
    given = {"weights": "tiny", "detector": DetectorRequest("movenet-fast"), "flip": False, "overlay": False}
    request = set_fields(CommandRequest(), given)
    videos = find_videos("memory://in", "memory://out", request)
    assert [video.path for video in videos] == ["memory:///in/monday/walk.mp4", "memory:///in/text.mov"]
    lifter = VideoLifter(request, "cpu", 1)
    tasks = [Task(video, find_settings(request), "memory://out") for video in videos]
    lifted, broken = (lifter(task) for task in tasks)
    assert lifted.reason is None
    assert broken.reason.startswith("memory:///in/text.mov cannot be opened as a video")
    [local] = [path for path in whole.out.glob("walk-*") if path.name == lifted.folder]
    there = sorted(path.rpartition("/")[2] for path in store.find("/out"))
    assert there == sorted(path.name for path in local.iterdir())
    for path in local.iterdir():
        if path.suffix in (".npz", ".csv"):
            assert store.cat_file(f"/out/{lifted.folder}/{path.name}") == path.read_bytes()
    summary = json.loads(store.cat_file(f"/out/{lifted.folder}/summary.json"))
    assert (summary["path"], summary["video"]) == ("memory:///in/monday/walk.mp4", "walk.mp4")
    before = store.cat_file(f"/out/{lifted.folder}/person_1.npz")
    assert lifter(tasks[0]).reason is None
    assert store.cat_file(f"/out/{lifted.folder}/person_1.npz") == before


def test_angles_cannot_be_drawn_without_an_overlay(tmp_path):
    ran = poselift("batch", tmp_path, "--out", tmp_path / "out", "--draw", "angles")
    assert ran.code == 2
    assert "batch --render" in ran.err


@pytest.fixture
def pan_and_still(tmp_path):
    """A folder with half a second of the demo clip, as it is and with a camera that pans by 10 degrees."""
    frames = list(VideoReader(demo_video(), 1.5, 2.0))
    start, end = frames[0].timestamp, frames[-1].timestamp
    (tmp_path / "in").mkdir()
    warp = Warp(MOVES["pan 10"], camera_for((960, 540)), end - start)
    for name in ("pan", "still"):
        with VideoWriter(tmp_path / "in" / f"{name}.mp4", 960, 540) as writer:
            for frame in frames:
                own = dataclasses.replace(frame, timestamp=frame.timestamp - start)
                writer.write((warp.picture(own) if name == "pan" else own).image, own.timestamp)
    return tmp_path / "in"


@pytest.mark.slow
@pytest.mark.usefixtures("one_process")
def test_each_video_has_a_camera_of_its_own(pan_and_still, batch, tmp_path):
    def summaries(*options):
        out = tmp_path / "-".join(options)
        ran = batch(pan_and_still, out, "--world", *options)
        assert ran.code == 0, ran.err
        return {name.rsplit("-", 1)[0]: json.loads((out / name / "summary.json").read_text()) for name in folders(out)}

    found = summaries("--camera", "auto")
    assert {name: each["camera"]["found"] for name, each in found.items()} == {"pan": "turning", "still": "still"}
    assert found["pan"]["camera"]["shots"][0]["turns_deg"] == pytest.approx(10, abs=0.5)
    said = [warning for each in found.values() for warning in each["warnings"]]
    assert all("--tilt" in warning for warning in said if "camera" in warning)
    still = summaries("--camera", "still")
    assert any("the camera moves by" in str(warning) for warning in still["pan"]["warnings"])
    assert not any("the camera moves by" in str(warning) for warning in still["still"]["warnings"])
