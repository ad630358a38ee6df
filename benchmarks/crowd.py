"""People whom the detector finds in pictures with many people, and people who cross.

    python -m benchmarks.crowd [--people N ...] [--heights PX ...] [--pictures N] [--size WIDTHxHEIGHT] [--out DIR]
    python -m benchmarks.crowd --crossings 20 [--quality NAME]

The people are cut out of the demo clip, as rectangles with a soft edge, and pasted in rows onto one of its frames,
enlarged and blurred. All are at least as high as given from nose to ankles, at most twice as high. The table has the
share of people who are found, the number of false ones, and the share of joints within a tenth of the person's height:
by `detect` in one picture, and by `poselift lift` at the end of one second of it as a still clip.

Each crossing is the demo clip with its walker pasted over it once more, mirrored and a tenth larger, so that the two
walkers meet. The truth is the keypoints of the clip without the other one. The table counts the frames in which the
two boxes overlap: shares in which somebody is found with most of the visible joints, and with no joint in the
other's place; shares in which somebody has such a joint; and clips in which the two exchange their numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Bool, Float, Int, UInt8

from benchmarks.clips import demo, people
from benchmarks.command import command_line, table_head, table_row
from poselift.detection import Detector, build_detector
from poselift.detection.duplicates import intersection_over_union
from poselift.finding import DEFAULT_QUALITY, QUALITIES, build_finder
from poselift.finding.overlapping_people import draw_silhouette
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from poselift.tracking import Tracker
from poselift.video import Frame

_FOUND = 0.1
"""Distance of a joint that is found, as a share of the person's height; half of somebody's joints make a find."""
_MARGIN = 0.12
"""Width of the border around a cut-out, as a share of the person's height."""

_LARGER, _LOWER, _APART, _AROUND = 1.1, 0.1, 24.0, 1.0
"""Of crossings: size of the walker in front, how much lower it stands (both relative to the one behind), pixels between
the places of two crossings, and seconds before and after they meet."""
_DENSE = 1.6
"""By how much a pasted body is wider than a silhouette."""

_SEEN, _MOST = 0.2, 0.8
"""Least score of a joint that counts, and least share of the visible joints of limbs, to be found in a crossing."""
_NAMES = [joint for joint in COCO17.joints if joint.endswith(("shoulder", "elbow", "wrist", "hip", "knee", "ankle"))]
_LIMBS = COCO17.indices(_NAMES)

Picture = UInt8[np.ndarray, "h w 3"]
Poses = Float[np.ndarray, "n 17 2"]


def cut_outs(
    pictures: Sequence[tuple[Picture, float]], persons: Sequence[Keypoints2D]
) -> list[tuple[Picture, np.ndarray]]:
    """Pictures of people from head to feet, and their keypoints in them; only clear ones whose joints are all there."""
    cuts = []
    image_at = {time: image for image, time in pictures}
    for person in persons:
        for row in range(0, len(person), 4):
            points, image = person.keypoints[row], image_at[float(person.timestamps[row])]
            if not np.isfinite(points).all() or person.scores[row].mean() < 0.7:
                continue
            border = _MARGIN * np.ptp(points[:, 1])
            low = np.maximum(np.floor(points.min(0) - border), 0).astype(int)
            high = np.minimum(np.ceil(points.max(0) + border), image.shape[1::-1]).astype(int)
            cuts.append((image[low[1] : high[1], low[0] : high[0]], points - low))
    return cuts


def made_picture(
    count: int, height: float, size: tuple[int, int], cuts: Sequence[tuple[Picture, np.ndarray]], seed: int
) -> tuple[Picture, Poses]:
    """A picture of some people, and their keypoints; the arguments are those of `filling`."""
    *_, last = filling(count, height, size, cuts, seed)
    return last


def filling(
    count: int, height: float, size: tuple[int, int], cuts: Sequence[tuple[Picture, np.ndarray]], seed: int
) -> Iterator[tuple[Picture, Poses]]:
    """A picture with one person, the same with two, and so on, and the keypoints of all people in each.

    Args:
        count: of people in the last picture.
        height: of the smallest ones from nose to ankles, pixels; the largest are twice as high.
        size: (width, height) of the pictures.
        cuts: from `cut_outs`.
        seed: of the choice of people, heights and places.
    """
    rng = np.random.default_rng(seed)
    rows = max(1, round(np.sqrt(count * size[1] / size[0] / 1.5)))
    columns = -(-count // rows)
    cell = np.array([size[0] / columns, size[1] / rows])
    canvas = cv2.GaussianBlur(cv2.resize(demo()[0][0], size), (0, 0), size[0] / 60)
    poses = []
    for number in range(count):
        image, points = cuts[rng.integers(len(cuts))]
        own = np.ptp(points[:, 1])
        scale = min(rng.uniform(1, 2) * height / own, *(0.98 * cell / image.shape[1::-1]))
        if scale * own < 0.999 * height:
            raise ValueError(
                f"{count} people {height:g} px high do not fit into {size[0]} x {size[1]}; give a larger --size"
            )
        if rng.random() < 0.5:
            flip = [0, *(index + 1 if index % 2 else index - 1 for index in range(1, 17))]
            image, points = image[:, ::-1], (points * [-1, 1] + [image.shape[1] - 1, 0])[flip]
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        free = cell - small.shape[1::-1]
        place = np.array(divmod(number, columns)[::-1]) * cell + rng.uniform(0, 1, 2) * np.maximum(free, 0)
        corner = place.astype(int)
        part = canvas[corner[1] : corner[1] + small.shape[0], corner[0] : corner[0] + small.shape[1]]
        mask = np.zeros(part.shape[:2], np.float32)
        edge = max(1, round(0.03 * small.shape[0]))
        mask[edge:-edge, edge:-edge] = 1
        mask = cv2.GaussianBlur(mask, (0, 0), edge / 2)[..., None]
        part[:] = (mask * small[: part.shape[0], : part.shape[1]] + (1 - mask) * part).round()
        poses.append((points + 0.5) * scale - 0.5 + corner)
        yield canvas.copy(), np.array(poses)


def counted(expected: Poses, found: Poses) -> tuple[int, int, int]:
    """Numbers of people found, of false ones, and of joints found."""
    joints = hits(expected, found)
    there = joints > expected.shape[1] / 2
    return int(there.any(1).sum()), int((~there.any(0)).sum()), int(joints.max(1, initial=0).sum())


def hits(expected: Poses, found: Poses) -> Int[np.ndarray, "n m"]:
    """Joints of each expected person that lie where each found one has them."""
    near = _FOUND * np.ptp(expected[..., 1], axis=1)
    close = np.linalg.norm(found - expected[:, None], axis=-1) <= near[:, None, None]  # (expected, found, joint)
    return close.sum(-1)


def lifted(picture: Picture, detector: Detector) -> Poses:
    """The people at the end of a still clip of one second."""
    finder = build_finder(detector, "balanced")
    frames = [Frame(picture, index / 10, index) for index in range(11)]
    *_, (last, _) = finder.find(frames)
    return np.zeros((0, 17, 2)) if last is None else last.keypoints


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
    frames, poses, visible = [], [], []
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


def crossed(crossing: Crossing, detector: Detector, quality: str) -> dict[str, list[float]]:
    """What is found of the two, frame by frame while their boxes overlap; see the module."""
    tracker = Tracker((crossing.frames[0].image.shape[1], crossing.frames[0].image.shape[0]))
    for found, time in build_finder(detector, quality).find(crossing.frames):
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
            (track.person, np.where(track.scores[at, :, None] >= _SEEN, track.keypoints[at], np.nan))
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


def _crossings(count: int, quality: str) -> None:
    """Prints the row of the crossings."""
    pictures, walker, detector = demo(), people()[0], build_detector("movenet")
    total: dict[str, list[float]] = {}
    for number in range(count):
        made = crossing(pictures, walker, (number - (count - 1) / 2) * _APART)
        for name, values in crossed(made, detector, quality).items():
            total.setdefault(name, []).extend(values)
    shown = {
        "front": "in front, %",
        "behind": "behind, %",
        "front, of the other": "in front, joints of the other, %",
        "behind, of the other": "behind, joints of the other, %",
    }
    print(table_head(["quality", "frames", *shown.values(), "exchanged, clips"]))
    shares = (f"{100 * np.mean(total[name]):.1f}" for name in shown)
    print(table_row([quality, str(len(total["front"])), *shares, f"{sum(total['exchanged']):.0f} of {count}"]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each number of people and height."""
    parser = command_line(__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[12, 20], help="in a picture; default 12 20")
    parser.add_argument("--heights", type=float, nargs="+", default=[80, 120], help="least, pixels; default 80 120")
    parser.add_argument("--pictures", type=int, default=5, help="for each row; default 5")
    parser.add_argument("--size", default="1920x1080", help="of the pictures; default 1920x1080")
    parser.add_argument("--out", type=Path, help="keeps the pictures")
    parser.add_argument("--crossings", type=int, metavar="N", help="measure people who cross at N offsets instead")
    parser.add_argument("--quality", choices=QUALITIES, default=DEFAULT_QUALITY, help="of crossings")
    options = parser.parse_args(arguments)
    if options.crossings:
        _crossings(options.crossings, options.quality)
        return
    width, height = map(int, options.size.split("x"))
    cuts, detector = cut_outs(demo(), people()), build_detector("movenet")
    ways = {
        "detect": lambda picture: detector.detect([picture])[0].keypoints,
        "lift": lambda picture: lifted(picture, detector),
    }
    print(table_head(["people", "height, px", "", "found, %", "false ones", "joints, %"]))
    for count in options.people:
        for least in options.heights:
            made = [made_picture(count, least, (width, height), cuts, seed) for seed in range(options.pictures)]
            for seed, (picture, _) in enumerate(made if options.out else []):
                options.out.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(options.out / f"{count}_{least:g}_{seed}.png"), picture[..., ::-1])
            for name, way in ways.items():
                found, false, joints = np.sum([counted(poses, way(picture)) for picture, poses in made], axis=0)
                everybody = count * options.pictures
                shares = f"{100 * found / everybody:.1f}", str(false), f"{100 * joints / (17 * everybody):.1f}"
                print(table_row([str(count), f"{least:g} to {2 * least:g}", name, *shares]), flush=True)


if __name__ == "__main__":
    main()
