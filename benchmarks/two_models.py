"""How far the joints of two models, and of both joined, are from the other camera's epipolar lines.

    python -m benchmarks.two_models FOLDER [--models FILE ...] [--every 2]

The folder has a video of each of two calibrated cameras that started together, NAME.mp4, and `calibration.toml` in the
layout of Pose2Sim (focal length and centre in pixels, rotation vector, translation). No label is needed: a joint that
both cameras see lies on the line that its place in the other picture makes. The distance is the mean of both pictures',
in pixels, and in per cent of the person; the table has medians, and the share of joints that are farther
than a twentieth of the body. People are MoveNet's of `--quality best`; the other models look at them, each frame for
itself. The tables below have those of `--quality best` and `balanced`, with the second model's usual pauses.

`--models` are further graphs of tools/prepare_landmark_models.py, beside the shipped one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, product
from pathlib import Path

import numpy as np
from jaxtyping import Float

from benchmarks.clips import track_clip
from benchmarks.command import command_line, errors_shown, print_table
from poselift.core.errors import InputError
from poselift.detection import MoveNetBlazePose
from poselift.detection.blazepose import BlazePose
from poselift.detection.joining import FULL_FACTORS, HEAVY_FACTORS, compare, join
from poselift.finding import VideoClip
from poselift.geometry.camera import Camera
from poselift.several_views.calibration_files import read_calibration
from poselift.skeleton import COCO_WHOLEBODY23
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Keypoints2D
from poselift.video import Frame, VideoReader

_FAR = 0.05
"""Distance that counts as far, as a share of the body."""
_SEEN = 0.2
"""Least score of a joint that counts."""
_SCORES = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
"""Limits of the groups of joints by score."""
_KINDS = ("shoulder", "elbow", "wrist", "hip", "knee", "ankle", "heel", "big_toe")
Poses = dict[int, tuple[Float[np.ndarray, "23 2"], Float[np.ndarray, " 23"]]]
"""Keypoints and scores by time, milliseconds."""


def straighten(points: Float[np.ndarray, "j 2"], camera: Camera) -> Float[np.ndarray, "j 2"]:
    """Pixels of the same camera without distortion."""
    rays: np.ndarray = camera.rays(points) @ camera.K.T
    return rays[..., :2]


def read_pair(folder: Path) -> tuple[list[Path], list[Camera]]:
    """The two videos of a folder, and their cameras.

    Raises:
        InputError: the folder has no calibration, or not two videos of its cameras.
    """
    cameras = read_calibration([folder / "calibration.toml"])
    known = {name.replace("_", ""): camera for name, camera in cameras.items()}
    videos = [path for path in sorted(folder.glob("*.mp4")) if path.stem in known]
    if len(videos) != 2:
        raise InputError(f"{folder} has {len(videos)} videos of its calibrated cameras; two are needed")
    return videos, [known[path.stem] for path in videos]


def epipolar_distances(
    one: Float[np.ndarray, "j 2"], other: Float[np.ndarray, "j 2"], cameras: Sequence[Camera]
) -> Float[np.ndarray, " j"]:
    """Distance of each joint from the line that the other picture makes, mean of both pictures, pixels.

    Source: Hartley and Zisserman, Multiple View Geometry, 2nd edition, section 11.4.3.
    """
    first, second = cameras
    (R1, t1), (R2, t2) = first.extrinsics, second.extrinsics
    R, t = R2 @ R1.T, t2 - R2 @ R1.T @ t1
    cross = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
    F = np.linalg.inv(second.K).T @ cross @ R @ np.linalg.inv(first.K)
    a, b = (
        np.concatenate([straighten(points, camera), np.ones((len(points), 1))], -1)
        for camera, points in ((first, one), (second, other))
    )
    there, here = a @ F.T, b @ F
    apart = np.abs((b * there).sum(-1))
    distances: np.ndarray = (
        apart / np.linalg.norm(there[:, :2], axis=-1) + apart / np.linalg.norm(here[:, :2], axis=-1)
    ) / 2
    return distances


def size_of(points: Float[np.ndarray, "j 2"]) -> float:
    """Longer side of the box around the joints of COCO-17, pixels; NaN without joints."""
    if not np.isfinite(points[:17]).any():
        return np.nan
    return float(np.nanmax(np.nanmax(points[:17], 0) - np.nanmin(points[:17], 0)))


def poses_of(person: Keypoints2D) -> Poses:
    """The crop detections of somebody by time, with the joints of COCO-WholeBody's body and feet."""
    found: Poses = {}
    for row in np.flatnonzero(person.seen).tolist():
        points, scores = np.full((len(COCO_WHOLEBODY23), 2), np.nan), np.zeros(len(COCO_WHOLEBODY23))
        points[: len(person.skeleton)], scores[: len(person.skeleton)] = person.keypoints[row], person.scores[row]
        found[_milliseconds(person.timestamps[row])] = points, scores
    return found


def _milliseconds(seconds: float) -> int:
    return round(1000 * seconds)


def pair_people(several: Sequence[Sequence[Poses]], cameras: Sequence[Camera]) -> list[tuple[int, int]]:
    """Who of the first camera is who of the second: the pairs with the least distances, each person once."""
    costs = []
    for one, other in product(range(len(several[0])), range(len(several[1]))):
        both = sorted(set(several[0][one]) & set(several[1][other]))[::10]
        distances = [
            epipolar_distances(several[0][one][frame][0][:17], several[1][other][frame][0][:17], cameras)
            for frame in both
        ]
        if distances:
            costs.append((float(np.nanmedian(np.concatenate(distances))), one, other))
    pairs: list[tuple[int, int]] = []
    for _, one, other in sorted(costs):
        if all(one != first and other != second for first, second in pairs):
            pairs.append((one, other))
    return pairs


def second_model(
    frames: Iterable[Frame], people: Sequence[Poses], models: Mapping[str, BlazePose]
) -> dict[str, list[Poses]]:
    """What each model, alone and joined with MoveNet, gives for each person in each frame."""
    found: dict[str, list[Poses]] = {
        name: [{} for _ in people] for model in models for name in (model, f"joined with {model}")
    }
    for frame in frames:
        time = _milliseconds(frame.timestamp)
        for person, poses in enumerate(people):
            if time not in poses:
                continue
            points, scores = poses[time][0][:17], poses[time][1][:17]
            for name, model in models.items():
                again = model.look_at(frame.image, points, scores)
                second = again.keypoints[0], again.scores[0]
                factors = FULL_FACTORS if name.endswith("full") else HEAVY_FACTORS
                difference = compare(points, scores, *second, factors)
                found[name][person][time] = second
                found[f"joined with {name}"][person][time] = join(points, scores, difference)
    return found


def rows_of(
    tables: Mapping[str, Sequence[Sequence[Poses]]],
    pairs: Sequence[tuple[int, int]],
    cameras: Sequence[Camera],
    times: set[int] | None = None,
) -> Iterator[list[str]]:
    """The cells of each way: by kind of joint, and of all limbs."""
    kinds = [strip_side(joint) for joint in COCO_WHOLEBODY23.joints]
    for name, several in tables.items():
        distances = {kind: [np.zeros((0, 2))] for kind in _KINDS}
        for one, other in pairs:
            first, second = several[0][one], several[1][other]
            both = set(first) & set(second)
            for time in sorted(both if times is None else both & times):
                (a, a_scores), (b, b_scores) = first[time], second[time]
                pixels = epipolar_distances(a, b, cameras)
                pixels[(a_scores < _SEEN) | (b_scores < _SEEN)] = np.nan
                share = pixels / max(size_of(a), size_of(b))
                for kind in _KINDS:
                    rows = [row for row, each in enumerate(kinds) if each == kind and np.isfinite(pixels[row])]
                    distances[kind].append(np.stack([pixels[rows], share[rows]], -1))
        joined = {kind: np.concatenate(parts) for kind, parts in distances.items()}
        limbs = np.concatenate([joined[kind] for kind in _KINDS[:6]])
        cells = [f"{np.median(part[:, 0]):.1f}" if len(part) else "" for part in joined.values()]
        whole = [
            f"{np.median(limbs[:, 0]):.1f}",
            f"{100 * np.median(limbs[:, 1]):.2f}",
            f"{100 * limbs[:, 1].clip(max=0.2).mean():.2f}",
            f"{100 * (limbs[:, 1] > _FAR).mean():.1f}",
            str(len(limbs)),
        ]
        yield [name, *cells, *whole]


def score_rows(
    tables: Mapping[str, Sequence[Sequence[Poses]]], pairs: Sequence[tuple[int, int]], cameras: Sequence[Camera]
) -> Iterator[list[str]]:
    """Mean distance of the limbs' joints by the lower one of the two scores, per cent of the body, and how many."""
    kinds = np.array([strip_side(joint) for joint in COCO_WHOLEBODY23.joints])
    for name, several in tables.items():
        for group, rows in (("limbs", np.isin(kinds, _KINDS[:6])), ("feet", np.isin(kinds, _KINDS[6:]))):
            found = [np.zeros((0, 2))]
            for one, other in pairs:
                first, second = several[0][one], several[1][other]
                for time in sorted(set(first) & set(second)):
                    (a, a_scores), (b, b_scores) = first[time], second[time]
                    share = epipolar_distances(a, b, cameras) / max(size_of(a), size_of(b))
                    found.append(np.stack([np.minimum(a_scores, b_scores), share], -1)[rows & np.isfinite(share)])
            scores, shares = np.concatenate(found).T
            parts = [shares[(scores >= low) & (scores < high)].clip(max=0.2) for low, high in pairwise(_SCORES)]
            cells = [f"{100 * part.mean():.2f} ({len(part)})" if len(part) else "" for part in parts]
            if any(cells):
                yield [f"{name}, {group}", *cells]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("folder", type=Path, help="two videos, and calibration.toml")
    parser.add_argument("--models", nargs="*", type=Path, default=[], metavar="FILE", help="further landmark models")
    parser.add_argument("--every", type=int, default=2, help="look at every so many frames; default 2")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        videos, cameras = read_pair(options.folder)
        both = MoveNetBlazePose()
        tracks = [track_clip(VideoClip(path, both.first, quality="best")) for path in videos]
        people = [[poses_of(person) for person in each] for each in tracks]
        models = {"heavy": both.second} | {path.stem: BlazePose(path=path) for path in options.models}
        pictures = [islice(VideoReader(path), 0, None, options.every) for path in videos]
        looks = [second_model(frames, each, models) for frames, each in zip(pictures, people, strict=True)]
        pairs = pair_people(people, cameras)
        times = {time for person in next(iter(looks[0].values())) for time in person}
        titles = [f"{kind.replace('_', ' ')} px" for kind in _KINDS]
        titles += ["limbs px", "limbs %", "mean %", f"over {100 * _FAR:.0f} %", "joints"]
        tables = {"MoveNet": people} | {name: [each[name] for each in looks] for name in looks[0]}
        print_table(["", *titles], rows_of(tables, pairs, cameras, times), f"{len(pairs)} people in both cameras")
        for quality in ("best", "balanced"):
            for name, detector in (("MoveNet", both.first), ("joined", both)):
                again = [
                    [poses_of(person) for person in track_clip(VideoClip(path, detector, quality=quality))]
                    for path in videos
                ]
                mine, row = pair_people(again, cameras), {f"{name}, {quality}": again}
                print_table(["", *titles], rows_of(row, mine, cameras))
                bins = [f"{low:.1f} to {high:.1f}" for low, high in pairwise(_SCORES)]
                print_table(["distance % by score", *bins], score_rows(row, mine, cameras))


if __name__ == "__main__":
    main()
