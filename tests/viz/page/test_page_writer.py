import base64
import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.viz.page import PageContent, PageView, write_page
from poselift.viz.page.page_content import encode
from tests.viz.page.conftest import CAMERA

VIEW = PageContent("clip", CAMERA)


def test_it_is_small_and_always_the_same(tmp_path, people):
    """A minute of 17 joints takes less than half of a float32 npz."""
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for page in pages:
        write_page(page, people, VIEW)
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert pages[0].stat().st_size < 120_000


def test_only_its_own_script_may_run(tmp_path, people):
    write_page(tmp_path / "page.html", people, VIEW)
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "script-src 'sha256-" in text
    assert "default-src 'none'" in text
    assert text.count("<script>") == 1
    assert "http" not in text.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one, other: [], "no motion to show"),
        (lambda one, other: [one, replace(other, frame="world")], "lift all in one run"),
        (lambda one, other: [replace(one, joints=np.full_like(one.joints, np.nan))], "all frames .* empty"),
        (lambda one, other: [one, replace(other, timestamps=other.timestamps + 9e9)], "too far apart for one clip"),
        (lambda one, other: [one, other, one], "two motions are of the same person"),
        (lambda one, other: [one, other], r"gone\.mp4"),
    ],
)
def test_what_cannot_be_shown_leaves_no_file(tmp_path, people, change, message):
    with pytest.raises(InputError, match=message):
        write_page(tmp_path / "page.html", change(*people), VIEW, tmp_path / "gone.mp4")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("last", "step"), [(2000.0, 1e-6), (10_800.0, 1e-5)])
def test_the_times_of_hours_are_right_from_the_first_frame_on(people, last, step):
    start = 60.0
    times = np.array([0.0, 0.04, last - 0.04, last])
    content = gzip.decompress(base64.b64decode(encode(people, VIEW, start + times, {}, start)))
    header, _, body = content.partition(b"\n")
    _, [count], scale = json.loads(header)["arrays"][0]
    changes = np.frombuffer(body[: 4 * count], np.uint8).reshape(4, count).T.copy().view("<i4")[:, 0]
    np.testing.assert_allclose(changes.cumsum() / scale, times, rtol=0, atol=step)


def test_one_frame_is_enough(tmp_path, make_motion):
    write_page(tmp_path / "page.html", [make_motion(frames=1)], VIEW)
    assert (tmp_path / "page.html").exists()


def test_further_videos_have_their_camera_and_their_time(tmp_path, people, clip):
    world = [replace(motion, frame="world") for motion in people]
    camera = {**CAMERA, "R": np.eye(3), "t": [0.5, 1.0, 3.0]}
    # The second video started 0.2 s before the first one, so its first pictures are left out.
    view = PageContent("two", camera, views=[PageView("left", {**camera, "t": [0, 1, 4]}, clip, -0.2, 1e-4)])
    assert write_page(tmp_path / "page.html", world, view, clip) == [tmp_path / "page.html"]
    text = (tmp_path / "page.html").read_text("utf-8")
    videos = text.partition('id="film64">')[2].partition("<")[0].split("\n")
    assert [base64.b64decode(video)[4:8] for video in videos] == [b"ftyp", b"ftyp"]
    content = gzip.decompress(base64.b64decode(text.partition('id="content">')[2].partition("<")[0]))
    (other,) = json.loads(content.partition(b"\n")[0])["views"]
    assert (other["name"], other["camera"]["t"], other["size"]) == ("left", [0, 1, 4], list(CAMERA["image_size"]))
    assert other["video"]["start"] == pytest.approx(0.0, abs=0.001)
    assert other["video"]["rate"] == pytest.approx(1.0001)


def test_a_large_further_video_stays_beside_the_page(tmp_path, people, clip, monkeypatch):
    monkeypatch.setattr("poselift.viz.page.page_video.EMBEDDED", 1000)
    camera = {**CAMERA, "R": np.eye(3), "t": [0.5, 1.0, 3.0]}
    view = PageContent("two", camera, views=[PageView("left", camera, clip)])
    written = write_page(tmp_path / "page.html", [replace(motion, frame="world") for motion in people], view, clip)
    assert [path.name for path in written] == ["page.html", "page_video.mp4", "page_video_2.mp4"]
    assert all(path.stat().st_size > 1000 for path in written)
