import pytest

from poselift.export import read_motion
from tests.cli.running import poselift


@pytest.fixture(scope="module")
def person(stored, tmp_path_factory):
    """A motion that `poselift lift` wrote."""
    folder = tmp_path_factory.mktemp("export") / "walk"
    stored.lift("--out", folder, "--no-render")
    return folder / "person_1.npz"


def test_each_named_format_is_written(person, tmp_path):
    ran = poselift("export", person, "--to", "trc,mot,bvh,angles,csv", "--out", tmp_path / "new")
    assert ran.code == 0, ran.err
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert names == {f"person_1.{ending}" for ending in ("trc", "mot", "bvh", "angles.csv", "csv")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "tcr"], "did you mean 'trc'"),
        (["--to", ","], "name a format"),
        (["--to", "trc", "--out", __file__], "not a folder"),
    ],
)
def test_bad_options_are_one_line(person, arguments, message):
    ran = poselift("export", person, *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_two_motions_of_one_name_do_not_overwrite_each_other(person, tmp_path):
    ran = poselift("export", person, person, "--to", "trc", "--out", tmp_path)
    assert ran.code == 2
    assert "two folders" in ran.err


def test_a_motion_is_smoothed(person, tmp_path):
    out = tmp_path / "smooth.npz"
    ran = poselift("smooth", person, "--cutoff", "4", "--out", out)
    assert ran.code == 0, ran.err
    assert len(read_motion(out)) == len(read_motion(person))
    assert "cutoff_hz" in out.with_suffix(".json").read_text()
    assert poselift("smooth", person, "--cutoff", "4", "--out", person).code == 2
