import numpy as np
import pytest

from poselift.camera_path.camera_path import CameraPath, ShotPath
from poselift.core.errors import InputError
from poselift.lifting.world.found_camera import FoundCamera, check_camera_mode, split_tracks
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

TIMES = np.arange(40) / 20


def two_shots(second: str = "turning") -> CameraPath:
    shots = (
        ShotPath(0, 20, "turning", False, 10.0, 1.3, 0.1),
        ShotPath(20, 40, second, False, 4.0, 1.0, 0.1),  # type: ignore[arg-type]
    )
    one = np.ones(40)
    return CameraPath(TIMES, np.tile(np.eye(3), (40, 1, 1)), one, np.zeros((40, 3)), one, one > 0, shots)


def track(person: int, first: int, end: int) -> Keypoints2D:
    rows = slice(first, end)
    return Keypoints2D(
        np.full((end - first, 17, 2), 50.0), np.ones((end - first, 17)), TIMES[rows], COCO17, (320, 180), person
    )


def test_people_are_split_at_a_cut_and_numbered_anew():
    parts = split_tracks([track(1, 0, 40), track(2, 0, 18), track(3, 25, 40)], two_shots())
    spans = [(part.person, len(part), round(float(part.timestamps[0]), 2)) for part in parts]
    assert spans == [(1, 20, 0.0), (2, 18, 0.0), (3, 20, 1.0), (4, 15, 1.25)]


def test_without_a_cut_nobody_is_split():
    people = [track(1, 0, 40), track(2, 0, 18)]
    assert split_tracks(people, None) == people


def test_a_report_says_what_was_found_and_a_cut_is_warned_about():
    found = FoundCamera("auto", two_shots("unknown"))
    report = found.report()
    assert report["found"] == "turning, unknown"
    assert "2 shots" in str(report["text"])
    assert "turns by 10.0 degrees, and zooms by 1.30" in str(report["text"])
    assert found.warnings() == ["the picture is cut at 1.00 s: each shot has people and a world of its own"]
    assert FoundCamera("auto", None).report()["found"] == "still"


def test_an_unknown_mode_is_refused():
    with pytest.raises(InputError, match="give one of auto, still, turning, moving"):
        check_camera_mode("flying")
