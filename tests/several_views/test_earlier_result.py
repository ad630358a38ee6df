"""How sure borrowed cameras are: what the result says that found them."""

import json

import numpy as np
import pytest

from poselift.geometry.camera import Camera
from poselift.several_views.earlier_result import doubt_earlier, uncertainty_of
from tests.several_views.test_report import make_report


def test_a_calibration_of_an_unsure_result_stays_unsure(tmp_path):
    file, beside = tmp_path / "calibration.toml", tmp_path / "calibration.json"
    assert doubt_earlier(file) is None  # another program's, with nothing beside it
    beside.write_text(json.dumps(make_report(0.0, 6.2, sized=13.2).to_json()))
    assert doubt_earlier(file) == (
        f"the cameras of {file} may be turned by up to 6.2 degrees, and all sizes may be off by up to 13 % (nine takes "
        "of ten are within that); calibrate with --height, in a longer take in which people walk through the space and "
        "turn"
    )
    assert doubt_earlier(tmp_path / "other.toml") is None
    for content in (make_report(0.0, 1.0, sized=1.0).to_json(), [], {"size_within_percent": "x"}):
        beside.write_text(json.dumps(content))
        assert doubt_earlier(file) is None
    beside.write_text("no JSON")
    assert doubt_earlier(file) is None


def test_borrowed_cameras_are_as_unsure_as_their_result_says(tmp_path):
    file, beside = tmp_path / "calibration.toml", tmp_path / "calibration.json"
    cameras = [Camera(np.eye(3), (640, 480), name=name) for name in ("c2", "c0", "new")]
    beside.write_text(json.dumps(make_report(0.0, 1.0, 6.0, sized=8.0).to_json()))
    found = uncertainty_of([file], cameras)
    np.testing.assert_allclose(np.degrees(found.angle), [2.4, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(found.place, 0.0)
    assert found.size == pytest.approx(0.049)  # 8 % hold nine takes of ten
    odd = {"name": "c2", "rotation_uncertainty_degrees": np.nan, "place_uncertainty_m": -1}
    for content in ({}, {"cameras": [{"name": "c2"}, 1]}, {"cameras": 3}, {"cameras": [odd]}):
        beside.write_text(json.dumps(content))
        found = uncertainty_of([file], cameras)
        assert not found.angle.any()
        assert not found.place.any()
        assert found.size == 0.005
    beside.unlink()
    assert uncertainty_of([tmp_path / "Calib_board.toml"], cameras).size == 0.005
