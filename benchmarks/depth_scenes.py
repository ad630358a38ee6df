"""Made scenes with depth: textured planes at several distances, a moving person, and a camera whose path is known."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.geometry import intrinsics_from_fov, rotation_x, rotation_y, rotation_z
from poselift.skeleton import CMU28, COCO17
from poselift.structures import Keypoints2D
from poselift.video import Frame

SIZE = (640, 360)
"""(width, height) of the pictures, pixels."""

FPS = 25.0

_FOV = math.radians(60)

_HEIGHT = 1.5
"""Height of the camera over the ground, metres."""

_LIMB = 0.12
"""Width of a drawn limb, metres."""

_NOISE = 0.006
"""Standard deviation of the keypoints, as a share of the person's height in the picture."""


@dataclass(frozen=True)
class CameraMove:
    """What a camera does: functions of seconds.

    Attributes:
        place: metres right, up and ahead of its usual place.
        turn: pan, tilt and roll, radians.
        right: what may be found; two answers are right near the border between them.
        follow: whether the person walks to the right, as the camera does; else away from it.
    """

    place: Callable[[float], tuple[float, float, float]]
    turn: Callable[[float], tuple[float, float, float]]
    right: tuple[str, ...] = ("turning",)
    follow: bool = False


def _sway(metres: float) -> Callable[[float], tuple[float, float, float]]:
    """A hand that sways by so many metres to each side, slowly."""
    return lambda s: (
        metres * math.sin(2 * math.pi * 0.31 * s),
        0.3 * metres * math.sin(2 * math.pi * 0.57 * s + 1),
        0.5 * metres * math.sin(2 * math.pi * 0.23 * s + 2),
    )


def _nowhere(s: float) -> tuple[float, float, float]:
    return 0.0, 0.0, 0.0


def _shaky(s: float) -> tuple[float, float, float]:
    degree = math.radians(1)
    return (
        1.5 * degree * math.sin(2 * math.pi * 0.4 * s),
        0.8 * degree * math.sin(2 * math.pi * 0.7 * s + 1),
        0.5 * degree * math.sin(2 * math.pi * 0.9 * s + 2),
    )


def _walk(right: float, ahead: float) -> Callable[[float], tuple[float, float, float]]:
    """A walk with so many metres a second, with the bob of steps."""
    return lambda s: (right * s, 0.02 * math.sin(2 * math.pi * 1.8 * s), ahead * s)


def _pan(degrees: float, seconds: float = 4.0) -> Callable[[float], tuple[float, float, float]]:
    return lambda s: (math.radians(degrees) * s / seconds, 0.0, 0.0)


MOVES: dict[str, CameraMove] = {
    "still": CameraMove(_nowhere, _nowhere, ("still",)),
    "pan 20 degrees": CameraMove(_nowhere, _pan(20)),
    "hand shake": CameraMove(_nowhere, _shaky),
    "sway 2 cm": CameraMove(_sway(0.02), _shaky),
    "sway 5 cm": CameraMove(_sway(0.05), _shaky),
    "sway 15 cm": CameraMove(_sway(0.15), _shaky, ("turning", "moving")),
    "aside 0.3 m/s": CameraMove(_walk(0.3, 0), _shaky, ("moving",)),
    "aside 0.8 m/s": CameraMove(_walk(0.8, 0), _shaky, ("moving",), follow=True),
    "ahead 0.3 m/s": CameraMove(_walk(0, 0.3), _shaky, ("moving",)),
    "back 0.8 m/s": CameraMove(_walk(0, -0.8), _shaky, ("moving",)),
    "aside 0.5 m/s, pan": CameraMove(_walk(0.5, 0.1), _pan(-15), ("moving",), follow=True),
}
"""The cameras by name."""


@dataclass(frozen=True)
class MadeScene:
    """A clip with its truth.

    Attributes:
        times: of the frames, seconds.
        K: intrinsics, pixels.
        R: rotation from the camera of each frame to the world (Y up).
        t: the camera's place, metres.
        joints: of the person in the world, CMU-28, metres.
        keypoints: of the person as a detector would give them, COCO-17.
        planes: texture and corners (4, 3) of each plane.
    """

    times: Float[np.ndarray, " t"]
    K: Float[np.ndarray, "3 3"]
    R: Float[np.ndarray, "t 3 3"]
    t: Float[np.ndarray, "t 3"]
    joints: Float[np.ndarray, "t 28 3"]
    keypoints: Keypoints2D
    planes: list[tuple[np.ndarray, np.ndarray]]

    def frames(self) -> Iterator[Frame]:
        """The pictures."""
        for row, time in enumerate(self.times):
            yield Frame(self.picture(row), float(time), row)

    def picture(self, row: int) -> UInt8[np.ndarray, "h w 3"]:
        """One picture: far planes first, then the person."""
        image = np.full((SIZE[1], SIZE[0], 3), 200, np.uint8)
        ordered = sorted(self.planes, key=lambda plane: -np.linalg.norm(plane[1].mean(0) - self.t[row]))
        for texture, corners in ordered:
            self._draw_plane(image, texture, corners, row)
        points, depth = self._project(self.joints[row], row)
        for child, parent in enumerate(CMU28.parent_indices):
            if parent >= 0:
                wide = max(2, round(_LIMB * self.K[0, 0] / max(depth[child], 0.5)))
                ends = [tuple(int(v) for v in points[joint].round()) for joint in (child, parent)]
                shade = 60 + 6 * child
                cv2.line(image, ends[0], ends[1], (shade, 255 - shade, 40 + shade // 2), wide, cv2.LINE_AA)
        return image

    def _draw_plane(self, image: np.ndarray, texture: np.ndarray, corners: np.ndarray, row: int) -> None:
        height, width = texture.shape[:2]
        axes = np.column_stack([corners[1] - corners[0], corners[3] - corners[0], corners[0] - self.t[row]])
        H = self.K @ self.R[row].T @ axes @ np.diag([1 / width, 1 / height, 1.0])
        back = np.linalg.inv(H)
        drawn = cv2.warpPerspective(texture, back, SIZE, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        there = cv2.warpPerspective(
            np.full((height, width), 255, np.uint8), back, SIZE, flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
        )
        # What lies behind the camera has a negative depth.
        depth = back[2, 0] * np.arange(SIZE[0]) + back[2, 1] * np.arange(SIZE[1])[:, None] + back[2, 2]
        inside = (there > 0) & (depth > 0)
        image[inside] = drawn[inside]

    def _project(self, points: np.ndarray, row: int) -> tuple[np.ndarray, np.ndarray]:
        seen = (points - self.t[row]) @ self.R[row]
        pixels = seen @ self.K.T
        return pixels[:, :2] / pixels[:, 2:], seen[:, 2]


def _texture(rng: np.random.Generator, width: int, height: int) -> np.ndarray:
    """Noise of several sizes with rectangles, as walls with things on them have."""
    picture = np.zeros((height, width, 3), np.float32)
    for cell in (8, 24, 80):
        noise = rng.normal(size=(max(height // cell, 2), max(width // cell, 2), 3)).astype(np.float32)
        picture += 14 * cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC)
    picture += rng.uniform(80, 170, 3).astype(np.float32)
    for _ in range(width * height // 12000):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        w, h = (int(v) for v in rng.integers(10, 70, 2))
        cv2.rectangle(picture, (x, y), (x + w, y + h), [float(v) for v in rng.uniform(30, 220, 3)], -1)
    return np.clip(picture, 0, 255).astype(np.uint8)


def _make_planes(rng: np.random.Generator, depth: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """A wall, the ground, and things in between; only the wall if there is no depth."""

    def upright(x: float, z: float, width: float, height: float, bottom: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        top = bottom + height
        corners = np.array([[x, top, z], [x + width, top, z], [x + width, bottom, z], [x, bottom, z]])
        return _texture(rng, int(80 * width), int(80 * height)), corners

    wall = upright(-14, -9, 28, 7)
    ground = np.array([[-14, 0, -9], [14, 0, -9], [14, 0, 4], [-14, 0, 4]], float)
    planes = [wall, (_texture(rng, 28 * 60, 13 * 60), ground)]
    if depth:
        for x in np.arange(-9, 9, 2.6):
            z = float(rng.uniform(-7.5, -5.2))
            planes.append(upright(float(x + rng.uniform(-0.5, 0.5)), z, 0.9, float(rng.uniform(0.6, 2.2))))
    return planes


def make_scene(corpus: Path, clip: str, move: CameraMove, seconds: float = 4.0, seed: int = 0) -> MadeScene:
    """A scene; equal arguments give equal scenes.

    Args:
        corpus: cmu50.npz.
        clip: name of a clip in it.
        move: of the camera.
        seconds: length, at most that of the clip.
        seed: of the textures, the things and the noise.
    """
    rng = np.random.default_rng(seed)
    with np.load(corpus, allow_pickle=False) as file:
        number = list(file["clip"]).index(clip)
        rows = slice(int(file["clip_start"][number]), int(file["clip_start"][number + 1]), 2)
        joints = file["root_relative"][rows].astype(np.float64) / 1e4 + file["root"][rows][:, None]
    joints = joints[: round(seconds * FPS)]
    joints -= [*joints[0, 0, [0]], joints[..., 1].min(), *joints[0, 0, [2]]]
    way = joints[-1, 0] - joints[0, 0]
    heading = math.atan2(way[0], way[2]) if np.linalg.norm(way) > 0.5 else 0.0
    joints = joints @ rotation_y(np.array((math.pi / 2 if move.follow else math.radians(150)) - heading)).T
    joints += [-1.6 if move.follow else 0.3, 0, -3.2]
    times = np.arange(len(joints)) / FPS
    K = intrinsics_from_fov(*SIZE, _FOV).astype(np.float64)
    flip = np.diag([1.0, -1.0, -1.0])  # camera axes of a level camera that looks along -z
    R, place = [], []
    for time in times:
        pan, tilt, roll = move.turn(float(time))
        turn = rotation_y(np.array(pan)) @ rotation_x(np.array(tilt - 0.08)) @ rotation_z(np.array(roll))
        R.append(flip @ turn)
        right, up, ahead = move.place(float(time))
        place.append([right, _HEIGHT + up, 1.2 - ahead])
    scene = MadeScene(times, K, np.array(R), np.array(place), joints, _empty(times), _make_planes(rng, depth=True))
    return MadeScene(**{**scene.__dict__, "keypoints": _detect(scene, rng)})


def _empty(times: np.ndarray) -> Keypoints2D:
    shape = len(times), len(COCO17)
    return Keypoints2D(np.full((*shape, 2), np.nan), np.zeros(shape), times, COCO17, SIZE)


def _detect(scene: MadeScene, rng: np.random.Generator) -> Keypoints2D:
    """The keypoints with noise; joints outside of the picture are missing."""
    rows = CMU28.indices(list(COCO17.joints))
    pixels = np.stack([scene._project(joints[rows], row)[0] for row, joints in enumerate(scene.joints)])
    extent = np.ptp(pixels[..., 1], axis=1)[:, None, None]
    found = pixels + _NOISE * extent * rng.normal(size=pixels.shape)
    inside = np.asarray(((pixels >= 0) & (pixels < np.array(SIZE))).all(-1))
    return Keypoints2D(
        np.where(inside[..., None], found, np.nan), np.where(inside, 0.9, 0.0), scene.times, COCO17, SIZE
    )
