import json
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from poselift.recordings import read_motion, write_npz
from poselift.video import VideoReader, VideoWriter
from tests.cli.running import assert_refused, poselift


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "ending", "start"),
    [
        ("skeleton", "pdf", b"%PDF"),
        ("strip", "svg", b"<?xml"),
        ("time", "png", b"\x89PNG"),
        ("angles", "svg", b"<?xml"),
    ],
)
def test_each_kind_is_drawn_in_the_format_of_the_name(kind, ending, start, walk, tmp_path):
    pages = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for page in pages:
        ran = poselift("figure", walk / "person_1.npz", "--kind", kind, "--out", page)
        assert ran.code == 0, ran.err
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert pages[0].read_bytes().startswith(start)


@pytest.fixture
def drawn(monkeypatch):
    """What the plots were asked to draw: a list for each figure."""
    given = []
    for plot in ("pose.pose_plot", "strip.strip_plot", "joint_time.joint_plot"):
        monkeypatch.setattr(f"poselift.viz.plots.{plot}", lambda *asked: given.append(asked) or Figure())
    return given


def test_the_error_against_a_reference(walk, tmp_path, drawn):
    smooth = tmp_path / "smooth.npz"
    poselift("smooth", walk / "person_1.npz", "--cutoff", "4", "--out", smooth)
    options = ["--kind", "time", "--joint", "left_wrist", "--reference", smooth]
    ran = poselift("figure", walk / "person_1.npz", *options, "--out", tmp_path / "error.svg")
    assert ran.code == 0, ran.err
    ((motion, joints, _, reference, _),) = drawn
    assert joints == ["left_wrist"]
    assert np.array_equal(motion.joints, read_motion(walk / "person_1.npz").joints)
    assert np.array_equal(reference.joints, read_motion(smooth).joints)


@pytest.mark.parametrize("command", ["figure", "view"])
def test_a_damaged_camera_is_an_error_of_one_line(command, walk, tmp_path):
    camera = {"K": [[500, 0, 320], [0, 500, 240], [0, 0, 1]], "image_size": 640}
    other = tmp_path / "walk"
    shutil.copytree(walk, other)
    sidecar = other / "person_1.json"
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {"camera": camera}))
    options = {"figure": [other / "person_1.npz", "--kind", "strip"], "view": [other]}
    out = tmp_path / {"figure": "a.pdf", "view": "a.html"}[command]
    assert_refused("is damaged", command, *options[command], "--out", out)
    assert not out.exists()


@pytest.mark.parametrize(
    "summary", [{"start_s": "now"}, {"end_s": "now"}, {"video": "/"}, {"frames": []}, {"warnings": 5}, {"path": 7}]
)
def test_a_damaged_summary_gives_no_traceback(summary, walk, tmp_path):
    other = tmp_path / "walk"
    shutil.copytree(walk, other)
    path = other / "summary.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | summary))
    ran = poselift("view", other, "--out", tmp_path / "a.html")
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("start", [0, 2])
def test_the_bodies_of_a_strip_are_on_the_picture_of_their_frame(start, walk, tmp_path, drawn):
    """Moments count from the first frame of the run, such as of --start."""
    fps = 240
    times, npz = np.arange(12) / fps, tmp_path / "person_1.npz"
    motion = read_motion(walk / "person_1.npz")
    write_npz(npz, replace(motion, timestamps=times)[start:])
    about = json.loads((walk / "person_1.json").read_text()) | {"start_s": start / fps}
    npz.with_suffix(".json").write_text(json.dumps(about))
    with VideoWriter(tmp_path / "grey.mp4", 640, 480) as writer:
        for frame, time in enumerate(times):
            writer.write(np.full((480, 640, 3), 20 * frame, np.uint8), time)
    at = ",".join(str((frame - start) / fps) for frame in (2.4, 4.6, 7))
    options = ["--kind", "strip", "--at", at, "--video", tmp_path / "grey.mp4", "--out", tmp_path / "a.png"]
    ran = poselift("figure", npz, *options)
    assert ran.code == 0, ran.err
    ((_, moments, pictures, _),) = drawn
    assert [round(time * fps, 6) + start for time in moments] == [2, 5, 7]
    assert [round(picture.mean() / 20) for picture in pictures] == [2, 5, 7]


@pytest.mark.slow
def test_without_matplotlib_the_error_names_the_extra(walk, tmp_path):
    code = "import sys; sys.modules['matplotlib'] = None; from poselift.cli.main import main; main(sys.argv[1:])"
    figure = ["figure", walk / "person_1.npz", "--kind", "angles", "--out", tmp_path / "a.pdf"]
    done = subprocess.run([sys.executable, "-c", code, *map(str, figure)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: matplotlib is not installed; run: pip install 'poselift[plots]'\n"


def test_the_video_has_bodies_and_angles_on_the_frames_of_the_motion(walk, tmp_path):
    about = json.loads((walk / "person_1.json").read_text())
    times = read_motion(walk / "person_1.npz").timestamps
    with VideoWriter(tmp_path / "grey.mp4", *about["camera"]["image_size"]) as writer:
        for time in [*times, times[-1] + 1]:
            writer.write(np.full((*about["camera"]["image_size"][::-1], 3), 128, np.uint8), time)
    out = tmp_path / "angles.mp4"
    ran = poselift("figure", walk, "--kind", "video", "--video", tmp_path / "grey.mp4", "--out", out)
    assert ran.code == 0, ran.err
    frames = list(VideoReader(out))
    assert [round(frame.timestamp, 3) for frame in frames] == [round(float(time), 3) for time in times]
    assert (np.abs(frames[5].image[:, :640].astype(int) - 128).max(-1) > 60).sum() > 3000


def test_a_video_needs_its_pictures_and_one_result(walk, tmp_path):
    options = ["--kind", "video", "--out", tmp_path / "a.mp4"]
    assert_refused("give it with --video", "figure", walk, *options)
    assert_refused("ends in .mp4", "figure", walk, "--kind", "video", "--out", tmp_path / "a.pdf")
    other = tmp_path / "other"
    shutil.copytree(walk, other)
    assert_refused("of several folders", "figure", walk, other, *options)
