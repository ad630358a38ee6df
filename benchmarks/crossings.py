"""People who cross: who is found with all limbs, and whose number stays.

    python -m benchmarks.crossings [--places 20] [--quality NAME] [--detector NAME ...]

Each crossing is the demo clip with its walker pasted over it once more, mirrored and a tenth larger, so that the two
walkers meet. The truth is the keypoints of the clip without the other one. The table counts the frames in which the
two boxes overlap: shares in which somebody is found with most of the visible joints, and with no joint in the
other's place; shares in which somebody has such a joint; and clips in which the two exchange their numbers. Heavy and
full are BlazePose's models alone, at the people of MoveNet.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Bool, Float, UInt8

from benchmarks.clips import demo, people
from benchmarks.command import command_line, print_table
from poselift.core.registry import published
from poselift.core.unchecked import replace_unchecked
from poselift.detection import build_detector
from poselift.detection.blazepose import BlazePose
from poselift.detection.duplicates import intersection_over_union
from poselift.finding import DEFAULT_QUALITY, QUALITIES, build_finder
from poselift.finding.overlapping_people import draw_silhouette
from poselift.skeleton import COCO17
from poselift.structures import Detections, Keypoints2D
from poselift.tracking import Tracker
from poselift.video import Frame

_FOUND = 0.1
"""Distance of a joint that is found, as a share of the person's height."""

_LARGER, _LOWER, _APART, _AROUND = 1.1, 0.1, 24.0, 1.0
"""Size of the walker in front, how much lower it stands (both relative to the one behind), pixels between
the places of two crossings, and seconds before and after they meet."""
_DETECTORS = ("movenet", "heavy", "full", "movenet-blazepose")
_DENSE = 1.6
"""By how much a pasted body is wider than a silhouette."""

_SEEN, _MOST = 0.2, 0.8
"""Least score of a joint that counts, and least share of the visible joints of limbs, to be found."""
_NAMES = [joint for joint in COCO17.joints if joint.endswith(("shoulder", "elbow", "wrist", "hip", "knee", "ankle"))]
_LIMBS = COCO17.indices(_NAMES)

Picture = UInt8[np.ndarray, "h w 3"]


@dataclass(frozen=True)
class Crossing:
    """A clip in which one person walks in front of another.

    Attributes:
        frames: of the clip.
        poses: of the person behind and of the one in front, in each frame, pixels.
        visible: whether the one in front leaves each joint to be seen.
    """

    frames: list[Frame]
    poses: Float[np.ndarray, "t 2 17 2"]
    visible: Bool[np.ndarray, "t 2 17"]


def crossing(pictures: Sequence[tuple[Picture, float]], walker: Keypoints2D, shift: float) -> Crossing:
    """The walker, and the mirrored walker in front.

    Args:
        pictures: of the demo clip.
        walker: who is in all of them.
        shift: of the one in front to the right, pixels.
    """
    points, width = walker.keypoints, pictures[0][0].shape[1]
    tall = float(np.ptp(points[..., 1], axis=1).mean())
    ground = float(points[..., 1].max(1).mean())
    to_front = np.array(
        [
            [-_LARGER, 0, _LARGER * (width - 1) / 2 + (width - 1) / 2 + shift],
            [0, _LARGER, (1 - _LARGER) * ground + _LOWER * tall],
        ]
    )
    front = (points @ to_front[:, :2].T + to_front[:, 2])[:, list(COCO17.flip_indices)]
    meet = float(walker.timestamps[np.abs(front.mean(1)[:, 0] - points.mean(1)[:, 0]).argmin()])
    frames: list[Frame] = []
    poses, visible = [], []
    for row in np.flatnonzero(np.abs(walker.timestamps - meet) <= _AROUND).tolist():
        image, time = pictures[row]
        size = image.shape[1::-1]
        body = draw_silhouette(points[row], COCO17, image.shape, _DENSE).astype(np.float32)
        soft = cv2.GaussianBlur(body, (0, 0), 0.01 * tall)
        mask = cv2.warpAffine(soft, to_front, size)[..., None]
        pasted = mask * cv2.warpAffine(image, to_front, size) + (1 - mask) * image
        frames.append(Frame(pasted.round().astype(np.uint8), time, len(frames)))
        poses.append([points[row], front[row]])
        x, y = np.clip(points[row].round().astype(int), 0, np.array(size) - 1).T
        visible.append([mask[y, x, 0] < 0.5, np.ones(17, bool)])
    return Crossing(frames, np.array(poses), np.array(visible))


Find = Callable[[Sequence[Frame]], Iterator[tuple[Detections | None, float]]]
"""The people of each frame, and its time in seconds."""


def build_find(name: str, quality: str) -> Find:
    """How a detector of `_DETECTORS` finds people."""
    if name not in ("heavy", "full"):
        detector = build_detector(name)
        return lambda frames: build_finder(detector, quality).find(frames)
    first, model = build_detector("movenet"), BlazePose("cpu", published(f"blazepose_{name}").get())

    def find(frames: Sequence[Frame]) -> Iterator[tuple[Detections | None, float]]:
        for frame, (found, time) in zip(frames, build_finder(first, quality).find(frames), strict=True):
            if found is not None and len(found):
                people = zip(found.keypoints, found.scores, strict=True)
                again = Detections.join([model.look_at(frame.image, *person) for person in people])
                found = replace_unchecked(again, boxes=found.boxes, box_scores=found.box_scores)
            yield found, time

    return find


def crossed(crossing: Crossing, find: Find) -> dict[str, list[float]]:
    """What is found of the two, frame by frame while their boxes overlap; see the module."""
    tracker = Tracker((crossing.frames[0].image.shape[1], crossing.frames[0].image.shape[0]))
    for found, time in find(crossing.frames):
        tracker.update(found, time)
    tracks = [track.bridge() for track in tracker.tracks()]
    same = np.array([[one.split("_")[1] == other.split("_")[1] for other in _NAMES] for one in _NAMES])
    owners: list[list[int]] = [[], []]
    result: dict[str, list[float]] = {"behind": [], "front": [], "exchanged": []}
    result |= {"behind, of the other": [], "front, of the other": []}
    for row, frame in enumerate(crossing.frames):
        poses, visible = crossing.poses[row], crossing.visible[row]
        there = [(int(np.abs(track.timestamps - frame.timestamp).argmin()), track) for track in tracks]
        shown = [
            (track.person, np.where(track.scores[at, :17, None] >= _SEEN, track.keypoints[at, :17], np.nan))
            for at, track in there
            if abs(track.timestamps[at] - frame.timestamp) < 1e-3
        ]
        near = _FOUND * np.ptp(poses[..., 1], axis=1)
        overlap = intersection_over_union(*(np.concatenate([pose.min(0), pose.max(0)])[None] for pose in poses))
        for which, name in enumerate(("behind", "front")):
            own, other = poses[which], poses[1 - which]
            right = [(np.linalg.norm(pose - own, axis=-1) <= near[which])[_LIMBS] for _, pose in shown]
            share = [hit[visible[which][_LIMBS]].mean() if visible[which][_LIMBS].any() else 0.0 for hit in right]
            best = int(np.argmax(share)) if share else -1
            found_there = best >= 0 and share[best] > 0.5
            if found_there:
                owners[which].append(shown[best][0])
            if overlap[0, 0] <= 0:
                continue
            stolen = 0
            if found_there:
                pose = shown[best][1][_LIMBS]
                to_other = np.linalg.norm(pose[:, None] - other[_LIMBS], axis=-1)
                to_other = np.where(same, to_other, np.inf).min(1)
                to_own = np.linalg.norm(pose - own[_LIMBS], axis=-1)
                stolen = int(((to_own > near[which]) & (to_other < near[1 - which] / 2)).sum())
            result[name].append(float(found_there and share[best] >= _MOST and stolen == 0))
            result[f"{name}, of the other"].append(float(stolen > 0))
    first, last = ([own[at] if own else 0 for own in owners] for at in (0, -1))
    result["exchanged"].append(float(first[0] == last[1] or first[1] == last[0]))
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each detector."""
    parser = command_line(__doc__)
    parser.add_argument("--places", type=int, default=20, metavar="N", help="where they meet; default 20")
    parser.add_argument("--quality", choices=QUALITIES, default=DEFAULT_QUALITY, help=f"default {DEFAULT_QUALITY}")
    parser.add_argument(
        "--detector", nargs="+", choices=_DETECTORS, default=_DETECTORS, metavar="NAME", help="of these"
    )
    options = parser.parse_args(arguments)
    others = [f"{place}, joints of the other, %" for place in ("in front", "behind")]
    heads = ["detector, quality", "frames", "in front, %", "behind, %", *others, "exchanged, clips"]
    print_table(heads, _rows(options))


def _rows(options: argparse.Namespace) -> Iterator[list[str]]:
    """The cells of each detector."""
    pictures, walker = demo(), people()[0]
    for name in options.detector:
        find, total = build_find(name, options.quality), defaultdict[str, list[float]](list)
        for number in range(options.places):
            made = crossing(pictures, walker, (number - (options.places - 1) / 2) * _APART)
            for kind, values in crossed(made, find).items():
                total[kind] += values
        kinds = ("front", "behind", "front, of the other", "behind, of the other")
        shares = (f"{100 * np.mean(total[kind]):.1f}" for kind in kinds)
        exchanged = f"{sum(total['exchanged']):.0f} of {options.places}"
        yield [f"`{name}`, {options.quality}", str(len(total["front"])), *shares, exchanged]


if __name__ == "__main__":
    main()
