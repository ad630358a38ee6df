import json

import pytest

from poselift.export import read_motion
from poselift.kinematics.height import SPREAD, estimate_height


@pytest.fixture(scope="module")
def plain(stored, tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    stored.lift("--out", folder, "--no-render")
    return folder


def height(folder, person):
    return json.loads((folder / f"person_{person}.json").read_text())["height"]


def test_heights_are_estimated_with_their_spread(plain):
    for person in (1, 2):
        motion = read_motion(plain / f"person_{person}.npz")
        told = height(plain, person)
        assert told["origin"] == "estimated"
        assert 1.0 < told["metres"] < 2.2
        assert told["metres"] == pytest.approx(estimate_height(motion.joints, motion.skeleton).metres, rel=1e-4)
        assert told["spread"] == pytest.approx(SPREAD * told["metres"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["1:1.8,2:0.3"], "0.5 to 2.5 metres"),
        (["1:1.8,2"], "is not a height"),
        (["1:1.8,1:1.7"], "two heights"),
        (["9:1.8"], "no person 9"),
    ],
)
def test_heights_that_make_no_sense(options, message, stored, tmp_path, capsys):
    with pytest.raises(SystemExit) as left:
        stored.lift("--out", tmp_path / "out", "--height", *options)
    assert left.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert message in error
    assert not (tmp_path / "out" / "summary.json").exists()
