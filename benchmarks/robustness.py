"""Errors of lifting at other frame rates, with missing joints, with unknown cameras and with a known height.

    python -m benchmarks.robustness --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...]
        [--skeleton h36m17] [--limit N] [--table WORDS] [--fps N]

Changes each view of the CMU benchmark in one way, lifts it as `poselift lift` does, and compares with the truth at the
same time stamps. Prints one Markdown table for each kind of change; means over subjects. The figures are not
comparable with errors on Human3.6M.

Columns: MPJPE and P-MPJPE; `change`, of the MPJPE against the first row of the table; `root`, the distance of the
pelvis from its true place; `bones`, the error of bone lengths; `hidden`, the MPJPE of the joints that were hidden, in
the frames in which they were; `seen`, that of the same joints in the same frames when nothing is hidden. The table of
frames without keypoints also has `within`, the share of the hidden joints that lie within their uncertainty; the root
joint does not count.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool

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
from benchmarks.command import add_bench, command_line, errors_shown, subject_mean, table_head, table_row
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.kinematics.height import estimate_height, take_height
from poselift.lifting import CameraModel, LiftOptions, camera_for, lift
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.models import Weights, load_weights
from poselift.reports.evaluation import score_view, summarise
from poselift.reports.protocols import get_protocol
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


def assumed_camera(view: View) -> CameraModel:
    """The camera that `poselift lift` assumes."""
    return camera_for(camera_of(view).image_size)


def wrong_camera(factor: float) -> Callable[[View], CameraModel]:
    """A camera whose field of view is wrong by a factor."""
    return lambda view: camera_for(camera_of(view).image_size, fov=factor * camera_of(view).fov)


@dataclass(frozen=True)
class Condition:
    """One row of a table.

    Attributes:
        table: title of its table.
        name: of the row.
        change: of the view.
        camera: that the lifter gets.
        height: whether the lifter gets the person's height.
        hides: whether the change hides joints.
    """

    table: str
    name: str
    change: Change = unchanged
    camera: Callable[[View], CameraModel] = camera_of
    height: bool = False
    hides: bool = False


def conditions(skeleton: str) -> list[Condition]:
    """All rows; the first row of a table is what the others are compared with."""
    rate, again, missing, pelvis, camera, height = (
        "Frame rate: some of the benchmark's 50 frames a second",
        "Frame rate: rendered",
        "Missing joints",
        "Pelvis in another place",
        "Camera",
        "Known height",
    )
    leg = ("hip", "knee", "ankle", "toe", "heel")
    arm = tuple(f"left_{joint}" for joint in ("shoulder", "elbow", "wrist", "hand"))
    uneven = "60 fps, up to 40 % off the tick, every third frame lost"
    rows = [
        Condition(rate, "50 fps"),
        Condition(rate, "25 fps", thinned(25)),
        Condition(rate, "15 fps", thinned(15)),
        Condition(rate, "10 fps", thinned(10)),
        Condition(rate, "7 fps", thinned(7)),
        Condition(rate, "every third frame lost, at random", dropped(1 / 3)),
        Condition(again, "50 fps", rendered(50, skeleton)),
        Condition(again, "60 fps", rendered(60, skeleton)),
        Condition(again, "100 fps", rendered(100, skeleton)),
        Condition(again, "120 fps", rendered(120, skeleton)),
        Condition(again, uneven, rendered(60, skeleton, 0.4, 1 / 3)),
        Condition(missing, "all seen"),
        Condition(missing, "no legs, hips to ankles", without(*leg), hides=True),
        Condition(missing, "no left arm", without(*arm), hides=True),
        Condition(missing, "no left side", without("left_"), hides=True),
        Condition(
            missing, "half of the joints hidden for 1 s in every 4 s", hidden_segments(1.0, 4.0, 0.5), hides=True
        ),
        Condition(missing, "all joints hidden for 0.5 s in every 4 s", hidden_segments(0.5, 4.0, 1.0), hides=True),
        *(Condition(GAPS, name, change, hides=name != "all seen") for name, change in FRAMES_WITHOUT_KEYPOINTS.items()),
        Condition(pelvis, "at the base of the spine, as in the corpus"),
        Condition(pelvis, "between the hips", pelvis_between_hips),
        Condition(camera, "known"),
        Condition(camera, "field of view assumed", camera=assumed_camera),
        Condition(camera, "field of view 15 % too wide", camera=wrong_camera(1.15)),
        Condition(camera, "field of view 15 % too narrow", camera=wrong_camera(0.85)),
        Condition(height, "unknown"),
        Condition(height, "known", height=True),
        Condition(height, "unknown, field of view assumed", camera=assumed_camera),
        Condition(height, "known, field of view assumed", camera=assumed_camera, height=True),
    ]
    return [row for row in rows if row.table != pelvis or "pelvis" in get_skeleton(skeleton).joints]


def lifted(view: View, condition: Condition, weights: Weights) -> Motion:
    """The motion of a changed view."""
    motion = lift(keypoints_of(view), weights, condition.camera(view), OPTIONS)
    if not condition.height:
        return motion
    return take_height(motion, estimate_height(view.joints.numpy(), view.skeleton).metres)[0]


def hidden_joints(view: View, changed: View) -> Bool[np.ndarray, "t 17"]:
    """The joints of Human3.6M-17 that are usable in a view and not in the changed one."""

    def usable(one: View) -> Bool[np.ndarray, "t 17"]:
        used = keypoints_of(one).used(OPTIONS.threshold)
        return np.asarray(used)[:, one.keypoint_skeleton.indices(H36M17.joints)]

    return usable(view) & ~usable(changed)


def measured(views: Sequence[View], motions: Sequence[Motion]) -> dict[str, float]:
    """Errors of the motions, mm; means over subjects."""
    protocol = get_protocol("cmu_bench")
    pairs = list(zip(views, motions, strict=True))
    scores = [score_view(view, motion.joints, motion.skeleton, protocol) for view, motion in pairs]
    metrics = summarise(scores, protocol)["metrics"]
    root = [(view.subject, 1000 * np.linalg.norm(motion.root - view.root.numpy(), axis=-1)) for view, motion in pairs]
    return {**{key: metrics[key]["mean"] for key in ("mpjpe", "p_mpjpe", "bone_length")}, "root": subject_mean(root)}


def hidden_errors(
    views: Sequence[View], motions: Sequence[Motion], hidden: Sequence[Bool[np.ndarray, "t 17"]]
) -> float:
    """The MPJPE of the hidden joints, mm; mean over subjects."""
    errors = []
    for view, motion, mask in zip(views, motions, hidden, strict=True):
        true = view.joints[:, view.skeleton.indices(H36M17.joints)].numpy()
        errors.append((view.subject, 1000 * np.linalg.norm(motion.restrict(H36M17).joints - true, axis=-1)[mask]))
    return subject_mean(errors)


def within(
    views: Sequence[View], motions: Sequence[Motion], hidden: Sequence[Bool[np.ndarray, "t 17"]]
) -> dict[str, float]:
    """Percent of the hidden joints that lie within their uncertainty, mean over subjects; empty if there is none."""
    shares = []
    for view, motion, mask in zip(views, motions, hidden, strict=True):
        own = motion.restrict(H36M17)
        if own.uncertainty is None:
            return {}
        true = view.joints[:, view.skeleton.indices(H36M17.joints)].numpy()
        inside = np.linalg.norm(own.joints - true, axis=-1) <= own.uncertainty
        shares.append((view.subject, 100.0 * inside[:, 1:][mask[:, 1:]]))
    return {"within": subject_mean(shares)}


def rows_of(views: Sequence[View], weights: Weights, rows: Sequence[Condition]) -> Iterator[dict[str, float]]:
    """The columns of each row."""
    plain = [lifted(view, Condition("", ""), weights) for view in views]
    first: dict[str, float] = {}
    for row in rows:
        changed = [row.change(view, torch.Generator().manual_seed(index)) for index, view in enumerate(views)]
        as_is = row.change is unchanged and row.camera is camera_of and not row.height
        motions = plain if as_is else [lifted(view, row, weights) for view in changed]
        means = measured(changed, motions)
        if row.hides:
            hidden = [hidden_joints(view, other) for view, other in zip(views, changed, strict=True)]
            means |= {"hidden": hidden_errors(views, motions, hidden), "seen": hidden_errors(views, plain, hidden)}
            means |= within(views, motions, hidden) if row.table == GAPS else {}
        reference = first.setdefault(row.table, means["mpjpe"])
        yield {**means, "change": 100 * (means["mpjpe"] / reference - 1)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    add_bench(parser, skeleton="h36m17")
    parser.add_argument("--limit", type=int, metavar="N", help="only N views, evenly over all of them")
    parser.add_argument("--table", default="", metavar="WORDS", help="only tables whose title has these words")
    parser.add_argument(
        "--fps", type=float, metavar="N", help="render the views at another rate first; a divisor of 600"
    )
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        bench = CmuBench(options.corpus, options.bench, options.skeleton)
        chosen = np.unique(np.linspace(0, len(bench) - 1, options.limit or len(bench)).round().astype(int))
        views = [bench[int(index)] for index in chosen]
        if options.fps:
            render = rendered(options.fps, options.skeleton)
            views = [render(view, torch.Generator().manual_seed(index)) for index, view in enumerate(views)]
        rows = [row for row in conditions(options.skeleton) if options.table.lower() in row.table.lower()]
        for weights in map(load_weights, options.weights):
            table = ""
            for row, means in zip(rows, rows_of(views, weights, rows), strict=True):
                columns = COLUMNS | ({"within": "within %"} if row.table == GAPS else {})
                if row.table != table:
                    table = row.table
                    seen = f"`{weights.name}`, {options.skeleton}, {len(views)} views of {options.bench.name}"
                    print(f"\n## {table} ({seen})")
                    print(f"\n{table_head(['', *columns.values()])}")
                print(
                    table_row([row.name, *(f"{means[key]:.1f}" if key in means else "" for key in columns)]), flush=True
                )


if __name__ == "__main__":
    main()
