import json

import numpy as np
import pytest

from poselift.cli.main import main
from poselift.export import read_motion
from poselift.lifting.height import SPREAD, estimate_height

QUICK = ["--detector", "movenet-fast", "--no-flip", "--end", "0.4", "--no-render", "--quiet"]


def lift(*arguments):
    main(["lift", *QUICK, *map(str, arguments)])


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    lift("--out", folder)
    return folder


def height(folder, person):
    return json.loads((folder / f"person_{person}.json").read_text())["height"]


def test_heights_are_estimated_with_their_spread(plain):
    for person in (1, 2):
        motion = read_motion(plain / f"person_{person}.npz")
        told = height(plain, person)
        assert told["source"] == "estimated"
        assert 1.3 < told["metres"] < 2.0
        assert told["metres"] == pytest.approx(estimate_height(motion.joints, motion.skeleton).metres, rel=1e-4)
        assert told["spread"] == pytest.approx(SPREAD * told["metres"])


def test_a_given_height_scales_that_person_only(plain, tmp_path):
    lift("--out", tmp_path, "--height", "2:1.2")
    assert height(tmp_path, 2) == {"metres": 1.2, "spread": 0.0, "source": "given"}
    assert height(tmp_path, 1) == height(plain, 1)
    scale = 1.2 / height(plain, 2)["metres"]
    before, after = (read_motion(folder / "person_2.npz") for folder in (plain, tmp_path))
    np.testing.assert_allclose(after.joints, scale * before.joints, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(after.root, scale * before.root, rtol=1e-3)


def test_one_height_for_all(tmp_path):
    lift("--out", tmp_path, "--height", 1.82)
    assert {height(tmp_path, person)["metres"] for person in (1, 2)} == {1.82}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("182", "0.5 to 2.5 metres"),
        ("1:1.8,2:0.3", "0.5 to 2.5 metres"),
        ("tall", "not a height in metres"),
        ("1:1.8,2", "not a height in metres"),
        ("1:1.8,1:1.7", "two heights"),
        ("nan", "0.5 to 2.5 metres"),
        ("9:1.8", "no person 9"),
    ],
)
def test_heights_that_make_no_sense(given, message, tmp_path, capsys):
    with pytest.raises(SystemExit) as left:
        lift("--out", tmp_path / "out", "--end", "0.2", "--height", given)
    assert left.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert message in error
    assert not (tmp_path / "out" / "summary.json").exists()


def test_a_height_of_somebody_who_is_not_chosen(tmp_path, capsys):
    with pytest.raises(SystemExit):
        lift("--out", tmp_path / "out", "--end", "0.2", "--person", 1, "--height", "1:1.8,2:1.7")
    assert "a height is given for person 2, who is not chosen" in capsys.readouterr().err
