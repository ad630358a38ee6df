"""COCO's object keypoint similarity (OKS), and average precision over it.

As defined at https://cocodataset.org/#keypoints-eval. Unlike most metrics here they are from 0 to 1, as COCO's
own tool prints them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.functional.terms import Terms, prepare
from poselift.skeleton import COCO17

_SIGMAS = {
    "nose": 0.026,
    "eye": 0.025,
    "ear": 0.035,
    "shoulder": 0.079,
    "elbow": 0.072,
    "wrist": 0.062,
    "hip": 0.107,
    "knee": 0.087,
    "ankle": 0.089,
}
COCO_SIGMAS = tuple(_SIGMAS[joint.rpartition("_")[2]] for joint in COCO17.joints)
"""The spread of human annotators per joint of `COCO17`, relative to the person's size."""

OKS_THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
RECALLS = tuple(step / 100 for step in range(101))
MOST_PEOPLE = 20
"""Detections of one image that COCO looks at, the best by score."""


@dataclass(frozen=True)
class PosesInImage:
    """What was found and what is true in one image, for average precision.

    Attributes:
        keypoints: of the people found, pixels.
        scores: how sure each of them is.
        target: of the people there, pixels.
        areas: of the people there, px² (COCO's `area`).
        mask: True where a joint of `target` is labelled. People without any labelled joint are left out; a
            detection of one is then a false positive.
    """

    keypoints: Float[Tensor, "n j 2"]
    scores: Float[Tensor, " n"]
    target: Float[Tensor, "m j 2"]
    areas: Float[Tensor, " m"]
    mask: Bool[Tensor, "m j"]


def joint_similarities(
    pred: Float[Tensor, "*batch j 2"],
    target: Float[Tensor, "*batch j 2"],
    area: Float[Tensor, "*batch"],
    mask: Bool[Tensor, "*batch j"] | None = None,
    sigmas: Sequence[float] = COCO_SIGMAS,
) -> Terms:
    """exp(-d² / (2 area (2 sigma)²)) for each joint; Terms of shape (*batch, j).

    Raises:
        ValueError: there are not as many sigmas as joints.
    """
    if len(sigmas) != pred.shape[-2]:
        raise ValueError(f"{len(sigmas)} sigmas were given for {pred.shape[-2]} joints")
    pred, target, mask = prepare(pred, target, mask)
    variances = (2 * pred.new_tensor(sigmas)).square() * area.double()[..., None]
    return Terms(torch.exp(-(pred - target).square().sum(-1) / (2 * variances)), mask)


def pose_similarities(
    pred: Float[Tensor, "*batch j 2"],
    target: Float[Tensor, "*batch j 2"],
    area: Float[Tensor, "*batch"],
    mask: Bool[Tensor, "*batch j"] | None = None,
    sigmas: Sequence[float] = COCO_SIGMAS,
) -> Terms:
    """`oks` of each person; Terms of shape (*batch), where people without joints that count do not count.

    Raises:
        ValueError: there are not as many sigmas as joints.
    """
    terms = joint_similarities(pred, target, area, mask, sigmas)
    return Terms(terms.mean(-1), terms.counts.any(-1))


def oks(
    pred: Float[Tensor, "*batch j 2"],
    target: Float[Tensor, "*batch j 2"],
    area: Float[Tensor, "*batch"],
    mask: Bool[Tensor, "*batch j"] | None = None,
    sigmas: Sequence[float] = COCO_SIGMAS,
) -> Float[Tensor, "*batch"]:
    """Object keypoint similarity of each person.

    Formula: the mean over labelled joints of exp(-d² / (2 area (2 sigma)²)).
    Source: COCO, https://cocodataset.org/#keypoints-eval.
    Range: 0 to 1, higher is better.
    Unseen: joints that are not labelled are left out; NaN for a person without any.
    Traps: `area` is of the person's outline in COCO; of the box it is larger, and the similarity higher.

    Args:
        pred: pixels.
        target: pixels.
        area: of each person, px².
        mask: True where a joint is labelled; all are if left out.
        sigmas: per joint, COCO's if left out.

    Raises:
        ValueError: there are not as many sigmas as joints.
    """
    return joint_similarities(pred, target, area, mask, sigmas).mean(-1)


def match_poses(
    image: PosesInImage, sigmas: Sequence[float] = COCO_SIGMAS
) -> tuple[Float[Tensor, " kept"], Bool[Tensor, "kept 10"], int]:
    """Assigns the people found in an image to those there, at each of `OKS_THRESHOLDS`.

    In order of score, each takes the most similar person who is still free and similar enough.

    Returns:
        The scores of the (at most 20) best detections, whether each was assigned, and how many people there are.
    """
    labelled = image.mask.any(-1)
    target, areas, mask = image.target[labelled], image.areas[labelled], image.mask[labelled]
    scores, order = image.scores.sort(descending=True, stable=True)
    scores, found = scores[:MOST_PEOPLE], image.keypoints[order[:MOST_PEOPLE]]
    n, m = len(found), len(target)
    matched = torch.zeros(n, len(OKS_THRESHOLDS), dtype=torch.bool, device=scores.device)
    if n == 0 or m == 0:
        return scores, matched, m
    pairs = (n, m, *target.shape[1:])
    similarity = oks(
        found[:, None].expand(pairs), target.expand(pairs), areas.expand(n, m), mask.expand(pairs[:-1]), sigmas
    ).cpu()
    # A pose or person with NaN, or a person without an area, is like nobody, and does not spoil the others.
    similarity = similarity.nan_to_num(0.0)
    for column, threshold in enumerate(OKS_THRESHOLDS):
        free = torch.ones(m, dtype=torch.bool)
        for row in range(n):
            best = similarity[row].where(free, -1.0).argmax()
            if free[best] and similarity[row, best] >= threshold:
                matched[row, column], free[best] = True, False
    return scores, matched, m


def average_precision(scores: Float[Tensor, " n"], matched: Bool[Tensor, "n 10"], people: int) -> Float[Tensor, " 10"]:
    """The mean precision at 101 recalls from 0 to 1, for each of `OKS_THRESHOLDS`; NaN if there is nobody to find.

    Precision at a recall is the best one at that recall or a higher one, and 0 where the recall is not reached.
    """
    if people == 0:
        return torch.full((len(OKS_THRESHOLDS),), torch.nan, dtype=torch.float64, device=scores.device)
    order = scores.argsort(descending=True, stable=True)
    hits = matched[order].double().cumsum(0)
    precision = hits / torch.arange(1, len(scores) + 1, device=scores.device)[:, None]
    precision = precision.flip(0).cummax(0).values.flip(0) if len(scores) else precision
    # A row of zeros after the last, for recalls that are not reached.
    precision = torch.nn.functional.pad(precision, (0, 0, 0, 1))
    recall = (hits / people).T.contiguous()
    places = torch.searchsorted(recall, recall.new_tensor(RECALLS).expand(len(recall), -1).contiguous())
    return precision.T.gather(1, places).mean(1)


def oks_ap(images: Sequence[PosesInImage], sigmas: Sequence[float] = COCO_SIGMAS) -> Float[Tensor, ""]:
    """COCO's keypoint average precision.

    Formula: the mean, over OKS thresholds 0.5, 0.55, ..., 0.95 and 101 recalls, of the best precision at that recall
        or a higher one.
    Source: COCO, https://cocodataset.org/#keypoints-eval.
    Range: 0 to 1, higher is better.
    Unseen: people without a labelled joint are not there to be found; a pose with NaN at a labelled joint, or a
        person without an area, is like nobody; NaN if nobody is there.
    Traps: all sizes of people count; crowd regions and COCO's ignored people do not exist here. It depends on the
        order of the scores over all images, so that it is not the mean of the images' own.

    Raises:
        ValueError: there are not as many sigmas as joints.
    """
    if not images:
        return torch.tensor(torch.nan, dtype=torch.float64)
    scores, matched, people = zip(*(match_poses(image, sigmas) for image in images), strict=True)
    return average_precision(torch.cat(scores), torch.cat(matched), sum(people)).mean()
