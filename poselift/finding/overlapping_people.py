"""Crop detections of people who overlap. The others are painted out, and no joint goes to two people."""

from collections.abc import Sequence

import cv2
import numpy as np
from jaxtyping import Bool, Float, Int, UInt8

from poselift.core.caution import Caution
from poselift.core.unchecked import replace_unchecked
from poselift.finding.followed_person import Place
from poselift.skeleton import Skeleton
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Detections

_LIMB, _HEAD = 0.07, 0.08
"""Width of a painted limb and radius of a painted head, as a share of the longer side of the person's box."""
_GREY = 128
"""What people are painted out with."""
_REACH = 0.1
"""Margin around a box within which others count as overlapping, as a share of its longer side."""
_CLAIMED = 0.04
"""Distance within which two joints of one kind lie in one place, as a share of the smaller person's size."""
_BESIDE, _BESIDE_EXPECTED, _UNSURE = 0.1, 0.15, 0.6
"""Distance within which a joint may be another person's, as a share of the smaller person's size; the same where the
other is expected and not seen; and score below which this is likely. Chosen on crossings (benchmarks/tracking.md)."""
_TOLERANCE = 0.1
"""Distance of a joint from where it is expected that counts as far, as a share of the person's size."""
_LIMBS = ("elbow", "wrist", "knee", "ankle")
"""Joints that two people may claim; where trunks coincide, one of the two is dropped."""
_MARGIN = 0.1
"""By how much the joints of who stands behind score lower, at least, where the two overlap."""
_APART = 0.25
"""Longest time between two confusions of one span, seconds."""
_NAMED, _REMEMBERED = 5, 1000
"""Spans that a warning names, and that are kept; streams have no end."""
_TRUNK = ("shoulder", "hip")
_FACE = ("nose", "eye", "ear")


def touch(box: Float[np.ndarray, "4"], other: Float[np.ndarray, "4"]) -> bool:
    """Whether the crop of one box may show another box's person."""
    reach = _REACH * (box[2:] - box[:2]).max()
    return bool((box[:2] - reach < other[2:]).all() and (other[:2] < box[2:] + reach).all())


def draw_silhouette(
    points: Float[np.ndarray, "j 2"], skeleton: Skeleton, shape: tuple[int, ...], wider: float = 1.0
) -> UInt8[np.ndarray, "h w"]:
    """A mask of a body, 1 inside and 0 outside.

    Args:
        points: its joints, pixels; NaN for those that were not seen.
        skeleton: of the joints.
        shape: (height, width, ...) of the picture.
        wider: factor of the width of limbs and head.
    """
    mask = np.zeros(shape[:2], np.uint8)
    there = np.isfinite(points).all(-1)
    if not there.any():
        return mask
    size = float(np.ptp(points[there], axis=0).max())
    pixels = np.clip(np.nan_to_num(points), -30000, 30000).round().astype(np.int32)
    for one, other in skeleton.bone_indices:
        if there[one] and there[other]:
            cv2.line(mask, pixels[one].tolist(), pixels[other].tolist(), 1, max(1, round(wider * _LIMB * size)))
    trunk, face = (
        [row for row, joint in enumerate(skeleton.joints) if there[row] and joint.endswith(names)]
        for names in (_TRUNK, _FACE)
    )
    if len(trunk) > 2:
        cv2.fillConvexPoly(mask, cv2.convexHull(pixels[trunk]), 1)
    if face:
        middle = pixels[face].mean(0).round().astype(int).tolist()
        cv2.circle(mask, middle, max(1, round(wider * _HEAD * size)), 1, -1)
    return mask


def paint_out_others(
    frame: UInt8[np.ndarray, "_ _ 3"], place: Place, others: Sequence[Place], skeleton: Skeleton, shared: bool = True
) -> tuple[UInt8[np.ndarray, "_ _ 3"], Float[np.ndarray, "2"]]:
    """A place's part of the picture, with other bodies painted out.

    Args:
        frame: the picture.
        place: of the person who is looked for.
        others: who overlap.
        skeleton: of the joints.
        shared: leave what lies on the body that is looked for too, unless it is clearly behind.

    Returns:
        The part, and the pixel of its upper left corner in the picture.
    """
    side = float((place.box[2:] - place.box[:2]).max())
    low = np.maximum(np.floor(place.box[:2] - side), 0).astype(int)
    high = np.minimum(np.ceil(place.box[2:] + side), frame.shape[1::-1]).astype(int)
    part = frame[low[1] : high[1], low[0] : high[0]].copy()
    own = draw_silhouette(place.points - low, skeleton, part.shape)
    for other in others:
        body = draw_silhouette(other.points - low, skeleton, part.shape)
        kept = shared and _mean_score(place, body, low) >= _mean_score(other, own, low) - _MARGIN
        part[body > own * kept] = _GREY
    return part, low.astype(float)


def _mean_score(place: Place, body: UInt8[np.ndarray, "h w"], low: Int[np.ndarray, "2"]) -> float:
    """Mean score of the joints on a body; 0 without any. Those of who stands in front are higher."""
    x, y = np.nan_to_num(place.points - low, nan=-1).round().astype(int).T
    inside = (x >= 0) & (y >= 0) & (x < body.shape[1]) & (y < body.shape[0])
    on = np.zeros(len(inside), bool)
    on[inside] = body[y[inside], x[inside]] > 0
    return float(place.scores[on].mean()) if on.any() else 0.0


def measure_agreement(found: Detections, place: Place, row: int = 0) -> float:
    """Soft share of joints where they were expected, 0 to 1. Scores are the weights."""
    apart = np.linalg.norm(found.keypoints[row] - place.points, axis=-1) / place.size
    seen = np.isfinite(apart)
    weights = found.scores[row][seen]
    return float(weights @ np.exp(-(apart[seen] ** 2) / (2 * _TOLERANCE**2))) / max(float(weights.sum()), 1e-9)


def without_joints(found: Detections, lost: Bool[np.ndarray, "n j"]) -> Detections:
    """The people without some joints."""
    keypoints, scores = np.where(lost[..., None], np.nan, found.keypoints), np.where(lost, 0.0, found.scores)
    return replace_unchecked(found, keypoints=keypoints, scores=scores)


def find_claimed_joints(
    found: Detections, expected: Sequence[Float[np.ndarray, "j 2"] | None]
) -> tuple[Bool[np.ndarray, "n j"], Bool[np.ndarray, "n j"]]:
    """Joints on another's joint of that kind, and less likely there.

    A joint that is where its owner was expected keeps its place; else the higher score decides, because the joints of
    somebody who is hidden score lower.

    Args:
        found: the people of a frame.
        expected: the joints of each where they were expected, pixels; None for newcomers.

    Returns:
        These joints, and those that keep the place though their owner scores lower and so stands behind: doubtful ones.
    """
    lost, doubtful = np.zeros((2, *found.scores.shape), bool)
    sizes = np.maximum((found.boxes[:, 2:] - found.boxes[:, :2]).max(-1, initial=0), 1.0)
    same = _same_limbs(found.skeleton)
    surprise = np.array(
        [
            np.full(len(same), np.inf)
            if points is None
            else np.linalg.norm(found.keypoints[row] - points, axis=-1) / sizes[row]
            for row, points in enumerate(expected)
        ]
    )
    surprise = np.nan_to_num(surprise, nan=np.inf)
    for one in range(len(found)):
        for other in range(one):
            apart = np.linalg.norm(found.keypoints[one][:, None] - found.keypoints[other], axis=-1)
            for a, b in np.argwhere(same & (apart < _CLAIMED * min(sizes[one], sizes[other]))).tolist():
                first, second = surprise[one, a], surprise[other, b]
                if min(first, second) < _CLAIMED < abs(first - second):
                    stays = first < second
                else:
                    stays = found.scores[one, a] >= found.scores[other, b]
                winner, loser = ((one, a), (other, b)) if stays else ((other, b), (one, a))
                lost[loser] = True
                doubtful[winner] |= found.box_scores[winner[0]] < found.box_scores[loser[0]]
    return lost, doubtful


def find_doubtful_joints(
    found: Detections, expected: Sequence[Float[np.ndarray, "j 2"] | None], unseen: Sequence[Place]
) -> Bool[np.ndarray, "n j"]:
    """Limb joints that may be another person's joint beside them.

    Both are of the same kind. Two of three signs decide: the joint scores low, the other person has the higher score
    and so stands in front, and the joint is nearer to the other's than to where its owner was expected.

    Args:
        found: the people of a frame; NaN for joints that were not seen.
        expected: the joints of each where they were expected, pixels; None for newcomers.
        unseen: where others are expected who are not found in the frame, such as those who are hidden.
    """
    doubtful = np.zeros(found.scores.shape, bool)
    same = _same_limbs(found.skeleton)
    others = [
        (box, [points, theirs], score, _BESIDE)
        for box, points, theirs, score in zip(found.boxes, found.keypoints, expected, found.box_scores, strict=True)
    ]
    others += [(place.box, [place.points], 0.0, _BESIDE_EXPECTED) for place in unseen]
    for one, own in enumerate(expected):
        box, points = found.boxes[one], found.keypoints[one]
        for other, (their_box, poses, score, reach) in enumerate(others):
            if one == other or not touch(box, their_box):
                continue
            apart = np.array([np.linalg.norm(points[:, None] - pose, axis=-1) for pose in poses if pose is not None])
            nearest = np.where(same & np.isfinite(apart), apart, np.inf).min((0, 2))
            signs = (found.scores[one] < _UNSURE).astype(int) + (found.box_scores[one] < score)
            if own is not None:
                signs += nearest < np.nan_to_num(np.linalg.norm(points - own, axis=-1), nan=np.inf)
            size = max(1.0, min(float((each[2:] - each[:2]).max()) for each in (box, their_box)))
            doubtful[one] |= (nearest < reach * size) & (signs >= 2)
    return doubtful


def _same_limbs(skeleton: Skeleton) -> Bool[np.ndarray, "j j"]:
    """Whether two joints are of one kind and of a limb. Both knees are."""
    kinds = [strip_side(joint) for joint in skeleton.joints]
    limbs = [joint.endswith(_LIMBS) for joint in skeleton.joints]
    return np.array([[one == other for other in kinds] for one in kinds]) & np.array(limbs)


class Confusions:
    """The times at which people could not be told apart."""

    def __init__(self) -> None:
        self._joints: list[tuple[float, float]] = []
        self._people: list[tuple[float, float]] = []

    def joint(self, time: float) -> None:
        """Two people's joints lie in one place at a time, seconds."""
        _extend(self._joints, time)

    def person(self, time: float) -> None:
        """Somebody overlapped is not seen at a time, seconds."""
        _extend(self._people, time)

    def warnings(self) -> list[Caution]:
        """A line for each kind."""
        kinds = (
            (self._people, "people overlap, and one of them is missing or was taken for another"),
            (self._joints, "people overlap, and joints that two of them claimed are left out of one"),
        )
        return [Caution(f"{text}: {_spans(spans)}", "confusion") for spans, text in kinds if spans]


def _extend(spans: list[tuple[float, float]], time: float) -> None:
    """Adds a time to spans, the last of which it may extend."""
    start = spans.pop()[0] if spans and time - spans[-1][1] <= _APART else time
    spans.append((start, time))
    del spans[:-_REMEMBERED]


def _spans(spans: Sequence[tuple[float, float]]) -> str:
    shown = [f"{start:.2f} to {end:.2f} s" if end > start else f"{start:.2f} s" for start, end in spans[:_NAMED]]
    return ", ".join(shown) + (f" and {len(spans) - _NAMED} more times" if len(spans) > _NAMED else "")
