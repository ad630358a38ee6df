"""Errors on a real person with motion capture, where frames without keypoints come.

    python -m benchmarks.real --data mhad_s02.npz [--weights NAME|FILE ...]

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
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.changed_views import FRAMES_WITHOUT_KEYPOINTS, take
from benchmarks.command import add_weights, command_line, errors_shown, print_table
from poselift.data.reading import load_arrays
from poselift.data.views import View
from poselift.lifting import LiftOptions, StreamingPeople, lift_view
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.metrics import aligned_joint_errors, joint_errors
from poselift.models import Weights, load_weights
from poselift.skeleton import COCO17, H36M17
from poselift.structures import Motion

OPTIONS = LiftOptions(every_frame=True)
"""Those of `poselift lift`, but every frame counts."""

COLUMNS = ("MPJPE mm", "change %", "P-MPJPE mm", "hidden mm", "seen mm", "root mm")

RATES = ("MPJPE mm", "P-MPJPE mm", "root mm", "stream: MPJPE mm", "P-MPJPE mm", "root mm")

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


def gap_rows(views: Sequence[View], weights: Weights) -> Iterator[list[str]]:
    """The cells of each way to leave frames without keypoints; the first one leaves none."""
    plain: Float[np.ndarray, "t 3"] | None = None
    for name, change in FRAMES_WITHOUT_KEYPOINTS.items():
        changed = [change(view, torch.Generator().manual_seed(index)) for index, view in enumerate(views)]
        errors = np.concatenate([frame_errors(view, lift_view(view, weights, OPTIONS)) for view in changed])
        plain = errors if plain is None else plain
        seen = [np.concatenate([(view.scores > 0).any(1) for view in each]) for each in (views, changed)]
        hidden = seen[0] & ~seen[1]
        (mpjpe, p_mpjpe, root), usual = np.nanmean(errors, 0), np.nanmean(plain, 0)[0]
        gaps = [f"{np.nanmean(own[hidden, 0]):.1f}" for own in (errors, plain)] if hidden.any() else ["", ""]
        cells = [f"{value:.1f}" for value in (mpjpe, 100 * (mpjpe / usual - 1), p_mpjpe)]
        yield [name, *cells, *gaps, f"{root:.1f}"]


def rate_rows(views: Sequence[View], weights: Weights) -> Iterator[list[str]]:
    """The cells of each frame rate."""
    for step in (1, 2, 3):
        fewer = [take(view, torch.arange(0, len(view), step)) for view in views]
        intervals = torch.cat([view.times.diff() for view in fewer])
        cells = [f"{1 / float(intervals.mean()):.0f} frames a second"]
        for lifted in (lambda view: lift_view(view, weights, OPTIONS), lambda view: streamed(view, weights)):
            errors = np.concatenate([frame_errors(view, lifted(view)) for view in fewer])
            cells += [f"{value:.1f}" for value in np.nanmean(errors, 0)]
        yield cells


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="mhad_s02.npz")
    add_weights(parser, "small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        views = takes(options.data)
        seen = f"{len(views)} takes, {sum(map(len, views))} frames"
        for weights in map(load_weights, options.weights):
            print_table(
                ["", *COLUMNS], gap_rows(views, weights), f"## Frames without keypoints (`{weights.name}`, {seen})"
            )
            print_table(["", *RATES], rate_rows(views, weights), f"## Fewer frames a second (`{weights.name}`)")


if __name__ == "__main__":
    main()
