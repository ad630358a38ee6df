"""Joint centres of the CMU corpus, moved to anatomy's places.

Detectors have them there too.

CMU's skeletons put some joints elsewhere: standing knees are bent by some 20 degrees and lie too high, because the knee
is near the front of the leg; the wrist is 5 cm short of the wrist; shoulders are narrow. A lifter that learns them
lifts standing people with bent knees, and takes a longer forearm for another pose. The proportions to which they are
moved are those of the joint centres that were fitted to ACCAD's markers by function.
"""

from collections.abc import Collection
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.data.corpus import MotionCorpus
from poselift.skeleton import CMU28

_STANDING, _STRAIGHT, _BENT = 20.0, 8.0, 90.0
"""Degrees: the flexion of CMU's standing knees, what it is on people, and where the two agree."""

_THIGH = 1.07
"""Factor of the ratio of thigh to shank: 0.95 on the mean of CMU's people, 1.02 on ACCAD's."""

_FOREARM = 0.86
"""Ratio of forearm to upper arm, median of ACCAD's arms."""

_SHOULDERS, _NARROWEST = 1.08, 0.73
"""Factor of the distance between the shoulders, and the least share of hip to shoulder that it may be."""


def change_anatomy(corpus: MotionCorpus, subjects: Collection[str]) -> MotionCorpus:
    """The corpus with knees, wrists, hands and shoulders of some people moved.

    Hips, ankles, feet and elbow angles stay; unknown joints stay unknown.

    Args:
        corpus: joints of CMU-28.
        subjects: whose joints to move.
    """
    joints = corpus.joints.clone()
    starts = corpus.clip_start.tolist()
    for subject in dict.fromkeys(name for name in corpus.subjects if name in subjects):
        clips = [c for c, name in enumerate(corpus.subjects) if name == subject]
        rows = torch.cat([torch.arange(starts[c], starts[c + 1]) for c in clips])
        joints[rows] = _widen(_lengthen(_straighten(joints[rows])))
    return replace(corpus, joints=joints)


def _length(joints: Float[Tensor, "t j 3"], start: str, end: str) -> Float[Tensor, ""]:
    """Median distance of two joints, metres."""
    return (joints[:, CMU28.index(start)] - joints[:, CMU28.index(end)]).norm(dim=-1).nanmedian()


def _straighten(joints: Float[Tensor, "t j 3"]) -> Float[Tensor, "t j 3"]:
    """Knees less bent when nearly straight, between hips and ankles that stay."""
    joints = joints.clone()
    for side in ("left", "right"):
        hip, knee, ankle = (joints[:, CMU28.index(f"{side}_{joint}")] for joint in ("hip", "knee", "ankle"))
        ratio = (
            _THIGH * _length(joints, f"{side}_hip", f"{side}_knee") / _length(joints, f"{side}_knee", f"{side}_ankle")
        )
        line = ankle - hip
        span = line.norm(dim=-1, keepdim=True)
        along = line / span
        thigh, shank = (
            torch.nn.functional.normalize(knee - hip, dim=-1),
            torch.nn.functional.normalize(ankle - knee, dim=-1),
        )
        flexion = torch.rad2deg(torch.acos((thigh * shank).sum(-1, keepdim=True).clamp(-1, 1)))
        bent = _STRAIGHT + (flexion - _STANDING) * (_BENT - _STRAIGHT) / (_BENT - _STANDING)
        less = torch.where(
            flexion < _STANDING, flexion * _STRAIGHT / _STANDING, torch.where(flexion < _BENT, bent, flexion)
        )
        cosine = torch.cos(torch.deg2rad(less))
        lower = span / (1 + ratio**2 + 2 * ratio * cosine).sqrt()  # the shank, by the law of cosines
        before = lower * (ratio**2 + ratio * cosine) / (1 + ratio**2 + 2 * ratio * cosine).sqrt()
        aside = ((ratio * lower).square() - before.square()).clamp(min=0).sqrt()
        out = knee - hip - ((knee - hip) * along).sum(-1, keepdim=True) * along
        joints[:, CMU28.index(f"{side}_knee")] = (
            hip + before * along + aside * torch.nn.functional.normalize(out, dim=-1)
        )
    return joints


def _lengthen(joints: Float[Tensor, "t j 3"]) -> Float[Tensor, "t j 3"]:
    """Forearms at the length that upper arms ask for.

    Hands go with the wrists.
    """
    joints = joints.clone()
    for side in ("left", "right"):
        elbow, wrist, hand = (CMU28.index(f"{side}_{joint}") for joint in ("elbow", "wrist", "hand"))
        upper, fore = (
            _length(joints, f"{side}_shoulder", f"{side}_elbow"),
            _length(joints, f"{side}_elbow", f"{side}_wrist"),
        )
        longer = (joints[:, wrist] - joints[:, elbow]) * (_FOREARM * upper / fore - 1).clamp(min=0)
        joints[:, wrist] += longer
        joints[:, hand] += longer
    return joints


def _widen(joints: Float[Tensor, "t j 3"]) -> Float[Tensor, "t j 3"]:
    """Shoulders further apart; the arms go with them."""
    joints = joints.clone()
    width = _length(joints, "left_shoulder", "right_shoulder")
    trunk = _length(joints, "left_hip", "left_shoulder")
    factor = _SHOULDERS * torch.clamp(_NARROWEST / _SHOULDERS * trunk / width, min=1.0)
    across = joints[:, CMU28.index("left_shoulder")] - joints[:, CMU28.index("right_shoulder")]
    for side, sign in (("left", 0.5), ("right", -0.5)):
        arm = CMU28.indices([f"{side}_{joint}" for joint in ("shoulder", "elbow", "wrist", "hand")])
        joints[:, arm] += (sign * (factor - 1) * across)[:, None]
    return joints
