"""`poselift multiview` on a folder of takes: one result each, one calibration for all, and going on where it was."""

import json
import os
from argparse import Namespace

import numpy as np
import pytest

from poselift.cli.takes import takes_of
from poselift.lifting.clips.open_clip import open_clip
from poselift.several_views.calibration_files import read_calibration
from tests.cli.running import assert_refused, poselift
from tests.cli.test_multiview import write_view
from tests.several_views.stage import make_stage

QUICK = ("--weights", "tiny", "--no-render", "--no-csv")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two takes of two views, one of one view, and what is none; keypoints stand for what a detector sees."""
    keypoints = {}
    for number, take in enumerate(("jump", "walk")):
        stage = make_stage(seconds=1.5 + 0.5 * number)
        for view, name in enumerate(("left.mp4", "right.mp4")):
            video = tmp_path / "takes" / take / name
            video.parent.mkdir(parents=True, exist_ok=True)
            video.write_bytes(b"pictures")
            keypoints[video] = write_view(tmp_path / f"{take}_{video.stem}", stage, view)
    for other in (".trash/a.mp4", "notes/notes.txt", "alone/left.mp4"):
        path = tmp_path / "takes" / other
        path.parent.mkdir()
        path.write_bytes(b"")
    keypoints[tmp_path / "takes" / "alone" / "left.mp4"] = keypoints[tmp_path / "takes" / "walk" / "left.mp4"]

    def see(video, _, *options):
        clip = open_clip(None, keypoints[video], *options)
        clip.path = video
        return clip

    monkeypatch.setattr("poselift.cli.multiview.open_clip", see)
    return tmp_path / "takes"


@pytest.mark.slow
def test_each_take_has_a_result_and_the_next_run_does_what_is_left(folder, tmp_path):
    out = tmp_path / "out"
    run = ("multiview", folder, "--out", out, *QUICK, "--same-cameras", "walk")
    ran = poselift(*run)
    assert ran.code == 3, ran.err
    assert [line for line in ran.out.splitlines() if line.startswith("take ")] == [
        "take 1 of 3: walk",
        "take 2 of 3: alone",
        "take 3 of 3: jump",
    ]
    assert "2 of 3 takes are joined" in ran.out
    assert "failed: alone: one video is given" in ran.err
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == ["jump", "walk"]
    # One calibration: between the cameras, the second take has what the first one has.
    places = []
    for take in ("walk", "jump"):
        left, right = read_calibration([out / take / "calibration.toml"]).values()
        places.append(left.R.T @ (right.t - left.t))
    np.testing.assert_allclose(places[0], places[1], atol=1e-4)
    # The second one is as unsure of them as the first one.
    said = [json.loads((out / take / "calibration.json").read_text()) for take in ("walk", "jump")]
    assert said[0]["rotations_within_degrees"] == pytest.approx(said[1]["rotations_within_degrees"], abs=0.1)
    assert said[0]["size_within_percent"] == pytest.approx(said[1]["size_within_percent"], abs=0.1)
    assert said[1]["size_within_percent"] > 1
    assert "one video is given" in json.loads((out / "takes.json").read_text())["alone"]["failed"]
    # What the calibrating take is not sure of, nobody is.
    warnings = json.loads((out / "jump" / "summary.json").read_text())["warnings"]
    assert any(f"the cameras of {out / 'walk' / 'calibration.toml'} may be turned" in str(each) for each in warnings)

    (folder / "alone" / "left.mp4").unlink()
    os.utime(folder / "jump" / "left.mp4", (1, 1))
    ran = poselift(*run)
    assert ran.code == 0, ran.err
    done = [line for line in ran.out.splitlines() if line.startswith("take ")]
    assert done == ["take 1 of 2: walk was done before", "take 2 of 2: jump"]
    assert "was done before" in poselift(*run).out
    # Other options make other results.
    assert "take 1 of 2: walk\n" in poselift(*run, "--height", "1.7").out


@pytest.mark.slow
def test_where_the_calibrating_take_fails_the_next_one_gives_its_cameras_and_its_world(folder, tmp_path):
    out = tmp_path / "out"
    run = ("multiview", folder, "--out", out, *QUICK, "--same-cameras", "alone", "--calibration-world")
    ran = poselift(*run)
    assert ran.code == 3, ran.err
    assert "alone failed, so the takes after jump have the cameras of jump" in ran.err
    jump, walk = (read_calibration([out / take / "calibration.toml"]) for take in ("jump", "walk"))
    for name, camera in walk.items():
        np.testing.assert_allclose(camera.R, jump[name].R, atol=1e-6)
        np.testing.assert_allclose(camera.t, jump[name].t, atol=1e-6)
    assert json.loads((out / "takes.json").read_text())["walk"]["cameras_of"] == "jump"
    again = poselift(*run)
    assert again.code == 3
    assert again.out.count("was done before") == 2
    assert "have the cameras of jump" in again.err


def test_options_that_do_not_go_together(folder, tmp_path):
    def refused(message, *arguments):
        assert_refused(message, "multiview", *arguments, "--quiet", *QUICK)

    refused("there is no such take; there are alone, jump, walk", folder, "--same-cameras", "run")
    refused("--offsets belongs to one take", folder, "--offsets", "0.2")
    refused("leave --same-cameras out", folder, "--same-cameras", "walk", "--calibration", "a.toml")
    refused("there is no calibration whose world", folder, "--calibration-world")
    refused("for a folder of takes", folder / "walk" / "left.mp4", "b.mp4", "--same-cameras", "walk")
    refused("has no folder with videos in it", folder / "walk")
    refused("is the folder of the takes", folder, "--out", folder)
    refused("nowhere does not exist; give 2 to 8 videos", folder / "nowhere")
    (folder / "out").mkdir()
    (folder / "out" / "takes.json").write_text("{")
    refused("remove it, and all takes are joined again", folder, "--out", folder / "out")


def test_overlays_of_results_are_no_views(tmp_path):
    for name in ("walk/left.mp4", "walk/right.mp4", "walk/overlay_1.mp4", "walk/summary.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for name in ("joined/overlay_1.mp4", "joined/overlay_2.mp4", "joined/summary.json", "mine/overlay_1.mp4"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = takes_of(Namespace(videos=[tmp_path], same_cameras=None, keypoints=None, offsets=None, out=None))
    assert {take: [path.name for path in videos] for take, videos in found.items()} == {
        "walk": ["left.mp4", "right.mp4"],
        "mine": ["overlay_1.mp4"],
    }


def test_results_of_other_options_whose_run_was_killed_are_not_taken_for_these(folder, tmp_path, monkeypatch):
    out, ends = tmp_path / "out", []

    def join(inputs, place, views, **_):
        place.mkdir(exist_ok=True, parents=True)
        (place / "summary.json").touch()
        if ends:
            raise KeyboardInterrupt

    monkeypatch.setattr("poselift.cli.multiview._join", join)
    run = ("multiview", folder, "--out", out, *QUICK)
    assert poselift(*run).code == 0
    assert poselift(*run).out.count("was done before") == 3
    ends.append(True)
    assert poselift(*run, "--height", "1.7").code != 0
    ends.clear()
    assert [line for line in poselift(*run).out.splitlines() if "alone" in line] == ["take 1 of 3: alone"]
