import json
import shutil

import pytest

from poselift.cli.read_results import find_video
from poselift.samples import demo_video
from tests.cli.running import emptied, poselift


@pytest.fixture(scope="module")
def results(stored, tmp_path_factory):
    """A folder that `poselift lift` wrote, of keypoints without a video."""
    folder = tmp_path_factory.mktemp("results") / "walk"
    stored.lift("--out", folder, "--no-render")
    return folder


def test_the_page_lies_beside_the_folder(results, stored):
    ran = poselift("view", results)
    assert ran.code == 0, ran.err
    assert f"Open {results}.html" in ran.out
    assert f"<title>{stored.path.name}</title>" in results.with_name("walk.html").read_text("utf-8")
    assert poselift("view", results, "--out", results.with_name("other.htm")).code == 0


def test_the_video_is_found_where_it_was_or_given(results, tmp_path):
    summary = results / "summary.json"
    before = summary.read_text("utf-8")
    try:
        assert find_video(results) is None
        summary.write_text(json.dumps({"video": demo_video().name, "path": str(demo_video())}))
        assert find_video(results) == demo_video()
        summary.write_text(json.dumps({"video": "gone.mp4", "path": str(tmp_path / "gone.mp4")}))
        ran = poselift("view", results, "--out", tmp_path / "without.html")
        assert "--video FILE" in ran.out
        given = poselift("view", results, "--out", tmp_path / "with.html", "--video", demo_video())
        assert given.code == 0, given.err
        assert (tmp_path / "with.html").stat().st_size > (tmp_path / "without.html").stat().st_size + 50_000
        summary.write_text("no JSON")
        assert find_video(results) is None
    finally:
        summary.write_text(before)


def test_each_person_is_shown_once(results, tmp_path):
    assert poselift("smooth", results / "person_1.npz", "--cutoff", "3").code == 0
    smooth = results / "person_1_smooth.npz"
    try:
        before, after = tmp_path / "before.html", tmp_path / "after.html"
        assert poselift("view", results, "--out", after).code == 0
        ran = poselift("export", results / "person_1.npz", smooth, "--to", "html", "--out", tmp_path)
        assert ran.code == 2
        assert "each person once" in ran.err
    finally:
        smooth.unlink()
        smooth.with_suffix(".json").unlink()
    poselift("view", results, "--out", before)
    assert before.read_bytes() == after.read_bytes()


def test_somebody_without_a_pose_does_not_hide_the_others(results, tmp_path):
    folder = tmp_path / "walk"
    shutil.copytree(results, folder)
    emptied(folder / "person_2.npz")
    ran = poselift("view", folder)
    assert ran.code == 0, ran.err
    emptied(folder / "person_1.npz")
    ran = poselift("view", folder, "--out", tmp_path / "nobody.html")
    assert ran.code == 2
    assert "all frames of the motions are empty" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{tmp}/none"], "is not a folder"),
        (["{tmp}"], r"has no person_"),
        (["{tmp}", "--out", "page.pdf"], "ends in .html"),
    ],
)
def test_errors_take_one_line(arguments, message, tmp_path):
    ran = poselift("view", *(argument.format(tmp=tmp_path) for argument in arguments))
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""
    assert list(tmp_path.iterdir()) == []
