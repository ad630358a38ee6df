"""Whole clips seen by one camera, to evaluate on."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.data.corpus import MotionCorpus
from poselift.data.noise import DetectorNoise, detect
from poselift.data.virtual_camera import CameraRange, shoot


@dataclass(frozen=True)
class View:
    """One clip seen by one camera.

    Attributes:
        name: of the view.
        subject: who moves.
        keypoints: pixels; NaN where missing.
        scores: 0 to 1; 0 where missing.
        times: seconds.
        K: intrinsics.
        image_size: width and height, pixels.
        joints: camera frame, metres, relative to the pelvis.
        root: the pelvis, camera frame, metres.
    """

    name: str
    subject: str
    keypoints: Float[Tensor, "t 28 2"]
    scores: Float[Tensor, "t 28"]
    times: Float[Tensor, " t"]
    K: Float[Tensor, "3 3"]
    image_size: Float[Tensor, " 2"]
    joints: Float[Tensor, "t 28 3"]
    root: Float[Tensor, "t 3"]


def film(corpus: MotionCorpus, seed: int) -> list[View]:
    """Each clip of a corpus seen by one random camera and a detector; the same seed gives the same views."""
    generator = torch.Generator(corpus.device).manual_seed(seed)
    views = []
    for index, (name, subject) in enumerate(zip(corpus.names, corpus.subjects, strict=True)):
        joints, root = corpus.clip(index)
        shot = shoot(joints[None], root[None], CameraRange(), generator)
        times = torch.arange(len(joints), device=corpus.device) / corpus.fps
        keypoints, scores = detect(shot.pixels, times[None], shot.image_size, DetectorNoise(), generator)
        views.append(
            View(
                name,
                subject,
                keypoints[0],
                scores[0],
                times,
                shot.K[0],
                shot.image_size[0],
                shot.joints[0],
                shot.root[0],
            )
        )
    return views
