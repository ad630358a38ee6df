import numpy as np
import pytest

from poselift.kinematics import compute_coordinates, solve
from tests.kinematics.conftest import pose, turn


def pelvis(values, frame):
    """Rotation (tilt about z, list about x, rotation about y) and place of the model's pelvis."""
    angles = [values[f"pelvis_{name}"][frame] for name in ("tilt", "list", "rotation")]
    z, x, y = (turn(axis, angle).numpy() for axis, angle in zip("zxy", angles, strict=True))
    return z @ x @ y, np.array([values[f"pelvis_t{axis}"][frame] for axis in "xyz"])


def test_the_models_pelvis_stands_where_the_persons_does():
    root = np.column_stack([np.linspace(-1, 2, 9), np.full(9, 0.9), np.linspace(3, 4, 9)])
    world = turn("y", np.linspace(-100, 200, 9)) @ turn("x", 25.0) @ turn("z", -10.0)
    rigged = solve(pose(frames=9, world=world, root=root))
    values, positions = compute_coordinates(rigged), rigged.positions()
    hips = {side: positions[:, rigged.rig.names.index(f"{side}_hip")] for side in ("left", "right")}
    scale = 0.42 / 0.4044
    for frame in range(9):
        R, place = pelvis(values, frame)
        middle = (hips["left"] + hips["right"])[frame] / 2
        np.testing.assert_allclose(place + scale * R @ [-0.0563, -0.0785, 0], middle, atol=1e-6)
        across = hips["right"][frame] - hips["left"][frame]
        np.testing.assert_allclose(R[:, 2], across / np.linalg.norm(across), atol=1e-6)


def test_a_person_who_faces_the_models_way_has_no_rotation():
    values = compute_coordinates(solve(pose(world=turn("y", 90.0))))
    for name in ("tilt", "list", "rotation"):
        np.testing.assert_allclose(values[f"pelvis_{name}"], 0, atol=1e-6)


@pytest.mark.parametrize("side", ["left", "right"])
def test_arms_that_hang_straight_have_the_models_offsets(side):
    sign = 1 if side == "left" else -1
    values = compute_coordinates(solve(pose({f"{side}_shoulder": turn("z", -90.0 * sign)})))
    np.testing.assert_allclose(values[f"arm_flex_{side[0]}"], -2.6, atol=0.1)
    np.testing.assert_allclose(values[f"elbow_flex_{side[0]}"], 6.2, atol=0.1)
    np.testing.assert_allclose(values[f"arm_add_{side[0]}"], 0, atol=0.1)
