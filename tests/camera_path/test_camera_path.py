import cv2
import numpy as np
import pytest

from poselift.camera_path.camera_path import CameraPath, find_camera_path
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from poselift.video import Frame
from tests.camera_path.scenes import FPS, SIZE, K, angle, as_frames, see, turns, wall

pytestmark = pytest.mark.many_calls

COUNT = 16


def find(frames: list[Frame], tracks: list[Keypoints2D] | None = None, assumed: bool = False) -> CameraPath:
    return find_camera_path(iter(frames), tracks or [], K, None, assumed)


def moved(
    degrees: list[float], zoom: float = 1.0, count: int = COUNT, start: float = 1.0
) -> tuple[list[np.ndarray], np.ndarray]:
    """Pictures of a camera that turns by so many degrees and zooms, and its rotations."""
    shares = np.linspace(0, 1, count)
    R = turns(np.outer(shares, degrees))
    return [see(wall(), R[row], start + (zoom - start) * share) for row, share in enumerate(shares)], R


@pytest.mark.parametrize("degrees", [[0, 8, 0], [6, 0, 0], [0, 0, 20], [3, -12, 5]], ids=["pan", "tilt", "roll", "all"])
def test_a_rotation_is_found_to_a_tenth_of_a_degree(degrees):
    pictures, R = moved(degrees)
    path = find(as_frames(pictures))
    assert [shot.kind for shot in path.shots] == ["turning"]
    assert path.known.all()
    assert angle(R[0].T @ R, path.R[0].T @ path.R).max() < 0.1
    assert path.shots[0].degrees == pytest.approx(np.linalg.norm(degrees), abs=0.15)
    assert (path.zoom == 1).all()
    assert (path.place == 0).all()


def test_a_zoom_is_found_with_the_rotation():
    pictures, R = moved([0, 6, 0], zoom=1.4)
    path = find(as_frames(pictures))
    assert angle(R[0].T @ R, path.R[0].T @ path.R).max() < 0.15
    np.testing.assert_allclose(path.zoom, np.linspace(1, 1.4, COUNT), atol=0.01)
    assert path.zoom.min() == pytest.approx(1.0, abs=0.005)


@pytest.mark.parametrize("assumed", [False, True])
def test_a_lens_that_zooms_out_is_the_given_one_at_its_widest(assumed):
    """With the given lens in the first picture, this camera would walk, and be 3 degrees off."""
    pictures, R = moved([0, 15, 0], start=1.4)
    path = find(as_frames(pictures), assumed=assumed)
    assert [shot.kind for shot in path.shots] == ["turning"]
    assert angle(R[0].T @ R, path.R[0].T @ path.R).max() < 0.15
    np.testing.assert_allclose(path.zoom * path.focal, np.linspace(1.4, 1, COUNT), atol=0.01)


def test_a_still_camera_is_still():
    path = find(as_frames([wall()] * COUNT))
    assert path.still
    np.testing.assert_array_equal(path.R, np.tile(np.eye(3), (COUNT, 1, 1)))


@pytest.mark.slow
def test_the_focal_length_is_found_where_it_is_far_off():
    pictures, _ = moved([0, 30, 0], count=30)
    wrong = K.copy()
    wrong[:2, :2] *= 1.35
    path = find_camera_path(iter(as_frames(pictures)), [], wrong, None, assumed=True)
    assert path.focal[0] == pytest.approx(1 / 1.35, rel=0.05)
    assert path.shots[0].degrees == pytest.approx(30, rel=0.05)
    given = find_camera_path(iter(as_frames(pictures)), [], wrong, None, assumed=False)
    assert (given.focal == 1).all()


def test_an_assumed_focal_length_that_fits_stays():
    pictures, _ = moved([0, 20, 0])
    assert (find(as_frames(pictures), assumed=True).focal == 1).all()


@pytest.mark.slow
def test_a_drift_does_not_add_up():
    shares = np.linspace(0, 2 / 3, 60)
    R = turns(np.stack([2 * np.sin(40 * shares), 14 * np.sin(12 * shares), 3 * np.sin(23 * shares)], 1))
    path = find(as_frames([see(wall(), each) for each in R]))
    assert angle(R[0].T @ R, path.R[0].T @ path.R).max() < 0.1


@pytest.mark.slow
def test_a_cut_divides_the_clip():
    first, R = moved([0, 5, 0])
    shares = np.linspace(0, 1, COUNT)
    second = [see(wall(7), each) for each in turns(np.outer(shares, [4, 0, 0]))]
    path = find(as_frames([*first, *second]))
    assert [(shot.first, shot.end, shot.kind) for shot in path.shots] == [
        (0, COUNT, "turning"),
        (COUNT, 2 * COUNT, "turning"),
    ]
    assert not path.shots[1].lost
    assert angle(R[0].T @ R, path.R[0].T @ path.R[:COUNT]).max() < 0.1
    assert path.shots[1].degrees == pytest.approx(4, abs=0.15)


@pytest.mark.parametrize(
    "picture",
    [np.full((180, 320, 3), 90, np.uint8), np.zeros((180, 320, 3), np.uint8)],
    ids=["blank wall", "black"],
)
def test_no_background_is_told(picture):
    path = find(as_frames([picture] * 40))
    assert {shot.kind for shot in path.shots} == {"unknown"}
    assert len(path.shots) == 1


def test_a_logo_on_a_blank_wall_is_no_background():
    picture = np.full((180, 320, 3), 90, np.uint8)
    picture[8:40, 250:310] = wall(3, (60, 32))
    path = find(as_frames([picture] * 40))
    assert {shot.kind for shot in path.shots} == {"unknown"}


@pytest.mark.slow
def test_a_logo_and_black_bars_do_not_hold_a_camera_that_turns():
    pictures, R = moved([0, 8, 0])
    for picture in pictures:
        picture[:20] = picture[-20:] = 0
        picture[30:60, 240:300] = wall(3, (60, 30))
    path = find(as_frames(pictures))
    assert [shot.kind for shot in path.shots] == ["turning"]
    assert angle(R[0].T @ R, path.R[0].T @ path.R).max() < 0.15


def test_a_fade_does_not_hurt():
    pictures, R = moved([0, 8, 0])
    faded = [(picture * (0.25 + 0.75 * row / COUNT)).astype(np.uint8) for row, picture in enumerate(pictures)]
    path = find(as_frames(faded))
    assert angle(R[0].T @ R, path.R[0].T @ path.R).max() < 0.2


def test_blurred_frames_are_bridged():
    pictures, R = moved([0, 8, 0])
    for row in (6, 7, 8):
        pictures[row] = np.full_like(pictures[row], 100)
    path = find(as_frames(pictures))
    assert [shot.kind for shot in path.shots] == ["turning"]
    assert not path.known[[6, 7, 8]].any()
    assert angle(R[0].T @ R, path.R[0].T @ path.R).max() < 0.2


@pytest.mark.slow
def test_noise_that_moves_on_its_own_is_no_camera():
    rng = np.random.default_rng(0)
    pictures = [rng.integers(0, 255, (180, 320, 3), dtype=np.uint8) for _ in range(30)]
    assert {shot.kind for shot in find(as_frames(pictures)).shots} == {"unknown"}


def test_a_person_who_fills_the_picture_is_no_background():
    times = np.arange(COUNT) / FPS
    points = np.tile(np.random.default_rng(0).uniform([20, 5], [300, 175], (17, 2)), (COUNT, 1, 1))
    track = Keypoints2D(points, np.ones((COUNT, 17)), times, COCO17, SIZE)
    pictures, _ = moved([0, 5, 0])
    path = find(as_frames(pictures), [track])
    assert {shot.kind for shot in path.shots} == {"unknown"}


def test_one_frame_is_a_still_camera():
    assert find(as_frames([wall()])).still


@pytest.mark.slow
def test_a_camera_that_turns_by_half_a_circle_is_followed():
    R = turns(np.outer(np.linspace(0, 1, 90), [0, 150, 0]))
    panorama = wall(2, (1500, 180))
    # A cylinder around the camera.
    rows, columns = np.mgrid[: SIZE[1], : SIZE[0]]
    rays = np.stack([(columns - K[0, 2]) / K[0, 0], (rows - K[1, 2]) / K[1, 1], np.ones(rows.shape)], -1)

    def look(turn: np.ndarray) -> np.ndarray:
        way = rays @ turn.T
        across = (np.arctan2(way[..., 0], way[..., 2]) / np.pi * 400 + 500).astype(np.float32)
        down = (way[..., 1] / np.hypot(way[..., 0], way[..., 2]) * 150 + 90).astype(np.float32)
        return cv2.remap(panorama, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)

    path = find(as_frames([look(turn) for turn in R]))
    assert [shot.kind for shot in path.shots] == ["turning"]
    assert angle(R[0].T @ R, path.R[0].T @ path.R).max() < 1.0
