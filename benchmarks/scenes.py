"""Simulated detections of several people with known identities, to evaluate trackers.

The people of a corpus walk to and fro through one picture: they cross, hide each other, pass behind a pillar, leave the
picture and come back.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from poselift.core.errors import InputError
from poselift.data.corpus import MotionCorpus
from poselift.data.noise import DetectorNoise, detect
from poselift.geometry import intrinsics_from_fov, project, rotation_y
from poselift.skeleton import CMU28, COCO17
from poselift.structures import Detections

_SIZE = (1920, 1080)
_NOISE = DetectorNoise(limb=0.0, hidden=0.02, hidden_time=0.3)
_DOUBLE_NOISE = DetectorNoise(scale=1.8, limb=0.0, hidden=0.95, hidden_time=4.0)
"""Second detections of a person are poor and rare, for a fifth of a second at a time."""
_NOBODY = 0.02
"""Share of frames with a false detection."""
_COUNTED = 0.3
"""Smallest visible share of the joints at which a tracker must find the person."""
_TRUNK_RADIUS, _LIMB_RADIUS = 0.14, 0.07
"""Radius of trunk and limbs where a body hides others, metres."""
_TRUNK = ("spine", "thorax", "neck_base", "head_top")
_JOINTS = CMU28.indices(list(COCO17.joints))


@dataclass(frozen=True)
class Scene:
    """The detections of a clip, and the person of each.

    Attributes:
        image_size: (width, height), pixels.
        times: time of each frame, seconds.
        detections: COCO-17 poses of each frame, in random order; some are duplicates, some false.
        owners: for each detection the number of the person, from 0; -1 for a false one.
        boxes: box around the visible joints of each person; NaN where less than 30 % of the joints are visible.
    """

    image_size: tuple[int, int]
    times: Float[np.ndarray, " t"]
    detections: tuple[Detections, ...]
    owners: tuple[Int[np.ndarray, " _"], ...]
    boxes: Float[np.ndarray, "n t 4"]


def make_scene(corpus: MotionCorpus, people: int, seed: int, seconds: float = 8.0, fps: float = 25.0) -> Scene:
    """A random scene; equal arguments give equal scenes.

    Args:
        corpus: the motion. A clip that is shorter than the scene plays to and fro.
        people: number of people.
        seed: seed of the paths, the camera and the detector.
        seconds: length of the scene.
        fps: frames per second.

    Raises:
        InputError: no clip of the corpus has all joints of COCO-17.
    """
    rng = np.random.default_rng([people, seed])
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    times = np.arange(round(seconds * fps)) / fps
    joints = _act(corpus.convert(CMU28), people, times, rng)
    K = torch.from_numpy(intrinsics_from_fov(*_SIZE, math.radians(rng.uniform(50, 65))))
    pixels = project(joints.flatten(0, 1), K).unflatten(0, joints.shape[:2])
    hidden = _behind_others(pixels.numpy(), joints.numpy(), float(K[0, 0])) | _behind_pillar(pixels.numpy(), rng)
    exact = pixels[:, :, _JOINTS].numpy()
    in_sight = ((exact >= 0) & (exact < _SIZE)).all(-1) & ~hidden
    share = in_sight.mean(-1)
    boxes = _boxes(np.where(in_sight[..., None], exact, np.nan))

    clock = torch.from_numpy(times).float().expand(people, -1)
    size = torch.tensor(_SIZE).float().expand(people, -1)
    extent = _extent(boxes)

    def find(noise: DetectorNoise, slack: float, trust: float) -> _Finds:
        points, scores = (
            part[:, :, _JOINTS].double().numpy() for part in detect(pixels, clock, size, noise, generator)
        )
        # Hidden joints are guesses with low scores.
        guess = rng.normal(0, 0.03, points.shape) * extent[..., None, None]
        found = boxes + slack * extent[..., None] * rng.normal(size=boxes.shape)
        return _Finds(
            np.isfinite(points).all(-1).any(-1) & (share > rng.uniform(0.2, 0.5, share.shape)),
            # The noise may swap the sides of a thin box.
            np.concatenate(
                (np.minimum(found[..., :2], found[..., 2:]), np.maximum(found[..., :2], found[..., 2:])), -1
            ),
            np.clip(trust * 0.92 * share**0.5 + 0.06 * rng.normal(size=share.shape), 0.05, 1.0),
            np.where(hidden[..., None], points + guess, points),
            np.where(hidden, 0.35 * scores, scores),
        )

    finds = [find(_NOISE, 0.02, 1.0), find(_DOUBLE_NOISE, 0.08, 0.8)]
    finds.append(_nobody(finds[0], rng))
    number = np.arange(people)
    detections, owners = _by_frame(finds, np.concatenate([number, number, np.full(people, -1)]), rng)
    counted = np.where((share >= _COUNTED)[..., None], boxes, np.nan)
    return Scene(_SIZE, times, detections, owners, counted)


class _Finds(NamedTuple):
    """Possible detections of all people; `found` selects the actual ones."""

    found: Bool[np.ndarray, "n t"]
    boxes: Float[np.ndarray, "n t 4"]
    box_scores: Float[np.ndarray, "n t"]
    keypoints: Float[np.ndarray, "n t 17 2"]
    scores: Float[np.ndarray, "n t 17"]


def _nobody(finds: _Finds, rng: np.random.Generator) -> _Finds:
    """False detections: now and then a pose appears elsewhere too."""
    away = rng.uniform(-0.5, 0.5, (*finds.found.shape, 2)) * _SIZE
    return _Finds(
        finds.found & (rng.random(finds.found.shape) < _NOBODY / len(finds.found)),
        finds.boxes + np.concatenate([away, away], -1),
        rng.uniform(0.2, 0.5, finds.found.shape),
        finds.keypoints + away[:, :, None],
        0.5 * finds.scores,
    )


def _by_frame(
    finds: list[_Finds], owners: Int[np.ndarray, " m"], rng: np.random.Generator
) -> tuple[tuple[Detections, ...], tuple[Int[np.ndarray, " _"], ...]]:
    """All detections of each frame and their owners, shuffled."""
    everything = _Finds(*(np.concatenate(parts) for parts in zip(*finds, strict=True)))
    rows = [rng.permutation(np.flatnonzero(there)) for there in everything.found.T]
    detections = tuple(
        Detections(
            boxes=everything.boxes[found, t],
            box_scores=everything.box_scores[found, t],
            keypoints=everything.keypoints[found, t],
            scores=everything.scores[found, t],
            skeleton=COCO17,
        )
        for t, found in enumerate(rows)
    )
    return detections, tuple(owners[found] for found in rows)


def _act(
    corpus: MotionCorpus, people: int, times: Float[np.ndarray, " t"], rng: np.random.Generator
) -> Float[Tensor, "n t 28 3"]:
    """The joints of all people in the camera frame, metres."""
    whole = [clip for clip in range(len(corpus.names)) if corpus.clip(clip)[0][:, _JOINTS].isfinite().all()]
    if not whole:
        raise InputError("the corpus has no clip with all joints of COCO-17; use another corpus")
    height, distance = rng.uniform(1.0, 2.4), rng.uniform(6.5, 8.5)
    actors = []
    for clip in rng.choice(whole, people, replace=people > len(whole)):
        joints, root = corpus.clip(int(clip))
        # To and fro: 0 1 2 3 2 1 0 ...
        frames = np.round(times * corpus.fps).astype(int) + rng.integers(len(joints))
        frames = len(joints) - 1 - np.abs(frames % max(2 * len(joints) - 2, 1) - (len(joints) - 1))
        # Sines across the picture and in depth, each with its own top speed; bodies face their direction.
        reach, speed = np.array([rng.uniform(1, 4.5), rng.uniform(0.3, 2)]), rng.uniform([0.4, 0.1], [1.8, 0.8])
        angle = speed / reach * times[:, None] + rng.uniform(0, 2 * np.pi, 2)
        place, velocity = reach * np.sin(angle), speed * np.cos(angle)
        across = (joints[0, CMU28.index("left_hip")] - joints[0, CMU28.index("right_hip")]).numpy()
        faces = np.arctan2(-across[2], across[0])
        turn = rotation_y(torch.from_numpy(np.arctan2(velocity[:, 0], velocity[:, 1]) - faces).float())
        world = torch.einsum("tik,tjk->tji", turn, joints[frames])
        path = np.stack((place[:, 0], root[frames, 1].numpy(), place[:, 1]), -1)
        world = world + torch.from_numpy(path).float()[:, None]
        # The camera looks along -Z, level; x right, y down, z forward.
        actors.append(torch.stack((world[..., 0], height - world[..., 1], distance - world[..., 2]), -1))
    return torch.stack(actors)


def _behind_others(
    pixels: Float[np.ndarray, "n t 28 2"], joints: Float[np.ndarray, "n t 28 3"], focal: float
) -> Bool[np.ndarray, "n t 17"]:
    """True for joints inside the outline of a nearer person."""
    depth = joints[:, :, 0, 2]
    parents, children = np.array(CMU28.bone_indices).T
    metres = np.array([_TRUNK_RADIUS if child in _TRUNK else _LIMB_RADIUS for _, child in CMU28.bones])
    hidden = np.zeros((*pixels.shape[:2], len(_JOINTS)), bool)
    for front in range(len(pixels)):
        start = pixels[front][:, None, parents]
        bone = pixels[front][:, None, children] - start
        radius = metres * focal / depth[front][:, None, None]
        for behind in range(len(pixels)):
            nearer = depth[front] < depth[behind]
            if not nearer.any():
                continue
            apart = pixels[behind][:, _JOINTS, None] - start
            along = np.clip((apart * bone).sum(-1) / np.maximum((bone**2).sum(-1), 1e-6), 0, 1)
            distance = np.linalg.norm(apart - along[..., None] * bone, axis=-1)
            hidden[behind] |= (distance < radius).any(-1) & nearer[:, None]
    return hidden


def _behind_pillar(pixels: Float[np.ndarray, "n t 28 2"], rng: np.random.Generator) -> Bool[np.ndarray, "n t 17"]:
    """True for joints behind a pillar in front of all people."""
    middle, width = rng.uniform(0.3, 0.7) * _SIZE[0], rng.uniform(0.04, 0.14) * _SIZE[0]
    hidden: np.ndarray = np.abs(pixels[:, :, _JOINTS, 0] - middle) < width / 2
    return hidden


def _boxes(points: Float[np.ndarray, "n t j 2"]) -> Float[np.ndarray, "n t 4"]:
    """Boxes around the known joints, a tenth larger, clipped to the picture; NaN without joints."""
    known = np.isfinite(points).all(-1, keepdims=True)
    low, high = np.where(known, points, np.inf).min(2), np.where(known, points, -np.inf).max(2)
    margin = np.where(known.any(2), 0.05 * (high - low), np.nan)
    return np.concatenate([np.clip(low - margin, 0, _SIZE), np.clip(high + margin, 0, _SIZE)], -1)


def _extent(boxes: Float[np.ndarray, "*b 4"]) -> Float[np.ndarray, "*b"]:
    longer: np.ndarray = (boxes[..., 2:] - boxes[..., :2]).max(-1)
    return longer
