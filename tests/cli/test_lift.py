import csv
import json
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest
import torch

from poselift.cli.main import main
from poselift.export import read_motion
from poselift.models import LifterConfig, SpatioTemporalLifter, load_weights, save_weights
from poselift.samples import demo_video
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.video import VideoReader, VideoWriter

ROOT = Path(__file__).parents[2]
QUICK = ["--detector", "movenet-fast", "--no-flip"]


def lift(*arguments):
    main(["lift", *map(str, arguments)])


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """What lifting the demo clip's first second writes."""
    folder = tmp_path_factory.mktemp("lifted")
    lift(*QUICK, "--end", 1.0, "--out", folder)
    return folder


@pytest.fixture(scope="module")
def summary(out):
    return json.loads((out / "summary.json").read_text())


def test_everything_is_there(out, summary):
    people = [person["id"] for person in summary["people"]]
    assert people == list(range(1, len(people) + 1))
    assert len(people) >= 1
    wanted = {f"person_{n}.{suffix}" for n in people for suffix in ("npz", "json", "csv")} | {"overlay.mp4"}
    assert set(summary["files"]) == wanted
    assert {path.name for path in out.iterdir()} == wanted | {"summary.json"}
    assert summary["frames"] == 30
    assert set(summary["seconds"]) == {"read", "detect", "track", "lift", "write", "render"}
    assert summary["warnings"] == []


def test_arrays(out, summary):
    for person in summary["people"]:
        with np.load(out / f"person_{person['id']}.npz", allow_pickle=False) as file:
            arrays = dict(file)
        frames = person["frames"]
        shapes = {
            "joints": (frames, 17, 3),
            "root": (frames, 3),
            "timestamps": (frames,),
            "keypoints": (frames, 17, 2),
            "keypoint_scores": (frames, 17),
            "interpolated": (frames,),
            "uncertainty": (frames, 17),
        }
        assert {key: array.shape for key, array in arrays.items()} == shapes
        assert arrays["interpolated"].dtype == bool
        assert (np.diff(arrays["timestamps"]) > 0).all()
        present = np.isfinite(arrays["joints"]).all((1, 2))
        assert (np.isfinite(arrays["uncertainty"]).all(1) == present).all()
        assert (arrays["joints"][present, 0] == 0).all(), "relative to the root"
        assert (arrays["root"][present, 2] > 0.5).all(), "in front of the camera"
        height = np.ptp(arrays["joints"][present][..., 1], axis=1)
        assert 0.3 < np.median(height) < 2.5, "metres"


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
    motion = read_motion(out / "person_1.npz")
    assert motion.skeleton == H36M17


def test_csv_has_a_row_a_frame(out, summary):
    with open(out / "person_1.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == summary["people"][0]["frames"]
    for column in ("time_s", "interpolated", "root_x_m", "left_wrist_z_m"):
        assert column in rows[0]


def test_overlay_keeps_the_videos_pace(out):
    times = [frame.timestamp for frame in VideoReader(out / "overlay.mp4")]
    true = [frame.timestamp for frame in VideoReader(demo_video(), end=1.0)]
    np.testing.assert_allclose(times, true, atol=1e-3)


def test_a_second_run_leaves_nothing_of_the_first(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    lift(*QUICK, "--end", 0.6, "--out", tmp_path, "--quiet")
    assert (tmp_path / "overlay.mp4").exists()
    lift(*QUICK, "--end", 0.6, "--out", tmp_path, "--quiet", "--no-render", "--person", "1")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"person_1.npz", "person_1.json", "person_1.csv", "summary.json", "notes.txt"}


@pytest.mark.parametrize("name", ["summary.json", "person_7.csv", "overlay.mp4"])
def test_files_that_no_run_of_ours_wrote_are_not_overwritten(name, tmp_path, capsys):
    """Another program's summary.json is not believed, whatever it names."""
    (tmp_path / name).write_text('{"files": ["summary.json"], "people": []}')
    with pytest.raises(SystemExit) as left:
        lift(*QUICK, "--end", 0.4, "--out", tmp_path)
    assert left.value.code == 2
    message = f"{tmp_path / name} is not known to come from an earlier run and could be overwritten; move it, or"
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_that_our_own_summary_does_not_name_is_not_overwritten(tmp_path, capsys):
    lift(*QUICK, "--end", 0.4, "--out", tmp_path, "--quiet", "--no-render")
    (tmp_path / "overlay.mp4").write_text("mine")
    with pytest.raises(SystemExit):
        lift(*QUICK, "--end", 0.4, "--out", tmp_path)
    assert f"{tmp_path / 'overlay.mp4'} is not known" in capsys.readouterr().err
    assert (tmp_path / "overlay.mp4").read_text() == "mine"


@pytest.mark.parametrize("stopped", ["poselift.cli.results.write_sidecar", "poselift.cli.lift._render"])
def test_what_a_stopped_run_leaves_behind_is_accounted_for(stopped, tmp_path, monkeypatch):
    """Whenever it is stopped: its files are named before they are there, so that the next run may replace them."""
    module, name = stopped.rsplit(".", 1)
    write = getattr(sys.modules[module], name)

    def write_and_stop(*arguments, **more):
        write(*arguments, **more)
        raise RuntimeError("stopped")

    options = [*QUICK, "--end", 0.4, "--out", tmp_path, "--quiet"]
    with monkeypatch.context() as patch:
        patch.setattr(stopped, write_and_stop)
        with pytest.raises(RuntimeError, match="stopped"):
            lift(*options)
    left = {path.name for path in tmp_path.iterdir()}
    assert "person_1.npz" in left
    assert left - {"summary.json"} <= set(json.loads((tmp_path / "summary.json").read_text())["files"])
    lift(*options)
    names = {path.name for path in tmp_path.iterdir()} - {"summary.json"}
    assert names == set(json.loads((tmp_path / "summary.json").read_text())["files"])


def test_the_video_itself_is_not_overwritten(tmp_path, capsys):
    video = tmp_path / "overlay.mp4"
    video.write_bytes(demo_video().read_bytes())
    with pytest.raises(SystemExit) as left:
        lift(video, *QUICK, "--out", tmp_path)
    assert left.value.code == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert video.read_bytes() == demo_video().read_bytes()


@pytest.mark.parametrize("chosen", [[], ["--out", "results"]], ids=["default", "chosen"])
def test_the_results_of_another_video_are_not_replaced(chosen, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for day in ("monday", "tuesday"):
        (tmp_path / day).mkdir()
        (tmp_path / day / "clip.mp4").write_bytes(demo_video().read_bytes())
    options = [*QUICK, "--end", 0.4, "--quiet", "--no-render", *chosen]
    lift("monday/clip.mp4", *options)
    lift("monday/clip.mp4", *options)
    with pytest.raises(SystemExit) as left:
        lift("tuesday/clip.mp4", *options)
    assert left.value.code == 2
    assert "holds results of something else" in capsys.readouterr().err


def test_start_keeps_the_videos_own_time_and_odd_names_are_shown(tmp_path, capsys):
    video = tmp_path / "My dance [dQw4w9] :smile:.mp4"
    video.write_bytes(demo_video().read_bytes())
    out = tmp_path / "out [1]"
    lift(video, *QUICK, "--start", 1.0, "--end", 1.5, "--out", out)
    motion = read_motion(out / "person_1.npz")
    assert 1.0 <= motion.timestamps[0] < 1.2
    assert motion.timestamps[-1] < 1.5
    assert next(iter(VideoReader(out / "overlay.mp4"))).timestamp == 0
    assert f"Look at {out / 'overlay.mp4'}" in capsys.readouterr().out


def test_a_portrait_video_of_one_frame(tmp_path):
    frame = next(iter(VideoReader(demo_video())))
    write_video(tmp_path / "one.mp4", [np.ascontiguousarray(frame.image[:, 380:680])])
    lift(tmp_path / "one.mp4", "--out", tmp_path / "out", "--quiet")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["frames"] == 1


def test_camera_options_are_used_and_written(tmp_path):
    options = [*QUICK, "--end", 0.5, "--no-render", "--quiet"]
    lift(*options, "--out", tmp_path / "a", "--fov", 30)
    lift(*options, "--out", tmp_path / "b", "--intrinsics", "600,600,480,270")
    near, far = (read_motion(tmp_path / name / "person_1.npz").root[..., 2] for name in "ba")
    assert np.nanmedian(far) > 1.3 * np.nanmedian(near), "a narrow view is from far away"
    camera = json.loads((tmp_path / "a" / "person_1.json").read_text())["camera"]
    assert (camera["field_of_view"], round(camera["fov_degrees"])) == ("given", 30)


def test_feet_and_radii_where_the_weights_give_them(tmp_path, capsys):
    """28 joints from the weights that also give 17, the same where both have them; each with its uncertainty."""
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(
        LifterConfig(joint_dim=8, frame_dim=32, dim=32, heads=4, depth=1, skeleton_out="cmu28", uncertainty=True)
    )
    save_weights(tmp_path / "feet.safetensors", lifter, 24, {})
    save_weights(
        tmp_path / "bare.safetensors", SpatioTemporalLifter(LifterConfig(joint_dim=8, dim=32, depth=1, heads=4)), 24, {}
    )
    options = [*QUICK, "--end", 0.2, "--no-render", "--quiet", "--weights"]
    lift(*options, tmp_path / "feet.safetensors", "--out", tmp_path / "17")
    lift(*options, tmp_path / "feet.safetensors", "--out", tmp_path / "28", "--skeleton", "cmu28")
    few, many = (read_motion(tmp_path / name / "person_1.npz") for name in ("17", "28"))
    assert (few.skeleton, many.skeleton) == (H36M17, CMU28)
    shared = CMU28.indices(H36M17.joints)
    np.testing.assert_array_equal(few.joints, many.joints[:, shared])
    np.testing.assert_array_equal(few.uncertainty, many.uncertainty[:, shared])
    assert (many.uncertainty[:, 1:] > 0).all()
    with pytest.raises(SystemExit) as stopped:
        lift(*options, tmp_path / "bare.safetensors", "--out", tmp_path / "none", "--skeleton", "cmu28")
    assert stopped.value.code == 2
    assert "the weights bare give h36m17, without right_big_toe" in capsys.readouterr().err
    assert not (tmp_path / "none" / "person_1.npz").exists()


def test_weights_of_another_joint_set_give_what_they_have(tmp_path):
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(
        LifterConfig(joint_dim=8, frame_dim=32, dim=32, heads=4, depth=1, skeleton_out="coco17")
    )
    save_weights(tmp_path / "other.safetensors", lifter, 24, {})
    lift(*QUICK, "--end", 0.2, "--no-render", "--weights", tmp_path / "other.safetensors", "--out", tmp_path / "out")
    assert read_motion(tmp_path / "out" / "person_1.npz").skeleton.joints == COCO17.joints


def write_video(path, images):
    height, width = images[0].shape[:2]
    with VideoWriter(path, width, height) as writer:
        for index, image in enumerate(images):
            writer.write(image, index / 25)


def test_nobody_is_said_and_not_invented(tmp_path, capsys):
    noise = np.random.default_rng(0).integers(0, 80, (12, 240, 320, 3), np.uint8)
    write_video(tmp_path / "empty.mp4", list(noise))
    lift(tmp_path / "empty.mp4", *QUICK, "--out", tmp_path / "out")
    assert "Nobody was found" in capsys.readouterr().out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["people"], summary["files"], summary["frames"]) == ([], [], 12)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["summary.json"]


def test_a_truncated_video_is_lifted_as_far_as_it_goes(tmp_path, capsys):
    content = demo_video().read_bytes()
    (tmp_path / "cut.mp4").write_bytes(content[: len(content) // 4])
    lift(tmp_path / "cut.mp4", *QUICK, "--out", tmp_path / "out", "--no-render")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert 0 < summary["frames"] < 110
    assert any("ends early" in warning for warning in summary["warnings"])
    assert "ends early" in capsys.readouterr().out


BAD_INPUTS = {
    "no such file": ["DIR/nothing.mp4"],
    "not a video": ["DIR/text.mp4"],
    "an empty file": ["DIR/zero.mp4"],
    "a folder": ["DIR"],
    "unreadable weights": ["--weights", "DIR/bad.safetensors"],
    "unknown weights": ["--weights", "nonsense"],
    "unknown detector": ["--detector", "nonsense"],
    "unknown device": ["--device", "toaster"],
    "unknown option": ["--nonsense"],
    "a score above one": ["--threshold", "7"],
    "a field of view of 500": ["--fov", "500"],
    "intrinsics of two numbers": ["--intrinsics", "1,2"],
    "intrinsics that are no pixels": ["--intrinsics", "0.9,1.6,0.5,0.5"],
    "a field of view beside intrinsics": ["--intrinsics", "600,600,480,270", "--fov", "60"],
    "an output without a name": ["--out", ""],
    "an end before the start": ["--start", "3", "--end", "2"],
    "a start past the end": ["--start", "300"],
    "a person who is not there": [*QUICK, "--end", "0.5", "--person", "99"],
    "an output that is a file": [*QUICK, "--end", "0.4", "--out", "DIR/zero.mp4"],
}
"""Arguments by what is wrong with them; DIR is the test's folder."""


@pytest.mark.parametrize("case", BAD_INPUTS)
def test_bad_input_is_one_line_and_exit_code_2(case, tmp_path, capsys):
    (tmp_path / "text.mp4").write_text("this is not a video")
    (tmp_path / "zero.mp4").write_bytes(b"")
    (tmp_path / "bad.safetensors").write_bytes(b"nonsense")
    (tmp_path / "bad.json").write_text("{}")
    arguments = [argument.replace("DIR", str(tmp_path)) for argument in BAD_INPUTS[case]]
    if "--out" not in arguments:
        arguments = [*arguments, "--out", tmp_path / "out"]
    with pytest.raises(SystemExit) as left:
        lift(*arguments, "--quiet")
    assert left.value.code == 2
    message = capsys.readouterr().err
    assert message.startswith("error: ")
    assert message.count("\n") == 1
    assert not (tmp_path / "out" / "summary.json").exists()


def test_audio_only_files_say_so(tmp_path, capsys):
    with av.open(str(tmp_path / "sound.mp4"), "w") as container:
        stream = container.add_stream("aac", rate=16000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 16000), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 16000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(SystemExit) as left:
        lift(tmp_path / "sound.mp4", "--out", tmp_path / "out")
    assert left.value.code == 2
    assert "sound.mp4" in capsys.readouterr().err


def test_help_and_the_script():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "lift_video.py"), "--help"], capture_output=True, text=True, check=True
    )
    for option in ("--out", "--detector", "--weights", "--device", "--fov", "--person", "--no-render", "--quiet"):
        assert option in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--people", "9", "video.mp4"], "there is no --people"),
        (["a.mp4", "b.mp4"], "b.mp4 is too much"),
    ],
)
def test_what_a_command_does_not_know_is_named_with_its_help(arguments, message, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["lift", *arguments])
    assert stopped.value.code == 2
    assert capsys.readouterr().err == f"error: {message}; see poselift lift --help\n"
