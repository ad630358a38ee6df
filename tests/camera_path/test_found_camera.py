import numpy as np
import pytest

from poselift.camera_path.camera_path import CameraPath, ShotPath
from poselift.camera_path.found_camera import FoundCamera, camera_without_pictures, check_camera_mode
from poselift.core.errors import InputError

TIMES = np.arange(40) / 20


def two_shots(second: str = "turning") -> CameraPath:
    shots = (
        ShotPath(0, 20, "turning", False, 10.0, 1.3, 0.1),
        ShotPath(20, 40, second, False, 4.0, 1.0, 0.1),  # type: ignore[arg-type]
    )
    one = np.ones(40)
    return CameraPath(TIMES, np.tile(np.eye(3), (40, 1, 1)), one, np.zeros((40, 3)), one, one > 0, shots)


def test_a_report_says_what_was_found_and_a_cut_is_warned_about():
    found = FoundCamera("auto", two_shots("unknown"))
    report = found.report()
    assert report["found"] == "turning, unknown"
    assert "2 shots" in str(report["text"])
    assert "turns by 10.0 degrees, and zooms by 1.30" in str(report["text"])
    assert found.cautions() == ["the picture is cut at 1.00 s: each shot has people and a world of its own"]
    assert FoundCamera("auto", None).report()["found"] == "still"


def test_without_pictures_a_camera_is_still_unless_somebody_says_that_it_moves():
    assert camera_without_pictures(TIMES).path is None
    found = camera_without_pictures(TIMES, "turning")
    assert found.kinds == ("unknown",)
    assert len(found.path.R) == len(TIMES)
    assert not found.path.known.any()


def test_an_unknown_mode_is_refused():
    with pytest.raises(InputError, match="give one of auto, still, turning, moving"):
        check_camera_mode("flying")
