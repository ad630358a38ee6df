import json
import shutil

import numpy as np
import pytest

from poselift.cli.view import write_page_of_people
from poselift.recordings.reading import find_people, find_video
from poselift.samples import demo_video
from poselift.video import VideoWriter
from tests.cli.running import assert_refused, emptied, poselift


@pytest.fixture
def results(walk, tmp_path):
    """A copy of what `poselift lift` wrote of keypoints, without a video."""
    return shutil.copytree(walk, tmp_path / "walk")


def test_the_page_lies_beside_the_folder(results, stored):
    ran = poselift("view", results)
    assert ran.code == 0, ran.err
    assert f"Open {results}.html" in ran.out
    assert f"<title>{stored.path.name}</title>" in results.with_name("walk.html").read_text("utf-8")
    assert poselift("view", results, "--out", results.with_name("other.htm")).code == 0


@pytest.mark.slow
def test_the_video_is_found_where_it_was_or_given(results, tmp_path):
    summary = results / "summary.json"
    assert find_video(results) is None
    summary.write_text(json.dumps({"video": demo_video().name, "path": str(demo_video())}))
    assert find_video(results) == demo_video()
    summary.write_text(json.dumps({"video": "gone.mp4", "path": str(tmp_path / "gone.mp4")}))
    ran = poselift("view", results, "--out", tmp_path / "without.html")
    assert "--video FILE" in ran.out
    with VideoWriter(tmp_path / "walk.mp4", 640, 480) as writer:
        for index in range(50):
            writer.write(np.random.default_rng(index).integers(0, 255, (480, 640, 3), np.uint8), index / 25)
    given = poselift("view", results, "--out", tmp_path / "with.html", "--video", tmp_path / "walk.mp4")
    assert given.code == 0, given.err
    assert (tmp_path / "with.html").stat().st_size > (tmp_path / "without.html").stat().st_size + 50_000
    for command in ("view", "edit"):
        assert_refused("960x540, not 640x480; give the video that was", command, results, "--video", demo_video())
    summary.write_text("no JSON")
    assert find_video(results) is None


@pytest.mark.slow
def test_a_copy_of_another_size_is_shown_and_a_found_video_of_another_shape_left_out(results, tmp_path):
    for name, height in (("half.mp4", 240), ("wide.mp4", 180)):
        with VideoWriter(tmp_path / name, 320, height) as writer:
            for index in range(50):
                writer.write(np.full((height, 320, 3), index, np.uint8), index / 25)
    half = poselift("view", results, "--video", tmp_path / "half.mp4")
    assert (half.code, half.err) == (0, "")
    assert len((tmp_path / "walk.html").read_text("utf-8").partition('id="film64">')[2].partition("<")[0]) > 1000
    for command in (["edit"], ["view", "--correct"]):
        assert_refused("320x240, not 640x480", *command, results, "--video", tmp_path / "half.mp4")
    (results / "summary.json").write_text(json.dumps({"video": "wide.mp4"}))
    found = poselift("view", results, "--out", tmp_path / "without.html")
    assert found.code == 0, found.err
    assert f"warning: the page has no video: {tmp_path / 'wide.mp4'} has pictures of 320x180, not 640x480" in found.out
    assert 'id="film64"><' in (tmp_path / "without.html").read_text("utf-8")


def test_each_person_is_shown_once(results, walk, tmp_path):
    assert poselift("smooth", results / "person_1.npz", "--cutoff", "3").code == 0
    pages = [tmp_path / "before.html", tmp_path / "after.html"]
    for folder, page in zip((walk, results), pages, strict=True):
        assert poselift("view", folder, "--out", page).code == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()
    both = [results / "person_1.npz", results / "person_1_smooth.npz"]
    assert_refused("each person once", "export", *both, "--to", "html", "--out", tmp_path)


def test_somebody_without_a_pose_does_not_hide_the_others(results, tmp_path):
    emptied(results / "person_2.npz")
    ran = poselift("view", results)
    assert ran.code == 0, ran.err
    emptied(results / "person_1.npz")
    assert_refused("all frames of the motions are empty", "view", results, "--out", tmp_path / "nobody.html")


@pytest.mark.parametrize(("most", "people"), [(None, {1, 2}), (10, set())])
def test_a_page_holds_characters_that_are_not_too_large(most, people, walk, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("poselift.cli.view.write_page", lambda out, motions, view, *_: shown.append(view) or [])
    if most:
        monkeypatch.setattr("poselift.cli.view._MOST_BYTES", most)
    write_page_of_people(find_people(walk), tmp_path / "page.html")
    assert set(shown[0].files) == people
