"""Errors of lifted people, by detector, against joints that two calibrated cameras triangulate.

    python -m benchmarks.lifted_pairs FOLDER [--qualities best balanced] [--weights NAME]

The folder is that of `benchmarks.two_models`: two videos of the same people, with a calibration. Each person of each
video is lifted alone, as `poselift lift` lifts them with the camera's intrinsics. The reference has the limb joints
that both cameras see: their scores are `_SEEN` or more, and they lie within a twentieth of the body from the other
camera's epipolar line. It is made from the 2D of each detector with `--quality best`; each row is compared with each
reference, because a detector's own habits are in its own. **The references are a few centimetres off**, as their
distances from the lines are: compare rows with each other.

Columns: P-MPJPE by reference, the mean over people of the mean over frames; for the joined detector's reference also
by person and camera, MPJPE from the middle of the hips, and the share of joints within the uncertainty, relative to
the body and with the height given (benchmarks/uncertainty.py). `both cameras` has no reference: how far the bodies that
the two cameras give for one person are apart, aligned as for P-MPJPE. Good 2D gives the same body from both sides.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.clips import track_clip
from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.real import LIMBS, OPTIONS, frame_errors
from benchmarks.two_models import epipolar_distances, pair_people, poses_of, read_pair, size_of, straighten
from benchmarks.uncertainty import outside
from poselift.data.views import View
from poselift.detection import MoveNetBlazePose
from poselift.finding import QUALITIES, VideoClip
from poselift.geometry import world_to_camera
from poselift.geometry.camera import Camera
from poselift.lifting import lift_view
from poselift.metrics import aligned_joint_errors
from poselift.models import Weights, load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D, Motion

_SEEN, _NEAR = 0.2, 0.05
"""Least score, and most distance from the epipolar line as a share of the body, of a joint of the reference."""
_LIMBS = np.isin(COCO17.joints, LIMBS)
_HIPS = COCO17.indices(["left_hip", "right_hip"])

Pairs = list[tuple[Keypoints2D, Keypoints2D]]
"""Each person in the first and in the second video."""


def triangulate(
    one: Float[np.ndarray, "j 2"], other: Float[np.ndarray, "j 2"], cameras: Sequence[Camera]
) -> Float[np.ndarray, "j 3"]:
    """The places in the world that are seen at these pixels; NaN where one of the two is.

    Source: the linear method of Hartley and Zisserman, Multiple View Geometry, 2nd edition, section 12.2.
    """
    rows = []
    for camera, points in zip(cameras, (one, other), strict=True):
        R, t = camera.extrinsics
        P = camera.K @ np.concatenate([R, t[:, None]], 1)
        straight = straighten(points, camera)
        rows += [straight[:, :1] * P[2] - P[0], straight[:, 1:] * P[2] - P[1]]
    systems = np.stack(rows, 1)  # joints, four equations, four homogeneous coordinates
    known = np.isfinite(systems).all((1, 2))
    places = np.full((len(one), 3), np.nan)
    if known.any():
        solved = np.linalg.svd(systems[known])[2][:, -1]
        places[known] = solved[:, :3] / solved[:, 3:]
    return places


def reference(pair: tuple[Keypoints2D, Keypoints2D], cameras: Sequence[Camera]) -> dict[int, np.ndarray]:
    """The limb joints of somebody in the world by time in milliseconds, others NaN; frames with both hips only."""
    first, second = (poses_of(person) for person in pair)
    found = {}
    for time in sorted(set(first) & set(second)):
        (a, a_scores), (b, b_scores) = (each[time] for each in (first, second))
        a, b = a[: len(COCO17)], b[: len(COCO17)]
        seen = np.minimum(a_scores, b_scores)[: len(COCO17)] >= _SEEN
        near = epipolar_distances(a, b, cameras) <= _NEAR * max(size_of(a), size_of(b))
        places = np.where((_LIMBS & seen & near)[:, None], triangulate(a, b, cameras), np.nan)
        if np.isfinite(places[_HIPS]).all():
            found[time] = places
    return found


def view_of(person: Keypoints2D, true: Mapping[int, np.ndarray], camera: Camera, name: str) -> View:
    """Somebody's keypoints in a camera, beside the reference."""
    times = np.round(1000 * person.timestamps).astype(int).tolist()
    unknown = np.full((len(COCO17), 3), np.nan)
    places = world_to_camera(np.stack([true.get(time, unknown) for time in times]), *camera.extrinsics)
    root = places[:, _HIPS].mean(1)
    tensors = (person.keypoints, person.scores, person.timestamps, camera.K, np.array(person.image_size))
    keypoints, scores, seconds, K, size = (torch.from_numpy(np.asarray(each)).float() for each in tensors)
    joints, middle = (torch.from_numpy(each).float() for each in (places - root[:, None], root))
    distortion = None if camera.distortion is None else torch.from_numpy(camera.distortion).float()
    return View(
        name, name, keypoints, scores, seconds, K, size, joints, middle, person.skeleton, COCO17, distortion=distortion
    )


def distance_between(one: Motion, other: Motion) -> float:
    """Mean distance of the limb joints of two motions at the same times after alignment, mm."""
    first, second = (np.round(1000 * each.timestamps).astype(int) for each in (one, other))
    _, *same = np.intersect1d(first, second, return_indices=True)
    places = [
        torch.from_numpy(each.joints[frames][:, each.skeleton.indices(LIMBS)]).double()
        for each, frames in zip((one, other), same, strict=True)
    ]
    known = places[0].isfinite().all(-1) & places[1].isfinite().all(-1)
    return float(aligned_joint_errors(places[0], places[1], known).mean(-1).nanmean())


def rows_of(
    found: Mapping[str, Pairs], names: Sequence[str], cameras: Sequence[Camera], weights: Weights
) -> Iterator[list[str]]:
    """The cells of each row of people.

    Args:
        found: the people by name of the row.
        names: of the rows whose 2D makes a reference, the best known last.
        cameras: of the two videos.
        weights: the lifter.
    """
    true = {name: [reference(pair, cameras) for pair in found[name]] for name in names}
    for name, pairs in found.items():
        errors: dict[str, list[np.ndarray]] = {each: [] for each in names}
        shares, between = [], []
        for number, pair in enumerate(pairs):
            motions = []
            for camera, person in zip(cameras, pair, strict=True):
                for each in names:
                    view = view_of(person, true[each][number], camera, f"person {number + 1}")
                    motion = lift_view(view, weights, OPTIONS)
                    errors[each].append(np.nanmean(frame_errors(view, motion)[:, :2], 0))
                shares.append(outside(view, motion, LIMBS, hips=True)[:, :2].mean(0))
                motions.append(motion)
            between.append(distance_between(*motions))
        best = np.array(errors[names[-1]])
        mean = [f"{np.mean(errors[each], 0)[1]:.1f}" for each in names]
        yield [
            name,
            *mean,
            ", ".join(f"{value:.1f}" for value in best[:, 1]),
            f"{best[:, 0].mean():.1f}",
            f"{np.mean(between):.1f}",
            *(f"{value:.1f}" for value in np.mean(shares, 0)),
        ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("folder", type=Path, help="two videos, and calibration.toml")
    parser.add_argument("--qualities", nargs="+", choices=QUALITIES, default=["best", "balanced"])
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        videos, cameras = read_pair(options.folder)
        both, weights, found = MoveNetBlazePose(), load_weights(options.weights), {}
        for quality in dict.fromkeys(["best", *options.qualities]):
            for name, detector in (("MoveNet", both.first), ("joined", both)):
                people = [track_clip(VideoClip(path, detector, quality=quality)) for path in videos]
                pairs = pair_people([[poses_of(person) for person in each] for each in people], cameras)
                # The man comes first with every detector: by the place in the first picture.
                chosen = [(people[0][one], people[1][other]) for one, other in pairs]
                found[f"{name}, {quality}"] = sorted(chosen, key=lambda pair: np.nanmean(pair[0].keypoints[..., 0]))
        names = ["MoveNet, best", "joined, best"]
        heads = [f"P-MPJPE mm, reference of {name}" for name in names]
        heads += ["by person and camera", "MPJPE mm", "both cameras mm", "within, relative %", "height given %"]
        print_table(["", *heads], rows_of(found, names, cameras, weights), f"`{weights.name}`")


if __name__ == "__main__":
    main()
