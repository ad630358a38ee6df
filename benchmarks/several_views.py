"""Scenes of one or two people under several virtual cameras, with clocks of their own.

The cameras stand in a ring around the people, 50 to 110 degrees apart, 0.8 to 1.9 m high, and look at them. Each has
its own lens, start and rate. Their 2D keypoints are those of a virtual detector (`poselift.data.noise`), which sees the
joints of COCO-17.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float

from poselift.data.corpus import MotionCorpus
from poselift.data.dataset_skeletons import joint_mask
from poselift.data.noise import DetectorNoise, detect
from poselift.geometry import intrinsics_from_fov, project
from poselift.numerics.times import interpolate
from poselift.skeleton import CMU28
from poselift.structures import Keypoints2D

_SIZES = ((1920, 1080), (1080, 1920), (1280, 720))
_RATES = (30.0, 29.97, 59.94, 50.0)


@dataclass(frozen=True)
class VirtualView:
    """One camera of a scene.

    Attributes:
        K: intrinsics, pixels.
        R: rotation from the camera frame to the world.
        t: the camera's place in the world, metres.
        image_size: width and height, pixels.
        offset: of its clock: a time x of its video is (1 + drift) x + offset of the scene.
        drift: of its clock.
        people: keypoints by the number of the person in the scene, in the view's own time.
    """

    K: Float[np.ndarray, "3 3"]
    R: Float[np.ndarray, "3 3"]
    t: Float[np.ndarray, "3"]
    image_size: tuple[int, int]
    offset: float
    drift: float
    people: dict[int, Keypoints2D]


@dataclass(frozen=True)
class Scene:
    """People under several cameras.

    Attributes:
        name: of the clip.
        subject: the first person.
        times: of the true joints, seconds.
        joints: of CMU-28 in the world, metres, Y up; people, frames, joints.
        views: the cameras.
    """

    name: str
    subject: str
    times: Float[np.ndarray, " t"]
    joints: Float[np.ndarray, "p t 28 3"]
    views: list[VirtualView]

    def at(self, times: Float[np.ndarray, " n"]) -> Float[np.ndarray, "p n 28 3"]:
        """The true joints at other times."""
        return np.stack([interpolate(own, self.times, times) for own in self.joints])


def make_scenes(
    corpus: MotionCorpus,
    cameras: int,
    *,
    people: int = 1,
    seconds: float = 10.0,
    clocks: bool = False,
    detector: str = "coco17",
    seed: int = 0,
    noise: DetectorNoise | None = None,
) -> list[Scene]:
    """A scene of each clip.

    Args:
        corpus: the motion, of CMU-28.
        cameras: number of cameras.
        people: in each scene; the second one comes from the clip after.
        seconds: most of a clip.
        clocks: whether the cameras have their own starts, drifts and rates; if not, all have those of the corpus.
        detector: skeleton of the keypoints.
        seed: equal seeds give equal scenes.
        noise: errors of the detector.
    """
    generator = torch.Generator().manual_seed(seed)
    random = np.random.default_rng(seed)
    scenes = []
    for index, (name, subject) in enumerate(zip(corpus.names, corpus.subjects, strict=True)):
        clips = [corpus.clip((index + step) % len(corpus.names)) for step in range(people)]
        frames = min(int(seconds * corpus.fps), *(len(joints) for joints, _ in clips))
        worlds = []
        for person, (joints, root) in enumerate(clips):
            placed = root[:frames] - root[:frames].mean(0) * torch.tensor([1.0, 0.0, 1.0])
            aside = 1.6 * person * torch.tensor([np.sin(index), 0.0, np.cos(index)]).float()
            worlds.append((joints[:frames] + (placed + aside)[:, None]).double().numpy())
        world = np.stack(worlds)
        times = np.arange(frames) / corpus.fps
        views = [
            _view(world, times, turn, clocks, detector, random, generator, noise) for turn in _ring(cameras, random)
        ]
        scenes.append(Scene(name, subject, times, world, views))
    return scenes


def _ring(cameras: int, random: np.random.Generator) -> Float[np.ndarray, " n"]:
    """Azimuths of the cameras, radians."""
    steps = random.uniform(50, 110, cameras) if cameras < 5 else np.full(cameras, 360 / cameras)
    return np.deg2rad(random.uniform(0, 360) + np.cumsum(steps))


def look_at(
    place: Float[np.ndarray, "3"], target: Float[np.ndarray, "3"], roll: float = 0.0
) -> Float[np.ndarray, "3 3"]:
    """Rotation from the frame of a camera that looks at a point to a world with Y up."""
    forward = (target - place) / np.linalg.norm(target - place)
    right = np.cross(forward, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    across = np.cos(roll) * right + np.sin(roll) * down
    return np.stack([across, np.cross(forward, across), forward], -1)


def _view(
    world: Float[np.ndarray, "p t 28 3"],
    times: Float[np.ndarray, " t"],
    azimuth: float,
    clocks: bool,
    detector: str,
    random: np.random.Generator,
    generator: torch.Generator,
    noise: DetectorNoise | None,
) -> VirtualView:
    """The people as one camera sees them."""
    roots = world[:, :, 0].reshape(-1, 3)
    centre = 0.5 * (roots.min(0) + roots.max(0))
    reach = np.linalg.norm((roots - centre)[:, [0, 2]], axis=-1).max()
    distance = reach + random.uniform(2.8, 5.0)
    place = centre + distance * np.array([np.sin(azimuth), 0.0, np.cos(azimuth)])
    place[1] = random.uniform(0.8, 1.9)
    size = _SIZES[random.integers(len(_SIZES))]
    K = intrinsics_from_fov(*size, np.deg2rad(random.uniform(48, 72))).astype(np.float64)
    R = look_at(place, centre, np.deg2rad(random.normal(0, 1.5)))
    offset, drift = (random.uniform(-0.7, 0.7), random.uniform(-1e-4, 1e-4)) if clocks else (0.0, 0.0)
    interval = 1 / random.choice(_RATES) if clocks else float(times[1] - times[0])
    own = np.arange(0, (times[-1] - times[0]) / (1 + drift) + 1e-9, interval)
    scene = (1 + drift) * own + offset
    inside = (scene >= times[0]) & (scene <= times[-1])
    own, scene = own[inside], scene[inside]
    hidden = ~joint_mask(detector, CMU28).numpy()
    people = {}
    for person, joints in enumerate(world):
        points = (interpolate(joints, times, scene) - place) @ R
        pixels = torch.from_numpy(project(points, K)).float()
        found, scores = detect(
            pixels[None],
            torch.from_numpy(own)[None].float(),
            torch.tensor([size]).float(),
            noise or DetectorNoise(),
            generator,
        )
        keypoints, sure = found[0].double().numpy(), scores[0].double().numpy()
        keypoints[:, hidden], sure[:, hidden] = np.nan, 0.0
        people[person] = Keypoints2D(keypoints, sure, own, CMU28, size, person + 1)
    return VirtualView(K, R, place, size, offset, drift, people)


def shuffled(scene: Scene, seed: int) -> Scene:
    """The scene whose views number the people in orders of their own."""
    random = np.random.default_rng(seed)
    views = []
    for view in scene.views:
        order = random.permutation(len(view.people))
        people = {person: replace(view.people[person], person=int(number) + 1) for person, number in enumerate(order)}
        views.append(replace(view, people=people))
    return replace(scene, views=views)


def subjects_mean(rows: Sequence[tuple[str, Sequence[float]]]) -> Float[np.ndarray, " n"]:
    """The mean over subjects of the means over their scenes; NaN values do not count."""
    names = dict.fromkeys(subject for subject, _ in rows)
    return _mean([_mean([values for own, values in rows if own == name]) for name in names])


def _mean(rows: Sequence[Sequence[float] | np.ndarray]) -> Float[np.ndarray, " n"]:
    values = np.array(rows)
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(0)
    return np.where(known.any(0), total / np.maximum(known.sum(0), 1), np.nan)
