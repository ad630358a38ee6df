"""Movements on the bodies of others.

For clips whose joint angles are real and whose skeletons are not.
"""

import itertools
from collections.abc import Collection
from dataclasses import replace

import torch
from jaxtyping import Float
from numpy.random import default_rng
from torch import Tensor

from poselift.data.augment import hang, measure_known_bones, pelvis_axes, shoulder_axes
from poselift.data.corpus import MotionCorpus
from poselift.skeleton import CMU28

_HIPS = CMU28.indices(["left_hip", "right_hip"])
_SHOULDERS = CMU28.indices(["left_shoulder", "right_shoulder"])
_LEG = CMU28.indices(["left_knee", "left_ankle"])
_EVERY = 5
"""Frames from which a body is measured: every fifth."""


class BodySize:
    """The sizes of one person.

    Medians over frames in which all joints are known.

    Args:
        joints: of CMU-28, metres.
    """

    def __init__(self, joints: Float[Tensor, "t 28 3"]) -> None:
        bones = measure_known_bones(joints[None])
        self.lengths = bones.norm(dim=-1)[0].median(0).values
        self.hips = (bones @ pelvis_axes(joints[None]))[0].median(0).values[_HIPS]
        self.shoulders = (bones @ shoulder_axes(joints[None]))[0].median(0).values[_SHOULDERS]

    @property
    def leg(self) -> float:
        """Length of the left leg, metres."""
        return float(self.lengths[_LEG].sum())


def collect_bodies(corpus: MotionCorpus, subjects: Collection[str]) -> list[BodySize]:
    """The bodies of subjects with all joints in all frames."""
    bodies = []
    for subject in dict.fromkeys(name for name in corpus.subjects if name in subjects):
        clips = [corpus.clip(index)[0][::_EVERY] for index, name in enumerate(corpus.subjects) if name == subject]
        joints = torch.cat(clips)
        if bool(joints.isfinite().all()):
            bodies.append(BodySize(joints))
    return bodies


def put_on_bodies(corpus: MotionCorpus, bodies: list[BodySize]) -> MotionCorpus:
    """The movements of a corpus, each on another body.

    Each call lends the same bodies.

    Bones keep their directions and take the body's lengths; hips and shoulders are where the body has them. The path
    over the ground scales with the legs. Unknown joints stay unknown.

    Args:
        corpus: joints of CMU-28.
        bodies: at least one.
    """
    chance = default_rng(0)
    joints, root = corpus.joints.clone(), corpus.root.clone()
    starts = corpus.clip_start.tolist()
    for first, end in itertools.pairwise(starts):
        body = bodies[chance.integers(len(bodies))]
        own = corpus.joints[None, first:end]
        bones = measure_known_bones(own)
        moved = torch.nn.functional.normalize(bones, dim=-1) * body.lengths[:, None]
        filled = own.nan_to_num()
        moved[:, :, _HIPS] = torch.einsum("btik,jk->btji", pelvis_axes(filled), body.hips)
        moved[:, :, _SHOULDERS] = torch.einsum("btik,jk->btji", shoulder_axes(filled), body.shoulders)
        joints[first:end] = hang(moved, own)[0]
        leg = float(bones.norm(dim=-1)[0].median(0).values[_LEG].sum())
        root[first:end] *= body.leg / leg
    return replace(corpus, joints=joints, root=root)
