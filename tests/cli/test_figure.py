import pytest

from poselift.samples import demo_video
from tests.cli.running import poselift


@pytest.fixture(scope="module")
def folder(stored, tmp_path_factory):
    """Two motions that `poselift lift` wrote."""
    folder = tmp_path_factory.mktemp("figures") / "walk"
    stored.lift("--out", folder, "--no-render")
    return folder


@pytest.mark.parametrize(
    ("kind", "ending", "start"),
    [
        ("skeleton", "pdf", b"%PDF"),
        ("strip", "svg", b"<?xml"),
        ("time", "png", b"\x89PNG"),
        ("angles", "svg", b"<?xml"),
    ],
)
def test_each_kind_is_drawn_in_the_format_of_the_name(kind, ending, start, folder, tmp_path):
    pages = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for page in pages:
        ran = poselift("figure", folder / "person_1.npz", "--kind", kind, "--out", page)
        assert ran.code == 0, ran.err
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert pages[0].read_bytes().startswith(start)


def test_everybody_at_chosen_moments(folder, tmp_path):
    people = folder / "person_1.npz", folder / "person_2.npz"
    ran = poselift("figure", *people, "--kind", "skeleton", "--at", "0.04,0.4", "--out", tmp_path / "two.svg")
    assert ran.code == 0, ran.err


def test_the_error_against_a_reference(folder, tmp_path):
    smooth = tmp_path / "smooth.npz"
    poselift("smooth", folder / "person_1.npz", "--cutoff", "4", "--out", smooth)
    options = ["--kind", "time", "--joint", "left_wrist", "--reference", smooth]
    ran = poselift("figure", folder / "person_1.npz", *options, "--out", tmp_path / "error.svg")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kind", "skeleton", "--out", "a.jpg"], "ends in .pdf, .svg, .png"),
        (["--kind", "skeleton", "--out", "a.pdf", "--at", "99"], "nobody has a pose then; choose from 0.00 to"),
        (["--kind", "skeleton", "--out", "a.pdf", "--at", "now"], "is not a list of seconds"),
        (["--kind", "time", "--out", "a.pdf", "--joint", "knee"], "did you mean 'right_knee', 'left_knee'"),
        (["--kind", "strip", "--out", "a.pdf", "--video", demo_video()], "960x540, not 640x480"),
    ],
)
def test_errors_take_one_line_and_leave_no_file(arguments, message, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = poselift("figure", folder / "person_1.npz", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_curves_are_of_one_person(folder, tmp_path):
    people = folder / "person_1.npz", folder / "person_2.npz"
    ran = poselift("figure", *people, "--kind", "angles", "--out", tmp_path / "a.pdf")
    assert ran.code == 2
    assert "one person" in ran.err
