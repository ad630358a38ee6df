"""Errors of lifting at other frame rates, with missing joints, with unknown cameras and with a known height.

    python -m benchmarks.robustness --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...]
        [--skeleton h36m17] [--limit N] [--table WORDS]

Changes each view of the CMU benchmark in one way, lifts it as `poselift lift` does, and compares with the truth at the
same time stamps. Prints one Markdown table for each kind of change; means over subjects. The figures are not
comparable with errors on Human3.6M.

Columns: MPJPE and P-MPJPE; `change`, of the MPJPE against the first row of the table; `root`, the distance of the
pelvis from its true place; `bones`, the error of bone lengths; `hidden`, the MPJPE of the joints that were hidden, in
the frames in which they were; `seen`, that of the same joints in the same frames when nothing is hidden. The table of
frames without keypoints also has `within`, the share of the hidden joints that lie within their uncertainty; the root
joint does not count.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool

from benchmarks.bench_views import mean_errors, subject_mean
from benchmarks.changed_views import (
    FRAMES_WITHOUT_KEYPOINTS,
    Change,
    dropped,
    hidden_segments,
    pelvis_between_hips,
    rendered,
    thinned,
    unchanged,
    without,
)
from benchmarks.command import add_bench, command_line, errors_shown, print_table
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.kinematics.height import estimate_height, take_height
from poselift.lifting import Camera, LiftOptions, camera_for, lift
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.models import Weights, load_weights
from poselift.skeleton import H36M17, get_skeleton
from poselift.structures import Motion

OPTIONS = LiftOptions(every_frame=True)
"""Those of `poselift lift`, but every frame counts."""

COLUMNS = {
    "mpjpe": "MPJPE mm",
    "change": "change %",
    "p_mpjpe": "P-MPJPE mm",
    "root": "root mm",
    "hidden": "hidden mm",
    "seen": "seen mm",
    "bone_length": "bones mm",
}

GAPS = "Frames without keypoints"
"""The table that also has `within`."""


def assumed_camera(view: View) -> Camera:
    """The camera that `poselift lift` assumes."""
    return camera_for(camera_of(view).image_size)


def wrong_camera(factor: float) -> Callable[[View], Camera]:
    """A camera whose field of view is wrong by a factor."""
    return lambda view: camera_for(camera_of(view).image_size, fov=factor * camera_of(view).fov)


@dataclass(frozen=True)
class Condition:
    """One row of a table.

    Attributes:
        name: of the row.
        change: of the view.
        camera: that the lifter gets.
        height: whether the lifter gets the person's height.
        hides: whether the change hides joints.
    """

    name: str
    change: Change = unchanged
    camera: Callable[[View], Camera] = camera_of
    height: bool = False
    hides: bool = False


def conditions(skeleton: str) -> dict[str, list[Condition]]:
    """The rows of each table; the first row of a table is what the others are compared with."""
    leg = ("hip", "knee", "ankle", "toe", "heel")
    arm = tuple(f"left_{joint}" for joint in ("shoulder", "elbow", "wrist", "hand"))
    uneven = "60 fps, up to 40 % off the tick, every third frame lost"
    tables = {
        "Frame rate: some of the benchmark's 50 frames a second": [
            Condition("50 fps"),
            *(Condition(f"{fps} fps", thinned(fps)) for fps in (25, 15, 10, 7)),
            Condition("every third frame lost, at random", dropped(1 / 3)),
        ],
        "Frame rate: rendered": [
            *(Condition(f"{fps} fps", rendered(fps, skeleton)) for fps in (50, 60, 100, 120)),
            Condition(uneven, rendered(60, skeleton, 0.4, 1 / 3)),
        ],
        "Missing joints": [
            Condition("all seen"),
            Condition("no legs, hips to ankles", without(*leg), hides=True),
            Condition("no left arm", without(*arm), hides=True),
            Condition("no left side", without("left_"), hides=True),
            Condition("half of the joints hidden for 1 s in every 4 s", hidden_segments(1.0, 4.0, 0.5), hides=True),
            Condition("all joints hidden for 0.5 s in every 4 s", hidden_segments(0.5, 4.0, 1.0), hides=True),
        ],
        GAPS: [Condition(name, change, hides=name != "all seen") for name, change in FRAMES_WITHOUT_KEYPOINTS.items()],
        "Pelvis in another place": [
            Condition("at the base of the spine, as in the corpus"),
            Condition("between the hips", pelvis_between_hips),
        ],
        "Camera": [
            Condition("known"),
            Condition("field of view assumed", camera=assumed_camera),
            Condition("field of view 15 % too wide", camera=wrong_camera(1.15)),
            Condition("field of view 15 % too narrow", camera=wrong_camera(0.85)),
        ],
        "Known height": [
            Condition("unknown"),
            Condition("known", height=True),
            Condition("unknown, field of view assumed", camera=assumed_camera),
            Condition("known, field of view assumed", camera=assumed_camera, height=True),
        ],
    }
    if "pelvis" not in get_skeleton(skeleton).joints:
        del tables["Pelvis in another place"]
    return tables


def lifted(view: View, condition: Condition, weights: Weights) -> Motion:
    """The motion of a changed view."""
    motion = lift(keypoints_of(view), weights, condition.camera(view), OPTIONS)
    if not condition.height:
        return motion
    return take_height(motion, estimate_height(view.joints.numpy(), view.skeleton).metres)


def hidden_joints(view: View, changed: View) -> Bool[np.ndarray, "t 17"]:
    """The joints of Human3.6M-17 that are usable in a view and not in the changed one."""
    before, after = (keypoints_of(one).used(OPTIONS.threshold) for one in (view, changed))
    return np.asarray(before & ~after)[:, view.keypoint_skeleton.indices(H36M17.joints)]


def hidden_errors(
    views: Sequence[View], motions: Sequence[Motion], hidden: Sequence[Bool[np.ndarray, "t 17"]]
) -> tuple[float, float]:
    """Of the hidden joints the MPJPE, mm, and the share within their uncertainty, percent; means over subjects."""
    errors, shares = [], []
    for view, motion, mask in zip(views, motions, hidden, strict=True):
        own = motion.restrict(H36M17)
        apart = np.linalg.norm(own.joints - view.joints[:, view.skeleton.indices(H36M17.joints)].numpy(), axis=-1)
        errors.append((view.subject, 1000 * apart[mask]))
        if own.uncertainty is not None:
            shares.append((view.subject, 100.0 * (apart <= own.uncertainty)[:, 1:][mask[:, 1:]]))
    return subject_mean(errors), subject_mean(shares)


def rows_of(
    views: Sequence[View], plain: Sequence[Motion], weights: Weights, rows: Sequence[Condition], columns: Iterable[str]
) -> Iterator[list[str]]:
    """The cells of each row of a table; `plain` are the motions of the views as they are."""
    first = np.nan
    for row in rows:
        changed = [row.change(view, torch.Generator().manual_seed(index)) for index, view in enumerate(views)]
        as_is = row.change is unchanged and row.camera is camera_of and not row.height
        motions = plain if as_is else [lifted(view, row, weights) for view in changed]
        joints, roots = [motion.joints for motion in motions], [motion.root for motion in motions]
        means = mean_errors(changed, joints, roots, weights.lifter.skeleton_out)
        if row.hides:
            hidden = [hidden_joints(view, other) for view, other in zip(views, changed, strict=True)]
            means["hidden"], means["within"] = hidden_errors(views, motions, hidden)
            means["seen"], _ = hidden_errors(views, plain, hidden)
        first = means["mpjpe"] if np.isnan(first) else first
        means["change"] = 100 * (means["mpjpe"] / first - 1)
        yield [row.name, *(f"{means[key]:.1f}" if key in means else "" for key in columns)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    add_bench(parser, skeleton="h36m17")
    parser.add_argument("--limit", type=int, metavar="N", help="only N views, evenly over all of them")
    parser.add_argument("--table", default="", metavar="WORDS", help="only tables whose title has these words")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        bench = CmuBench(options.corpus, options.bench, options.skeleton)
        chosen = np.unique(np.linspace(0, len(bench) - 1, options.limit or len(bench)).round().astype(int))
        views = [bench[int(index)] for index in chosen]
        for weights in map(load_weights, options.weights):
            plain = [lifted(view, Condition(""), weights) for view in views]
            seen = f"`{weights.name}`, {options.skeleton}, {len(views)} views of {options.bench.name}"
            for table, rows in conditions(options.skeleton).items():
                if options.table.lower() in table.lower():
                    columns = COLUMNS | ({"within": "within %"} if table == GAPS else {})
                    cells = rows_of(views, plain, weights, rows, columns)
                    print_table(["", *columns.values()], cells, f"## {table} ({seen})")


if __name__ == "__main__":
    main()
