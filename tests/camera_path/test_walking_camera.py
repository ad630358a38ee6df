import numpy as np
import pytest

from poselift.camera_path.background_flow import unit_determinant
from poselift.camera_path.background_links import Link, Links, Shot
from poselift.camera_path.camera_path import solve_path
from poselift.geometry import axis_angle_to_matrix
from tests.camera_path.scenes import FPS, SIZE, K, angle

COUNT, STEP = 60, 12


def links(place: np.ndarray, R: np.ndarray, depth: tuple[float, float], noise: float = 0.05) -> Links:
    """Exact links of points at random distances, with some noise in pixels."""
    rng = np.random.default_rng(0)
    cloud = rng.uniform([-9, -3, depth[0]], [9, 3, depth[1]], (900, 3))

    def project(row: int) -> np.ndarray:
        seen = (cloud - place[row]) @ R[row]
        return seen[:, :2] / seen[:, 2:] @ K[:2, :2].T + K[:2, 2]

    keys = list(range(0, COUNT, STEP)) + [COUNT - 1]
    shot = Shot(0, COUNT, keys)

    def link(first: int, second: int) -> Link | None:
        before, after = project(first), project(second)
        inside = [((each >= 0) & (each < SIZE)).all(1) for each in (before, after)]
        rows = np.flatnonzero(inside[0] & inside[1])[:120]
        if len(rows) < 30:
            return None
        before = before[rows] + noise * rng.normal(size=(len(rows), 2))
        after = after[rows] + noise * rng.normal(size=(len(rows), 2))
        H = K @ R[second].T @ R[first] @ np.linalg.inv(K)
        return Link(first, second, before, after, rows, unit_determinant(H), len(rows), len(rows))

    for row in range(1, COUNT):
        key = max(each for each in keys if each < row)
        found = link(key, row)
        assert found is not None
        shot.frames.append(found)
    shot.loops.extend(
        found for j in range(len(keys)) for i in range(j) if (found := link(keys[i], keys[j])) is not None
    )
    return Links(np.arange(COUNT) / FPS, [shot], SIZE)


SHARE = np.linspace(0, 1, COUNT)[:, None]
SHAKE = axis_angle_to_matrix(np.radians(SHARE * [1.0, 4.0, -2.0]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", [[2.0, 0.1, 0.0], [0.0, 0.1, 1.5], [1.0, 0.0, -1.0]], ids=["aside", "ahead", "back and aside"]
)
def test_a_walk_is_found_up_to_scale(way):
    place = SHARE * np.array(way)
    path = solve_path(links(place, SHAKE, (4, 12)), K, None, assumed=False)
    assert [shot.kind for shot in path.shots] == ["moving"]
    assert angle(SHAKE[0].T @ SHAKE, path.R[0].T @ path.R).max() < 0.3
    found, true = (path.place - path.place[0]) @ path.R[0], (place - place[0]) @ SHAKE[0]
    scale = (found * true).sum() / (found * found).sum()
    assert scale > 0
    assert np.linalg.norm(scale * found - true, axis=1).max() < 0.05 * np.linalg.norm(way)


def test_a_camera_on_one_spot_only_turns():
    path = solve_path(links(np.zeros((COUNT, 3)), SHAKE, (4, 12)), K, None, assumed=False)
    assert [shot.kind for shot in path.shots] == ["turning"]
    assert (path.place == 0).all()


@pytest.mark.slow
def test_a_hand_that_sways_by_centimetres_turns_with_the_right_rotation():
    sway = 0.06 * np.sin(2 * np.pi * SHARE * [1.0, 2.0, 1.5])
    path = solve_path(links(sway, SHAKE, (4, 12)), K, None, assumed=False)
    assert [shot.kind for shot in path.shots] == ["turning"]
    assert angle(SHAKE[0].T @ SHAKE, path.R[0].T @ path.R).max() < 0.3
