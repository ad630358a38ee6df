"""Errors on a real person with motion capture, where frames without keypoints come.

    python -m benchmarks.real --data mhad_s02.npz [--weights NAME|FILE ...] [--corpus cmu50.npz --bench bench_val.npz]

The file has takes of one person of Berkeley MHAD (Ofli et al., WACV 2013): COCO-17 keypoints of a real detector, the
camera, and the motion capture fitted to the person (arrays `seq_start`, `name`, `action_id`, `keypoints`, `times`,
`joints_fit`, `K`, `dist`, `image_size`). Lifts each take as `poselift lift` does, with every frame counted, and prints
one Markdown table for each of the weights; means over frames. Action a03 is left out, because its frames were put back
in order by matching. **For comparing lifters and conditions with each other:** the references are a few centimetres
off.

Columns, of the hips, knees, ankles, shoulders, elbows and wrists: MPJPE from the middle of the hips and P-MPJPE;
`change`, of the MPJPE against the first row; `hidden`, the MPJPE of the frames without keypoints; `seen`, that of the
same frames when nothing is hidden; `root`, the distance of the middle of the hips from its place.

A second table has the same clips with fewer frames a second: every frame, every second and every third, in a file and
as a stream without lookahead.

A third table has the flexion of the knees of each action when all frames are seen: medians over frames and both knees
of the motion capture and of the lifted motion, the mean difference, and the mean size of the difference; degrees.

A fourth table splits the errors of each pair of joints into the part along the camera's ray to the true joint and the
part across it, as root mean squares in mm: of the joints from the middle of the hips, and after the Procrustes
alignment. `constant` is the size of the mean aligned error along the ray: the same in every frame. With `--corpus` and
`--bench` the same table follows for the benchmark's virtual views, COCO-17 and detector-like 2D.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.changed_views import FRAMES_WITHOUT_KEYPOINTS, take
from benchmarks.command import command_line, errors_shown, table_head, table_row
from poselift.data.cmu_bench import CmuBench
from poselift.data.reading import load_arrays
from poselift.data.views import View
from poselift.lifting import LiftOptions, StreamingPeople, lift_view
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.metrics import aligned_joint_errors, joint_errors
from poselift.metrics.angle_errors import angle_names, joint_angles
from poselift.metrics.position import procrustes_align
from poselift.models import Weights, load_weights
from poselift.skeleton import COCO17, H36M17
from poselift.structures import Motion

OPTIONS = LiftOptions(every_frame=True)
"""Those of `poselift lift`, but every frame counts."""

COLUMNS = ("MPJPE mm", "change %", "P-MPJPE mm", "hidden mm", "seen mm", "root mm")

RAYS = ("along mm", "across mm", "aligned: along mm", "aligned: across mm", "constant mm")

RATES = ("MPJPE mm", "P-MPJPE mm", "root mm", "stream: MPJPE mm", "P-MPJPE mm", "root mm")

KNEES = ("motion capture °", "lifted °", "difference °", "mean size °")

LIMBS = [
    f"{side}_{joint}" for joint in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist") for side in ("left", "right")
]
"""The joints that count, hips first."""

_LEFT_OUT = "a03"
"""Action whose frames were put back in order by matching."""


def takes(path: Path) -> list[View]:
    """The takes of the file, without action a03.

    Raises:
        InputError: the file is missing or malformed.
    """
    shapes: dict[str, tuple[int | None, ...]] = {
        "seq_start": (None,),
        "name": (None,),
        "action_id": (None,),
        "keypoints": (None, len(COCO17), 2),
        "times": (None,),
        "joints_fit": (None, len(H36M17), 3),
        "K": (3, 3),
        "dist": (4,),
        "image_size": (2,),
    }
    arrays = load_arrays(path, shapes, "the file has the real takes; give mhad_s02.npz")
    keypoints, joints, K, image_size = (
        torch.from_numpy(arrays[key]).float() for key in ("keypoints", "joints_fit", "K", "image_size")
    )
    distortion = torch.tensor([*arrays["dist"], 0.0]).float()
    views = []
    for number, action in enumerate(arrays["action_id"]):
        if action == _LEFT_OUT:
            continue
        first, end = arrays["seq_start"][number : number + 2]
        rows = slice(first, end)
        views.append(
            View(
                name=str(arrays["name"][number]),
                subject="",
                keypoints=keypoints[rows],
                scores=keypoints[rows].isfinite().all(-1).float(),
                times=torch.from_numpy(arrays["times"][rows] - arrays["times"][first]).float(),
                K=K,
                image_size=image_size,
                joints=joints[rows] - joints[rows, :1],
                root=joints[rows, 0],
                keypoint_skeleton=COCO17,
                skeleton=H36M17,
                action=str(action),
                distortion=distortion,
            )
        )
    return views


def frame_errors(view: View, motion: Motion) -> Float[np.ndarray, "t 3"]:
    """MPJPE, P-MPJPE and the error of the middle of the hips for each frame, mm; NaN where no limb is known."""
    true = (view.joints + view.root[:, None])[:, view.skeleton.indices(LIMBS)].double()
    found = torch.from_numpy(motion.joints + motion.root[:, None])[:, motion.skeleton.indices(LIMBS)].double()
    hips, own_hips = true[:, :2].mean(1, keepdim=True), found[:, :2].mean(1, keepdim=True)
    known = true.isfinite().all(-1) & hips.isfinite().all(-1)
    errors = [joint_errors(found - own_hips, true - hips, known), aligned_joint_errors(found, true, known)]
    root = 1000 * (own_hips - hips).norm(dim=-1)
    return np.concatenate([torch.stack([error.mean(-1) for error in errors], -1).numpy(), root.numpy()], -1)


def rows_of(views: Sequence[View], weights: Weights) -> list[list[str]]:
    """The cells of each row."""
    rows: list[list[str]] = []
    plain: Float[np.ndarray, "t 3"] | None = None
    for name, change in FRAMES_WITHOUT_KEYPOINTS.items():
        changed = [change(view, torch.Generator().manual_seed(index)) for index, view in enumerate(views)]
        motions = [lift_view(view, weights, OPTIONS) for view in changed]
        errors = np.concatenate([frame_errors(*pair) for pair in zip(views, motions, strict=True)])
        plain = errors if plain is None else plain
        hidden = np.concatenate([(view.scores > 0).any(1) for view in views]) & np.concatenate(
            [~(view.scores > 0).any(1) for view in changed]
        )
        (mpjpe, p_mpjpe, root), usual = np.nanmean(errors, 0), np.nanmean(plain, 0)[0]
        gaps = [np.nanmean(own[hidden, 0]) for own in (errors, plain)] if hidden.any() else []
        cells = [f"{value:.1f}" for value in (mpjpe, 100 * (mpjpe / usual - 1), p_mpjpe)]
        rows.append([name, *cells, *([f"{gap:.1f}" for gap in gaps] or ["", ""]), f"{root:.1f}"])
    return rows


def rate_rows(views: Sequence[View], weights: Weights) -> list[list[str]]:
    """The cells of each frame rate."""
    rows = []
    for step in (1, 2, 3):
        fewer = [take(view, torch.arange(0, len(view), step)) for view in views]
        intervals = torch.cat([view.times.diff() for view in fewer])
        cells = [f"{1 / float(intervals.mean()):.0f} frames a second"]
        for lifted in (lambda view: lift_view(view, weights, OPTIONS), lambda view: streamed(view, weights)):
            errors = np.concatenate([frame_errors(view, lifted(view)) for view in fewer])
            cells += [f"{value:.1f}" for value in np.nanmean(errors, 0)]
        rows.append(cells)
    return rows


def streamed(view: View, weights: Weights) -> Motion:
    """The motion of a stream without lookahead; NaN in frames without a pose."""
    keypoints = keypoints_of(view)
    lifter = StreamingPeople(weights, camera_of(view), view.keypoint_skeleton)
    pushed = zip(keypoints.keypoints, keypoints.scores, keypoints.timestamps.tolist(), strict=True)
    poses = [lifter.push({1: (pixels, scores)}, time).get(1) for pixels, scores, time in pushed]
    joints = np.full((len(view), len(lifter.skeleton), 3), np.nan, np.float32)
    root = np.full((len(view), 3), np.nan, np.float32)
    for row, pose in enumerate(poses):
        if pose is not None:
            joints[row], root[row] = pose.joints, pose.root
    interpolated = np.array([pose is not None and pose.interpolated for pose in poses])
    return Motion(joints, root, keypoints.timestamps, interpolated, lifter.skeleton, "camera", keypoints)


def knees_of(view: View, motion: Motion) -> Float[np.ndarray, "n 2"]:
    """Flexion of both knees, true and lifted, in the frames where both are known; degrees."""
    flexions = []
    for points, skeleton in ((view.joints, view.skeleton), (torch.from_numpy(motion.joints), motion.skeleton)):
        names = angle_names(skeleton)
        angles = joint_angles(points.double(), skeleton)[:, [names.index(f"{side}_knee") for side in ("left", "right")]]
        flexions.append(180 - angles.rad2deg().flatten().numpy())
    both = np.stack(flexions, 1)
    return both[np.isfinite(both).all(1)]


def knee_rows(views: Sequence[View], weights: Weights) -> list[list[str]]:
    """The cells of each action."""
    rows = []
    for action in sorted({view.action for view in views}):
        pairs = [knees_of(view, lift_view(view, weights, OPTIONS)) for view in views if view.action == action]
        true, lifted = np.concatenate(pairs).T
        values = np.median(true), np.median(lifted), (lifted - true).mean(), np.abs(lifted - true).mean()
        rows.append([action, *(f"{value:.1f}" for value in values)])
    return rows


def ray_rows(views: Sequence[View], weights: Weights) -> list[list[str]]:
    """The cells of each pair of joints, and of all."""
    parts = [ray_errors(view, lift_view(view, weights, OPTIONS)) for view in views]
    values = 1000 * np.concatenate(parts)
    rows = []
    for first, name in [*enumerate(joint.split("_", 1)[1] for joint in LIMBS[::2]), (None, "all")]:
        own = values if first is None else values[:, 2 * first : 2 * first + 2]
        along, across, constant = own[..., 0], own[..., 1], np.abs(np.nanmean(own[..., 2], 0)).mean()
        squares = [np.sqrt(np.nanmean(part**2)) for part in (along, across, own[..., 2], own[..., 3])]
        rows.append([name, *(f"{value:.1f}" for value in (*squares, constant))])
    return rows


def ray_errors(view: View, motion: Motion) -> Float[np.ndarray, "t j 4"]:
    """Error along and across the rays to the true joints, from the middle of the hips and aligned; metres."""
    true = (view.joints + view.root[:, None])[:, view.skeleton.indices(LIMBS)].double()
    found = torch.from_numpy(motion.joints)[:, motion.skeleton.indices(LIMBS)].double()
    rays = true / true.norm(dim=-1, keepdim=True)
    hips = true[:, :2].mean(1, keepdim=True)
    known = true.isfinite().all(-1)
    parts = []
    for moved in (found - found[:, :2].mean(1, keepdim=True) + hips, procrustes_align(found, true, known)):
        error = moved - true
        along = (error * rays).sum(-1)
        parts += [along, (error - along[..., None] * rays).norm(dim=-1)]
    return torch.stack(parts, -1).numpy()


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="mhad_s02.npz")
    parser.add_argument(
        "--weights", nargs="+", default=["small"], metavar="NAME|FILE", help="shipped weights or files; default small"
    )
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="cmu50.npz")
    parser.add_argument("--bench", type=Path, metavar="FILE", help="bench_val.npz")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        views = takes(options.data)
        bench = CmuBench(options.corpus, options.bench, "coco17") if options.corpus and options.bench else []
        for weights in map(load_weights, options.weights):
            frames = sum(map(len, views))
            print(f"\n## Frames without keypoints (`{weights.name}`, {len(views)} takes, {frames} frames)\n")
            print("\n".join([table_head(["", *COLUMNS]), *map(table_row, rows_of(views, weights))]), flush=True)
            print(f"\n## Fewer frames a second (`{weights.name}`)\n")
            print("\n".join([table_head(["", *RATES]), *map(table_row, rate_rows(views, weights))]), flush=True)
            print(f"\n## Flexion of the knees (`{weights.name}`)\n")
            print("\n".join([table_head(["", *KNEES]), *map(table_row, knee_rows(views, weights))]), flush=True)
            print(f"\n## Along and across the rays (`{weights.name}`)\n")
            print("\n".join([table_head(["", *RAYS]), *map(table_row, ray_rows(views, weights))]), flush=True)
            if bench:
                print(f"\n## Along and across the rays (`{weights.name}`, {options.bench.name})\n")
                print("\n".join([table_head(["", *RAYS]), *map(table_row, ray_rows(list(bench), weights))]), flush=True)


if __name__ == "__main__":
    main()
