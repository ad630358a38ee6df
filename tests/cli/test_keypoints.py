"""`poselift lift --keypoints`: from somebody else's 2D to all the files."""

import json

import numpy as np
import pytest

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.recordings import read_motion
from poselift.skeleton import COCO17, convert
from poselift.video import VideoReader, VideoWriter
from tests.cli.running import assert_refused, poselift
from tests.keypoints.writers import Person, openpose, poselift_npz

pytestmark = pytest.mark.slow

SIZE = (640, 480)


def lift(*arguments):
    ran = poselift("lift", *arguments)
    assert ran.code == 0, ran.err
    return ran


@pytest.fixture(scope="module")
def clip():
    """Somebody who walks, for a second at 25 frames."""
    view = render_views(synthetic_corpus(1, 25, seed=3), seed=4)[0]
    points = convert(view.keypoints.double().numpy(), view.keypoint_skeleton, COCO17).values
    points = points * np.array(SIZE) / view.image_size.numpy()
    return [[Person(p, np.where(np.isfinite(p).all(-1), 0.9, 0.0), 4)] for p in points]


@pytest.fixture
def folder(tmp_path, clip):
    return openpose(tmp_path / "walk", clip, COCO17, SIZE, 25.0)


@pytest.fixture
def video(tmp_path):
    path = tmp_path / "walk.mp4"
    with VideoWriter(path, *SIZE) as writer:
        for index in range(25):
            writer.write(np.full((480, 640, 3), 200, np.uint8), index / 20)
    return path


def test_without_a_video_the_2d_is_drawn_on_blank_pictures(folder, tmp_path):
    out = tmp_path / "out"
    ran = lift("--keypoints", folder, "--fps", 25, "--size", "640x480", "--out", out, "--no-flip")
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["keypoints_file"], summary["path"], "video" in summary) == ("walk", str(folder), False)
    assert (summary["width"], summary["height"], summary["fps"], summary["frames"]) == (640, 480, 25.0, 25)
    assert summary["weights"]["detector"] == {"name": "openpose", "sha256": {}}
    assert [person["id"] for person in summary["people"]] == [4]
    assert "1 person in 25 frames" in ran.out
    assert "overlay.mp4 (2D on blank pictures, because --video is not given)" in ran.out
    motion = read_motion(out / "person_4.npz")
    assert np.isfinite(motion.joints).all()
    np.testing.assert_allclose(motion.timestamps, np.arange(25) / 25)
    assert json.loads((out / "person_4.json").read_text())["keypoints"]["joints"] == list(COCO17.joints)
    frames = list(VideoReader(out / "overlay.mp4"))
    assert len(frames) == 25
    picture = frames[12].image[:480, :640].astype(int)
    assert (np.abs(picture - 40).max(-1) < 12).mean() > 0.5, "mostly blank"
    assert (np.abs(picture - 40).max(-1) > 60).any(), "with somebody on it"


def test_with_a_video_the_times_and_pictures_are_its(folder, video, tmp_path):
    out = tmp_path / "out"
    lift("--keypoints", folder, "--video", video, "--end", 0.99, "--out", out, "--no-flip", "--quiet")
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["keypoints_file"], summary["video"], summary["frames"]) == ("walk", "walk.mp4", 20)
    np.testing.assert_allclose(read_motion(out / "person_4.npz").timestamps, np.arange(20) / 20, atol=1e-3)
    first = next(iter(VideoReader(out / "overlay.mp4"))).image
    assert np.median(first[:480, :640]) > 180


def test_the_result_can_be_lifted_again(tmp_path, clip):
    earlier = poselift_npz(tmp_path / "earlier", clip, COCO17, SIZE, 25.0)
    lift("--keypoints", earlier, "--out", tmp_path / "out", "--no-flip", "--no-render", "--quiet")
    assert read_motion(tmp_path / "out" / "person_4.npz").keypoints.image_size == SIZE


def test_a_mirror_image_is_mirrored_back_in_all_files(folder, tmp_path):
    video = tmp_path / "walk.mp4"
    with VideoWriter(video, *SIZE) as writer:
        for index in range(25):
            picture = np.full((480, 640, 3), 30, np.uint8)
            picture[:, :100] = 250  # a bright stripe on the left
            writer.write(picture, index / 25)
    known = "--video", video, "--weights", "tiny", "--no-flip", "--quiet"
    lift("--keypoints", folder, *known, "--out", tmp_path / "plain", "--no-render")
    lift("--keypoints", folder, *known, "--mirrored", "--formats", "html", "--out", tmp_path / "out")
    plain, back = (read_motion(tmp_path / name / "person_4.npz").keypoints for name in ("plain", "out"))
    left, right = (COCO17.index(f"{side}_wrist") for side in ("left", "right"))
    np.testing.assert_allclose(back.keypoints[:, left, 0], 639 - plain.keypoints[:, right, 0], atol=1e-3)
    np.testing.assert_allclose(back.keypoints[:, left, 1], plain.keypoints[:, right, 1], atol=1e-3)
    for name in ("person_4.json", "summary.json"):
        assert json.loads((tmp_path / "out" / name).read_text())["mirrored"] is True
        assert "mirrored" not in json.loads((tmp_path / "plain" / name).read_text())
    overlay = next(iter(VideoReader(tmp_path / "out" / "overlay.mp4"))).image
    assert (overlay[5:60, 560:630].mean() > 200, overlay[5:60, 5:90].mean() < 60) == (True, True)
    poselift("view", tmp_path / "out", "--out", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == (tmp_path / "out" / "page.html").read_text()
    assert_refused("the editor shows the video as it is: mirror the video itself", "edit", tmp_path / "out")
    lift("--keypoints", tmp_path / "out", *known, "--out", tmp_path / "again", "--no-render")
    again = read_motion(tmp_path / "again" / "person_4.npz").keypoints
    np.testing.assert_array_equal(again.keypoints, back.keypoints)
    assert json.loads((tmp_path / "again" / "summary.json").read_text())["mirrored"] is True


def test_slow_motion_has_one_clock_in_all_files(folder, video, tmp_path):
    out = tmp_path / "out"
    known = "--keypoints", folder, "--video", video, "--weights", "tiny", "--no-flip", "--quiet"
    lift(*known, "--fps", 200, "--start", 0.05, "--formats", "html,bvh", "--out", out)
    motion, about = read_motion(out / "person_4.npz"), json.loads((out / "person_4.json").read_text())
    np.testing.assert_allclose(motion.timestamps, np.arange(10, 25) / 200, atol=1e-6)
    assert (about["video_fps"], about["start_s"]) == (200, pytest.approx(0.05))
    overlay = [frame.timestamp for frame in VideoReader(out / "overlay.mp4")]
    np.testing.assert_allclose(overlay, np.arange(15) / 200, atol=1e-3)
    rows = (out / "person_4.csv").read_text().splitlines()[1:]
    np.testing.assert_allclose([float(row.split(",")[0]) for row in rows], np.arange(15) / 200, atol=1e-6)
    assert "Frames: 15\n" in (out / "person_4.bvh").read_text()
    poselift("view", out, "--out", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == (out / "page.html").read_text()


def test_exports_of_a_span_begin_with_it(folder, tmp_path):
    out = tmp_path / "out"
    known = "--keypoints", folder, "--size", "640x480", "--weights", "tiny", "--no-flip", "--quiet", "--no-render"
    lift(*known, "--fps", 25, "--start", 0.4, "--formats", "trc", "--out", out)
    poselift("export", out / "person_4.npz", "--to", "trc,csv", "--out", tmp_path)
    for name in ("person_4.trc", "person_4.csv"):
        assert (tmp_path / name).read_bytes() == (out / name).read_bytes()
    assert (out / "person_4.trc").read_text().splitlines()[6].split("\t")[:2] == ["1", "0.000000"]


@pytest.mark.parametrize("way", ["earlier/../earlier", "earlier"])
def test_what_is_lifted_is_not_overwritten_by_another_way(way, tmp_path, clip):
    """Neither a file nor a link to it."""
    earlier = poselift_npz(tmp_path / "earlier", clip, COCO17, SIZE, 25.0)
    (tmp_path / "linked.npz").symlink_to(earlier / "person_4.npz")
    before = (earlier / "person_4.npz").read_bytes()
    given = tmp_path / "linked.npz" if way == "earlier" else earlier / "person_4.npz"
    assert_refused(f"{given} would be overwritten", "lift", "--keypoints", given, "--out", tmp_path / way)
    assert (earlier / "person_4.npz").read_bytes() == before
    (tmp_path / "out").mkdir()
    linked = tmp_path / "out" / "person_4.npz"  # as a store of large files leaves it in the place of results
    linked.symlink_to(earlier / "person_4.npz")
    assert_refused("would be overwritten", "lift", "--keypoints", linked, "--out", tmp_path / "out")
    assert linked.is_symlink()


def test_the_default_folder_is_taken_again_by_another_way(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for given in (folder, folder / ".." / folder.name):
        lift("--keypoints", given, "--fps", 25, "--size", "640x480", "--no-flip", "--no-render", "--quiet")
    assert (tmp_path / "poselift_out" / "walk" / "person_4.npz").is_file()
