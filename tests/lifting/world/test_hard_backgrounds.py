"""Backgrounds that hide what the camera does: each is solved, or told in a caution."""

from collections.abc import Callable, Iterator, Sequence

import cv2
import numpy as np
import pytest

from poselift.camera_path.found_camera import CameraMode, FoundCamera, find_camera
from poselift.geometry import project
from poselift.geometry.camera import Camera
from poselift.keypoints.in_memory import TrackClip
from poselift.lifting.request import LiftRequest
from poselift.lifting.run import lift_clip
from poselift.models import load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D, Recording
from poselift.video import Frame
from tests.camera_path.scenes import FPS, SIZE, K, angle, as_frames, see, turns, wall
from tests.lifting.walking import render, standing_pose

pytestmark = pytest.mark.many_calls

COUNT = 20
SHARE = np.linspace(0, 1, COUNT)
TIMES = np.arange(COUNT) / FPS
PAN = turns(np.outer(SHARE, [0.0, 8.0, 0.0]))
LENS = (float(K[0, 0]), float(K[1, 1]), float(K[0, 2]), float(K[1, 2]))
GREY = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)

NO_BACKGROUND = "too little background is seen to know what the camera does; people are shown in one place"


class PictureClip(TrackClip):
    """Somebody who stands, before pictures."""

    def __init__(self, pictures: Sequence[np.ndarray], R: np.ndarray, wide: float = 1.0) -> None:
        body = np.repeat(standing_pose()[None], len(pictures), 0)
        person = render(body, np.arange(len(pictures)) / FPS, skeleton=COCO17, distance=7.0).motion
        joints = person.joints + person.root[:, None]
        pixels = project(np.einsum("txy,tjx->tjy", R, joints), K)
        middle = pixels.mean(1, keepdims=True)
        pixels = middle + wide * (pixels - middle)
        super().__init__([Keypoints2D(pixels, np.full(pixels.shape[:2], 0.9), person.timestamps, COCO17, SIZE)])
        self._pictures = pictures

    def frames(self) -> Iterator[Frame]:
        """The pictures."""
        return iter(as_frames(self._pictures))

    def find_camera(
        self, span: tuple[float, float], tracks: Sequence[Keypoints2D], lens: Camera, mode: CameraMode
    ) -> FoundCamera:
        """What the camera does, from the pictures."""
        return find_camera(self.frames, span, tracks, lens, mode)


def lift(pictures: Sequence[np.ndarray], R: np.ndarray = PAN, wide: float = 1.0, camera: str = "auto") -> Recording:
    request = LiftRequest(world=True, intrinsics=LENS, camera=camera)  # type: ignore[arg-type]
    return lift_clip(PictureClip(pictures, R, wide), load_weights("tiny"), request)


def cautions(found: Recording) -> list[str]:
    return [text for text in found.warnings if text.kind == "camera"]


def off(found: Recording, R: np.ndarray = PAN) -> float:
    """Largest error of the camera's rotation, degrees."""
    camera = found.camera
    own = camera.R if camera.R.ndim == 3 else np.tile(camera.R, (COUNT, 1, 1))
    return float(angle(R[0].T @ R, own[0].T @ own).max())


def panned() -> list[np.ndarray]:
    return [see(wall(), turn) for turn in PAN]


def noisy(picture: np.ndarray, seed: int) -> np.ndarray:
    """A camera's noise."""
    noise = np.random.default_rng(seed).normal(0, 2, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def blank() -> list[np.ndarray]:
    return [noisy(GREY, row) for row in range(COUNT)]


def logo() -> list[np.ndarray]:
    pictures = blank()
    for picture in pictures:
        picture[8:40, 250:310] = wall(3, (60, 32))
    return pictures


def crowd() -> list[np.ndarray]:
    """Spectators who each move on their own."""
    rng = np.random.default_rng(0)
    start, speed = rng.uniform([0, 0], [300, 160], (60, 2)), rng.uniform(-3, 3, (60, 2))
    faces = [wall(seed, (18, 18)) for seed in range(60)]
    pictures = []
    for row in range(COUNT):
        picture = GREY.copy()
        for face, place in zip(faces, start + row * speed + 2 * np.sin(row + start), strict=True):
            x, y = (int(each) for each in np.clip(place, 0, [SIZE[0] - 18, SIZE[1] - 18]))
            picture[y : y + 18, x : x + 18] = face
        pictures.append(picture)
    return pictures


def water(seed: int = 0, count: int = COUNT) -> list[np.ndarray]:
    """Waves of several directions that pass through each other."""
    rows, columns = np.mgrid[: SIZE[1], : SIZE[0]]
    rng = np.random.default_rng(seed)
    waves = [(*rng.uniform(-0.7, 0.7, 2), rng.uniform(0.5, 1.5), rng.uniform(0, 6)) for _ in range(14)]
    pictures = []
    for row in range(count):
        height = sum(np.sin(a * columns + b * rows + c * row + d) for a, b, c, d in waves)
        pictures.append(np.repeat(np.clip(120 + 16 * height, 0, 255).astype(np.uint8)[..., None], 3, -1))
    return pictures


@pytest.mark.slow
@pytest.mark.parametrize("make", [blank, logo, crowd, water])
def test_no_background_to_see_is_told(make: Callable[[], list[np.ndarray]]):
    found = lift(make(), turns([[0, 0, 0]] * COUNT))
    assert found.camera_report["found"] == "unknown"
    assert len(cautions(found)) == 1
    assert cautions(found)[0].endswith(NO_BACKGROUND)
    assert (found.people[0].root[:, [0, 2]] == 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4, 7, 9, 11])
def test_water_whose_corners_agree_by_chance_is_told(seed: int):
    """Nearly every picture is a key frame. Only their links show that no rotation explains them."""
    assert cautions(lift(water(seed, 12), turns([[0, 0, 0]] * 12)))


def test_people_who_fill_the_picture_leave_no_background():
    found = lift(panned(), wide=8.0)
    assert cautions(found)[0].endswith(NO_BACKGROUND)


def barred() -> list[np.ndarray]:
    """Black bars, and a logo that stands still."""
    pictures = panned()
    for picture in pictures:
        picture[:18] = picture[-18:] = 0
        picture[24:44, 250:300] = wall(3, (50, 20))
    return pictures


def faded() -> list[np.ndarray]:
    """From black, and back to it: the first and last poses are those of the nearest pictures that show something."""
    light = np.clip(4 * np.minimum(SHARE, 1 - SHARE), 0.02, 1)
    return [(picture * each).astype(np.uint8) for picture, each in zip(panned(), light, strict=True)]


def blurred() -> list[np.ndarray]:
    """Each picture lasts for the whole time to the next one."""
    step = turns([[0.0, 8.0 / COUNT / 8, 0.0]])[0]
    pictures = []
    for turn in PAN:
        shown = np.zeros((SIZE[1], SIZE[0], 3))
        for _ in range(8):
            shown += see(wall(), turn) / 8
            turn = turn @ step
        pictures.append(shown.astype(np.uint8))
    return pictures


@pytest.mark.slow
@pytest.mark.parametrize(("make", "most"), [(barred, 0.15), (faded, 1.0), (blurred, 0.4)])
def test_a_pan_is_found_where_the_pictures_are_bad(make: Callable[[], list[np.ndarray]], most: float):
    found = lift(make())
    assert found.camera_report["found"] == "turning"
    assert cautions(found) == []
    assert off(found) < most


@pytest.mark.slow
@pytest.mark.parametrize(("degrees", "readout"), [(1.0, 0.6), (1.5, 1.0)])
def test_a_rolling_shutter_that_shakes_is_told(degrees: float, readout: float):
    """Its rows are seen one after the other, which looks like a camera that moves aside over a slanted plane."""

    def turn(time: float) -> np.ndarray:
        return turns([[0.0, degrees * np.sin(0.75 * time), 0.0]])[0]

    pictures = []
    for row in range(COUNT):
        picture = np.empty_like(GREY)
        for band in range(0, SIZE[1], 12):
            seen = see(wall(), turn(row + readout * band / SIZE[1]))
            picture[band : band + 12] = seen[band : band + 12]
        pictures.append(picture)
    R = np.array([turn(row + 0.5 * readout) for row in range(COUNT)])
    found = lift(pictures, R)
    assert found.camera_report["found"] == "turning"
    assert "or the shutter rolls" in cautions(found)[0]
    assert off(found, R) < 0.5


@pytest.mark.slow
def test_a_part_that_is_upside_down_is_a_shot_of_its_own():
    pictures = panned()
    half = COUNT // 2
    pictures[half:] = [np.ascontiguousarray(picture[::-1, ::-1]) for picture in pictures[half:]]
    found = lift(pictures)
    assert [text for text in cautions(found) if "each shot has people and a world of its own" in text]
    assert len(found.camera_report["shots"]) == 2


@pytest.mark.slow
def test_a_cut_is_told():
    half = COUNT // 2
    found = lift([*panned()[:half], *(see(wall(7), turn) for turn in PAN[half:])])
    assert cautions(found) == [
        f"the picture is cut at {TIMES[half]:.2f} s: each shot has people and a world of its own"
    ]
    assert len(found.people) == 2


def test_one_frame_is_a_still_camera():
    found = lift([wall()], PAN[:1])
    assert found.camera_report["found"] == "still"
    assert cautions(found) == []


@pytest.mark.slow
@pytest.mark.parametrize("camera", ["turning", "moving"])
def test_a_still_camera_counts_as_still_whatever_is_said(camera: str):
    found = lift([noisy(wall(), row) for row in range(COUNT)], turns([[0, 0, 0]] * COUNT), camera=camera)
    assert found.camera_report["text"] == "the camera stands still"
    assert found.camera.still
    told = ["--camera moving: the background stands still, so the camera counts as still"]
    assert cautions(found) == (told if camera == "moving" else [])


@pytest.mark.slow
def test_a_camera_that_only_turns_has_no_path_whatever_is_said():
    found = lift(panned(), camera="moving")
    assert found.camera_report["found"] == "turning"
    assert "--camera moving, and no path through space is seen in the background" in cautions(found)[0]
    assert off(found) < 0.15


@pytest.mark.slow
def test_a_clip_upside_down_is_followed():
    R = turns(np.outer(SHARE, [0.0, 8.0, 0.0])) @ turns([[0.0, 0.0, 180.0]])[0]
    found = lift([cv2.rotate(picture, cv2.ROTATE_180) for picture in panned()], R)
    assert found.camera_report["found"] == "turning"
    assert off(found, R) < 0.2
