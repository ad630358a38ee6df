from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from poselift.cli.measure.floor_angle import find_floor_angles
from poselift.geometry.camera import Camera
from poselift.kinematics.up import level_axes
from tests.kinematics.walker import walker


def _recording(up, uncertainty=None):
    """A recording of a camera in whose frame up has this direction."""
    camera = Camera(np.array([[900.0, 0, 319.5], [0, 900, 239.5], [0, 0, 1]]), (640, 480))
    camera = camera.with_pose(level_axes(np.array(up) / np.linalg.norm(up)), np.array([0, 1.2, 0]))
    return SimpleNamespace(cameras=(camera,), camera=camera, people=(walker(),), up_uncertainty=uncertainty)


@pytest.mark.parametrize(
    ("up", "rise", "pitch"),
    [
        ([0, -1, 0], 0, 0),
        ([0, -1, -np.tan(np.radians(10))], 0, 10),  # it looks down: up points back to the camera
        ([0, -1, np.tan(np.radians(5))], 0, -5),
        # Up leans to the left of the picture: a level line goes up on the right.
        ([-np.tan(np.radians(3)), -1, 0], 3, 0),
    ],
)
def test_the_floor_of_a_tilted_camera(up, rise, pitch):
    (found,) = find_floor_angles(_recording(up, np.radians(1.0)))
    assert (found.rise, found.pitch, found.half) == pytest.approx((rise, pitch, 1.645), abs=1e-3)
    assert f"{abs(pitch):.1f}° {'up' if pitch < 0 else 'down'}, both ± 1.6° (90 %)." in found.text()
    # A level line in the picture: two points of the horizon.
    R, _ = _recording(up).camera.extrinsics
    seen = np.array([[-1.0, 0, -9], [1.0, 0, -9]]) @ R.T
    (x0, y0), (x1, y1) = seen[:, :2] / seen[:, 2:]
    assert np.degrees(np.arctan2(y0 - y1, x1 - x0)) == pytest.approx(rise, abs=1e-3)


def _looking_down(degrees):
    return _recording([0, -1, -np.tan(np.radians(degrees))]).camera


def test_a_camera_that_turns_has_medians_and_says_by_how_much_they_change():
    still = _recording([0, -1, 0])
    turning = replace(
        still.camera, R=np.stack([_looking_down(angle).R for angle in (5, 10, 30)]), times=np.array([0.0, 1.0, 2.0])
    )
    (found,) = find_floor_angles(SimpleNamespace(**{**vars(still), "cameras": (turning,)}))
    assert (found.rise, found.pitch) == pytest.approx((0, 10), abs=1e-3)
    assert found.turns == pytest.approx((0, 25), abs=1e-3)
    assert "Medians: the camera turns, and they change by 0.0° and 25.0°." in found.text()


def test_several_cameras_have_their_own_by_name():
    still = _recording([0, -1, 0])
    cameras = (replace(_looking_down(5), name="left"), _looking_down(20))
    found = find_floor_angles(SimpleNamespace(**{**vars(still), "cameras": cameras}))
    assert [each.pitch for each in found] == pytest.approx([5, 20], abs=1e-3)
    assert found[0].text().startswith("Camera left: floor angle 0.0°")
    assert found[1].text().startswith("Camera 2: floor angle 0.0°")


def test_in_the_camera_frame_it_is_unknown_and_without_doubt_there_is_no_interval():
    still = _recording([0, -1, 0])
    assert "both" not in find_floor_angles(still)[0].text()
    in_camera = replace(still.people[0], frame="camera")
    assert find_floor_angles(SimpleNamespace(**{**vars(still), "people": (in_camera,)})) == ()
