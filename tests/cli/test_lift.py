import json
import os
import shutil
import sys
from fractions import Fraction
from itertools import islice
from types import SimpleNamespace

import av
import cv2
import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.core.locks import hold_lock
from poselift.lifting import LiftOptions
from poselift.models import LifterConfig, SpatioTemporalLifter, load_weights, save_weights
from poselift.recordings import read_motion, read_recording
from poselift.samples import demo_video
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.video import VideoReader, VideoWriter
from tests.cli.running import assert_refused, poselift

QUICK = ["--detector", "movenet-fast", "--no-flip"]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """What lifting the beginning of the demo clip writes."""
    folder = tmp_path_factory.mktemp("lifted")
    assert poselift("lift", *QUICK, "--end", 0.5, "--out", folder).code == 0
    return folder


@pytest.fixture(scope="module")
def summary(out):
    return json.loads((out / "summary.json").read_text())


@pytest.mark.slow
def test_everything_is_there(out, summary):
    people = [person["id"] for person in summary["people"]]
    assert people == list(range(1, len(people) + 1))
    assert len(people) >= 1
    wanted = {f"person_{n}.{suffix}" for n in people for suffix in ("npz", "json", "csv")} | {"overlay.mp4"}
    assert set(summary["files"]) == wanted
    assert {path.name for path in out.iterdir()} == wanted | {"summary.json"}
    assert summary["frames"] == 15
    assert set(summary["seconds"]) == {"read", "detect", "track", "lift", "write", "render"}
    assert all("keypoints are unsure" in warning for warning in summary["warnings"])  # the jumper in the shade
    assert all(0.5 < person["seen_share"] <= 1 for person in summary["people"])


@pytest.mark.slow
def test_motions_have_a_size_and_a_place(out, summary):
    for person in summary["people"]:
        motion = read_motion(out / f"person_{person['id']}.npz")
        assert motion.joints.shape == (person["frames"], 17, 3)
        assert (np.diff(motion.timestamps) > 0).all()
        assert (np.isfinite(motion.uncertainty).all(1) == motion.posed).all()
        posed = motion.joints[motion.posed]
        assert (posed[:, 0] == 0).all(), "relative to the root"
        assert (motion.root[motion.posed, 2] > 0.5).all(), "in front of the camera"
        assert 0.3 < np.median(np.ptp(posed[..., 1], axis=1)) < 2.5, "metres"


def test_json_says_what_the_arrays_are(out):
    about = json.loads((out / "person_1.json").read_text())
    assert about["skeleton"]["joints"] == list(H36M17.joints)
    assert about["skeleton"]["parents"]["left_knee"] == "left_hip"
    assert about["keypoints"]["joints"] == list(COCO17.joints)
    assert about["units"]["joints"] == "metres"
    assert about["axes"]["y"] == "down"
    assert about["camera"]["field_of_view"] == "assumed"
    assert np.shape(about["camera"]["K"]) == (3, 3)
    lifter, small = about["weights"]["lifter"], load_weights("small")
    assert len(lifter["sha256"]) == 64
    assert (lifter["window"], lifter["uncertainty_factor"]) == (small.window, small.uncertainty_factor)
    assert about["versions"]["torch"]
    assert read_motion(out / "person_1.npz").skeleton == H36M17


@pytest.mark.slow
def test_a_second_run_leaves_nothing_of_the_first(stored, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    stored.lift("--out", tmp_path)
    assert (tmp_path / "overlay.mp4").exists()
    stored.lift("--out", tmp_path, "--no-render", "--person", "1")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"person_1.npz", "person_1.json", "person_1.csv", "summary.json", "notes.txt"}


@pytest.mark.parametrize("name", ["summary.json", "overlay.mp4"])
def test_files_that_no_run_of_ours_wrote_are_not_overwritten(name, tmp_path):
    """Another program's summary.json is not believed, whatever it names."""
    (tmp_path / name).write_text('{"files": ["summary.json"], "people": []}')
    assert_refused(f"{tmp_path / name} does not come from an earlier run", "lift", "--out", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_that_our_own_summary_does_not_name_is_not_overwritten(stored, walk, tmp_path):
    shutil.copytree(walk, tmp_path / "walk")
    (tmp_path / "walk" / "overlay.mp4").write_text("mine")
    assert "overlay.mp4 does not come from an earlier run" in stored.run("--out", tmp_path / "walk").err
    assert (tmp_path / "walk" / "overlay.mp4").read_text() == "mine"


@pytest.mark.slow
@pytest.mark.parametrize("stopped", ["poselift.recordings.saving.write_pair", "poselift.cli.lift.write_overlay"])
def test_a_stopped_run_leaves_the_results_of_the_previous_one(stopped, stored, tmp_path, monkeypatch):
    stored.lift("--out", tmp_path)
    before = contents(tmp_path)
    module, name = stopped.rsplit(".", 1)
    write = getattr(sys.modules[module], name)

    def write_and_stop(*arguments, **more):
        write(*arguments, **more)
        raise RuntimeError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(stopped, write_and_stop)
        with pytest.raises(RuntimeError, match="stopped"):
            stored.lift("--out", tmp_path, "--person", "1")
    assert contents(tmp_path) == before


@pytest.mark.slow
def test_a_run_that_is_killed_while_it_moves_its_results_is_finished_by_the_next(stored, tmp_path, monkeypatch):
    stored.lift("--out", tmp_path)

    def replace_or_die(old, new):
        if new == tmp_path / "person_1.json":
            raise KeyboardInterrupt
        os.replace(old, new)

    with monkeypatch.context() as patch:
        patch.setattr("poselift.core.publishing.os", SimpleNamespace(**{**vars(os), "replace": replace_or_die}))
        assert stored.run("--out", tmp_path, "--no-render", "--height", 1.5).code == 130
    assert not (tmp_path / "summary.json").exists(), "other programs see that the results are not complete"
    assert not (tmp_path / "overlay.mp4").exists(), "it is older than the arrays"
    assert [motion.height.metres for motion in read_recording(tmp_path).people] == [1.5, 1.5]
    stored.lift("--out", tmp_path, "--no-render", "--person", 2)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"person_2.npz", "person_2.json", "person_2.csv", "summary.json"}


@pytest.mark.slow
def test_what_a_killed_run_left_is_removed_by_the_next(stored, tmp_path):
    unfinished = tmp_path / ".poselift_unfinished"
    unfinished.mkdir()
    (unfinished / ".person_1.x7.npz").write_bytes(b"half of it")
    (tmp_path / ".poselift_lock").touch()
    stored.lift("--out", tmp_path, "--no-render")
    names = {path.name for path in tmp_path.iterdir()} - {"summary.json"}
    assert names == set(json.loads((tmp_path / "summary.json").read_text())["files"])


def test_two_runs_into_one_folder_at_once_are_refused(stored, tmp_path):
    with hold_lock(tmp_path / ".poselift_lock", ""):
        ran = stored.run("--out", tmp_path)
    assert (ran.code, f"another run is writing to {tmp_path}" in ran.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_video_itself_is_not_overwritten(tmp_path):
    video = tmp_path / "overlay.mp4"
    video.write_bytes(b"a video")
    assert_refused("would be overwritten", "lift", video, "--out", tmp_path)
    assert video.read_bytes() == b"a video"


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [[], ["--out", "results"]], ids=["default", "chosen"])
def test_the_results_of_another_input_are_not_replaced(chosen, stored, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for day in ("monday", "tuesday"):
        (tmp_path / day).mkdir()
        (tmp_path / day / "clip.json").write_bytes(stored.path.read_bytes())
    options = ["--no-render", *chosen]
    stored.lift("--keypoints", "monday/clip.json", *options)
    stored.lift("--keypoints", "monday/clip.json", *options)
    ran = stored.run("--keypoints", "tuesday/clip.json", *options)
    assert (ran.code, "holds the results of another input" in ran.err) == (2, True)


@pytest.mark.slow
def test_camera_options_are_used_and_written(stored, tmp_path):
    stored.lift("--no-render", "--out", tmp_path / "a", "--fov", 30)
    stored.lift("--no-render", "--out", tmp_path / "b", "--intrinsics", "400,400,320,240")
    near, far = (read_motion(tmp_path / name / "person_1.npz").root[..., 2] for name in "ba")
    assert np.nanmedian(far) > 1.3 * np.nanmedian(near), "a narrow view is from far away"
    camera = json.loads((tmp_path / "a" / "person_1.json").read_text())["camera"]
    assert (camera["field_of_view"], round(camera["fov_degrees"])) == ("given", 30)


def test_options_of_the_lifter_are_used(stored, tmp_path, monkeypatch):
    """Every option by its field; without one, the defaults of LiftOptions."""
    given = []
    monkeypatch.setattr("poselift.cli.lift.lift_clip", lambda _, w, request, p: given.append(request.options) or stop())

    def stop():
        raise InputError("stopped")

    for options in ([], ["--no-flip"], ["--no-constant-bones"], ["--threshold", 0.5]):
        poselift("lift", *stored.known, "--weights", "tiny", "--out", tmp_path, *options)
    assert given == [
        LiftOptions(),
        LiftOptions(flip=False),
        LiftOptions(constant_bones=False),
        LiftOptions(threshold=0.5),
    ]


@pytest.mark.slow
def test_feet_and_uncertainty_where_the_weights_give_them(stored, tmp_path):
    """28 joints from the weights that also give 17, the same where both have them; each with its uncertainty."""
    save_weights(tmp_path / "feet.safetensors", small_lifter(skeleton_out="cmu28", uncertainty=True), 24, {})
    save_weights(tmp_path / "bare.safetensors", small_lifter(), 24, {})
    feet = {"weights": tmp_path / "feet.safetensors"}
    stored.lift("--no-render", "--out", tmp_path / "17", **feet)
    stored.lift("--no-render", "--out", tmp_path / "28", "--skeleton", "cmu28", **feet)
    few, many = (read_motion(tmp_path / name / "person_1.npz") for name in ("17", "28"))
    assert (few.skeleton, many.skeleton) == (H36M17, CMU28)
    shared = CMU28.indices(H36M17.joints)
    np.testing.assert_array_equal(few.joints, many.joints[:, shared])
    np.testing.assert_array_equal(few.uncertainty, many.uncertainty[:, shared])
    assert (many.uncertainty[:, 1:] > 0).all()
    ran = stored.run("--out", tmp_path / "none", "--skeleton", "cmu28", weights=tmp_path / "bare.safetensors")
    assert (ran.code, "the weights bare give h36m17, without right_big_toe" in ran.err) == (2, True)
    assert not (tmp_path / "none" / "person_1.npz").exists()


def small_lifter(**options):
    torch.manual_seed(0)
    return SpatioTemporalLifter(LifterConfig(joint_dim=8, frame_dim=32, dim=32, heads=4, depth=1, **options))


def test_nobody_is_said_and_not_invented(tmp_path):
    noise = np.random.default_rng(0).integers(0, 80, (6, 240, 320, 3), np.uint8)
    with VideoWriter(tmp_path / "empty.mp4", 320, 240) as writer:
        for index, image in enumerate(noise):
            writer.write(image, index / 25)
    ran = poselift("lift", tmp_path / "empty.mp4", *QUICK, "--weights", "tiny", "--quiet", "--out", tmp_path / "out")
    assert (ran.code, ran.out, "nobody was lifted" in ran.err) == (3, "", True)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["people"], summary["files"], summary["frames"]) == ([], [], 6)
    assert any(warning.startswith("nobody was found in the ") for warning in summary["warnings"])
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["summary.json"]


@pytest.mark.parametrize("name", ["clip\x1b[2J.mp4", "clip\udce9.mp4"])
def test_a_file_name_cannot_command_the_console(name, tmp_path):
    escaped = name.encode("unicode_escape").decode()
    assert_refused(f"{escaped}: no such file", "lift", tmp_path / name, "--out", tmp_path / "out")


@pytest.mark.slow
def test_who_has_too_few_frames_to_be_smoothed_is_kept_with_a_warning(stored, tmp_path):
    """Their times tell so only after the long work."""
    stored.lift("--smooth", 20, "--out", tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert any(line.startswith("person 1 is not smoothed: cutoff 20 Hz") for line in summary["warnings"])
    assert "filters" not in json.loads((tmp_path / "out" / "person_1.json").read_text())


@pytest.mark.slow
def test_a_late_time_stamp_costs_the_overlay_and_not_the_motion(tmp_path):
    """FFmpeg cannot write a frame that is 100,000 s after the one before it."""
    rate, late = Fraction(1, 600), tmp_path / "late.mkv"
    with av.open(str(demo_video())) as video, av.open(str(late), "w") as out:
        stream = out.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 960, 540, "yuv420p"
        stream.time_base = stream.codec_context.time_base = rate
        for number, frame in enumerate(islice(video.decode(video=0), 10)):
            given = frame.reformat(format="yuv420p")
            given.time_base, given.pts = rate, 20 * number + (60_000_000 if number == 9 else 0)
            out.mux(stream.encode(given))
        out.mux(stream.encode(None))
    ran = poselift("lift", late, *QUICK, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert "warning: overlay.mp4 could not be made: overlay.mp4: FFmpeg cannot write the frame at " in ran.out
    assert "unfinished" not in ran.out + ran.err
    assert f"Look at {tmp_path / 'out'};" in ran.out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert "overlay.mp4" not in summary["files"]
    assert "unfinished" not in json.dumps(summary)
    assert read_motion(tmp_path / "out" / "person_1.npz").posed.sum() >= 5
    seen = poselift("view", tmp_path / "out")
    assert (seen.code, (tmp_path / "out.html").exists()) == (0, True)
    assert f"warning: the page has no video: {late}: FFmpeg cannot write the frame at" in seen.out


@pytest.mark.slow
def test_a_gap_of_a_day_takes_no_memory(stored, walk, tmp_path):
    """150 frames with a gap of 99,000 s took 9 GB in formats without gaps."""
    shutil.copytree(walk, tmp_path / "walk")
    for path in (tmp_path / "walk").glob("person_*.npz"):
        arrays = dict(np.load(path))
        arrays["timestamps"] = arrays["timestamps"] + 99_000.0 * (np.arange(len(arrays["timestamps"])) >= 6)
        np.savez(path, **arrays)
    ran = poselift(
        "lift", "--keypoints", tmp_path / "walk", *("--weights", "tiny", "--no-render", "--formats", "trc,bvh,glb"),
        *("--out", tmp_path / "out"),
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.out.count("would be 2475012 evenly spaced ones") >= 2
    assert {path.suffix for path in (tmp_path / "out").iterdir()} >= {".npz", ".glb", ".json"}


@pytest.mark.slow
def test_a_folder_of_pictures_a_pattern_and_a_photo_are_lifted(tmp_path):
    for frame in VideoReader(demo_video(), end=0.2):
        cv2.imwrite(str(tmp_path / f"frame_{frame.index + 7}.png"), frame.image[..., ::-1])
    quick = ["--detector", "movenet-fast", "--weights", "tiny", "--no-flip", "--no-render"]
    for name, more, frames in (("", [], 6), ("frame_%d.png", ["--fps", "30"], 6)):
        out = tmp_path / "out" / str(len(more))
        ran = poselift("lift", tmp_path / name, *quick, *more, "--out", out)
        assert ran.code == 0, ran.err
        summary = json.loads((out / "summary.json").read_text())
        assert (summary["frames"], summary["width"], len(summary["people"]) > 0) == (frames, 960, True)
        assert any("pictures have no times" in line for line in summary["warnings"]) == (not more)
    photo = tmp_path / "photo.png"
    (tmp_path / "frame_7.png").rename(photo)
    ran = poselift("lift", photo, "--weights", "tiny", "--no-flip", "--out", tmp_path / "one")
    assert ran.code == 0, ran.err
    summary = json.loads((tmp_path / "one" / "summary.json").read_text())
    assert (summary["frames"], len(summary["people"]) > 0) == (1, True)
    assert (tmp_path / "one" / "overlay.mp4").stat().st_size > 1000


@pytest.mark.slow
def test_angles_are_drawn_on_the_overlay_alone(stored, walk, tmp_path):
    stored.lift("--out", tmp_path / "plain")
    stored.lift("--out", tmp_path / "numbers", "--draw", "angles")
    plain, numbers = (next(iter(VideoReader(tmp_path / name / "overlay.mp4"))).image for name in ("plain", "numbers"))
    assert (np.abs(plain.astype(int) - numbers).max(-1) > 60).sum() > 1000
    assert (tmp_path / "numbers" / "person_1.npz").read_bytes() == (walk / "person_1.npz").read_bytes()
    assert "the overlay, which is left out; remove --no-render" in stored.run("--draw", "angles", "--no-render").err


def test_formats_that_are_given_as_words_say_how_to_join_them(tmp_path):
    assert_refused("glb: no such file; formats are joined by commas", "lift", "--formats", "bvh", "glb")
