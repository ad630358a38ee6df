import base64
import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.viz.page import PageContent, write_page
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
