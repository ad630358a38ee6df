"""How lifting stands up to other frame rates, missing joints and unknown cameras, and what a known height gives.

    python -m benchmarks.robustness --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...]
        [--joints h36m17] [--limit N] [--out FILE]

Each view of the CMU benchmark, changed in one way at a time, is lifted as `poselift lift` does it, and compared with
the truth at the same time stamps. Means over subjects. Writes one Markdown table a part to the screen and to FILE, and
all rows to the CSV beside it. Errors are not comparable with errors on Human3.6M.

Columns: MPJPE and P-MPJPE; `change`, of the MPJPE against the part's first row; `root`, how far the pelvis is from its
true place; `bones`, the error of bone lengths; `impossible`, frames in which an angle or a bone is beyond what any
frame of the corpus's train split shows (`anatomy.py`); `empty`, frames that are left without a pose, which count in no
other column. For spells of hidden joints, `bones` and `impossible` are of the frames in the spells, `hidden` is the
MPJPE of the joints that were hidden there, and `seen` that of the same joints in the same frames when not hidden.
"""

import argparse
import csv
import io
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool
from poselift.lifting.track import lift_track
from torch import Tensor

from benchmarks.anatomy import Anatomy
from benchmarks.changed_views import Change, dropped, filmed, misstamped, pelvis_between_hips, spells, thinned, without
from poselift.core.files import write_text
from poselift.data.cmu import load_cmu
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.lifting.camera import CameraModel, camera_for
from poselift.lifting.height import estimate_height, with_height
from poselift.metrics import ElementValues, aligned_joint_errors, bone_length_errors, joint_errors
from poselift.models import Weights, load_weights
from poselift.reports.comparison import compare
from poselift.reports.protocols import get_protocol
from poselift.skeleton import H36M17, get_skeleton
from poselift.structures import Keypoints2D, Motion

THRESHOLD = 0.2
"""Of `poselift lift`: joints that score less are not used, so that hiding them changes nothing."""

COLUMNS = {
    "mpjpe": "MPJPE mm",
    "change": "change %",
    "p_mpjpe": "P-MPJPE mm",
    "root": "root mm",
    "hidden": "hidden mm",
    "seen": "seen mm",
    "bones": "bones mm",
    "impossible": "impossible %",
    "empty": "empty %",
}


def true_camera(view: View) -> CameraModel:
    """The view's own."""
    return CameraModel(view.K, _size(view), "given")


def assumed_camera(view: View) -> CameraModel:
    """What `poselift lift` assumes where nothing is said."""
    return camera_for(_size(view))


def wrong_camera(factor: float) -> Callable[[View], CameraModel]:
    """A field of view that is wrong by a factor."""
    return lambda view: camera_for(_size(view), fov=factor * true_camera(view).fov)


def _size(view: View) -> tuple[int, int]:
    width, height = (int(size) for size in view.image_size)
    return width, height


def unchanged(view: View, generator: torch.Generator) -> View:
    """The view as it is."""
    return view


@dataclass(frozen=True)
class Condition:
    """One row of the table.

    Attributes:
        part: of the table.
        name: of the row.
        change: what is done to the view.
        camera: what the lifter is told of the camera.
        tall: whether it is told how tall the person is.
        hides: whether the change hides joints on purpose.
    """

    part: str
    name: str
    change: Change = unchanged
    camera: Callable[[View], CameraModel] = true_camera
    tall: bool = False
    hides: bool = False

    @property
    def as_is(self) -> bool:
        """Whether nothing is different from the benchmark."""
        return self.change is unchanged and self.camera is true_camera and not self.tall


def conditions(joints: str) -> list[Condition]:
    """All rows; the first one of each part is what its others are compared with."""
    rate, anew, missing, elsewhere, camera, height = (
        "Frame rate: frames taken out of the 50 a second of the benchmark",
        "Frame rate: filmed anew",
        "Missing joints",
        "Joints that are elsewhere",
        "Camera",
        "Height",
    )
    leg = ("hip", "knee", "ankle", "toe", "heel")
    arm = tuple(f"left_{joint}" for joint in ("shoulder", "elbow", "wrist", "hand"))
    return [
        Condition(rate, "50 fps"),
        Condition(rate, "25 fps", thinned(25)),
        Condition(rate, "15 fps", thinned(15)),
        Condition(rate, "10 fps", thinned(10)),
        Condition(rate, "variable: every third frame lost, at random", dropped(1 / 3)),
        Condition(rate, "time stamps wrong by up to 30 % of a frame", misstamped(0.3)),
        Condition(anew, "50 fps", filmed(50, joints)),
        Condition(anew, "100 fps", filmed(100, joints)),
        Condition(anew, "120 fps", filmed(120, joints)),
        Condition(
            anew, "variable: 60 fps, up to 40 % off the tick, every third frame lost", filmed(60, joints, 0.4, 1 / 3)
        ),
        Condition(missing, "all seen"),
        Condition(missing, "no legs, hips to ankles", without(*leg), hides=True),
        Condition(missing, "no left arm", without(*arm), hides=True),
        Condition(missing, "no left side", without("left_"), hides=True),
        Condition(missing, "half of the joints hidden for 1 s in every 4 s", spells(1.0, 4.0, 0.5), hides=True),
        Condition(missing, "all joints hidden for 0.5 s in every 4 s", spells(0.5, 4.0, 1.0), hides=True),
        *(
            [
                Condition(elsewhere, "the pelvis as in the corpus, above the hips"),
                Condition(elsewhere, "the pelvis between the hips", pelvis_between_hips),
            ]
            if "pelvis" in get_skeleton(joints).joints
            else []
        ),
        Condition(camera, "known"),
        Condition(camera, "field of view assumed", camera=assumed_camera),
        Condition(camera, "field of view 15 % too wide", camera=wrong_camera(1.15)),
        Condition(camera, "field of view 15 % too narrow", camera=wrong_camera(0.85)),
        Condition(height, "not known"),
        Condition(height, "given", tall=True),
        Condition(height, "not known, field of view assumed", camera=assumed_camera),
        Condition(height, "given, field of view assumed", camera=assumed_camera, tall=True),
    ]


def lift(view: View, condition: Condition, weights: Weights) -> Motion:
    """What `poselift lift` makes of a view."""
    keypoints = Keypoints2D(
        view.keypoints.double().numpy(),
        view.scores.double().numpy(),
        view.times.double().numpy(),
        view.keypoint_skeleton,
        _size(view),
    )
    motion = lift_track(keypoints, weights, condition.camera(view), THRESHOLD)
    true = estimate_height(view.joints.numpy(), view.skeleton).metres if condition.tall else None
    return with_height(motion, true)[0]


Sums = Mapping[str, tuple[float, float]]
"""By column, the sum of the values that count and how many there are."""


def measure(
    view: View, motion: Motion, anatomy: Anatomy, hidden: Bool[Tensor, "t j"] | None = None, base: Motion | None = None
) -> Sums:
    """What one view adds to a row.

    Args:
        view: the truth.
        motion: lifted from it.
        anatomy: what is possible.
        hidden: joints of Human3.6M-17 that were hidden on purpose, frame by frame.
        base: lifted with nothing hidden.
    """
    protocol = get_protocol("cmu_bench")
    pair = compare(view, motion.joints, motion.skeleton, protocol, partial=True)
    posed = pair.mask.any(-1)
    looked = posed if hidden is None or not hidden.any() else posed & hidden.any(-1)
    bones = bone_length_errors(pair.pred, pair.target, pair.skeleton, pair.mask)
    wrong = anatomy.impossible(pair.pred, H36M17).double()
    off = 1000 * (torch.from_numpy(motion.root) - view.root).double().norm(dim=-1)
    found = {
        "mpjpe": joint_errors(pair.pred, pair.target, pair.mask),
        "p_mpjpe": aligned_joint_errors(pair.pred, pair.target, pair.mask),
        "root": ElementValues(off, off.isfinite()),
        "bones": ElementValues(bones.values, bones.counts & looked[:, None]),
        "impossible": ElementValues(100 * wrong, looked),
        "empty": ElementValues(100 * (~posed).double(), torch.ones_like(posed)),
    }
    if hidden is not None and base is not None:
        both = compare(view, base.joints, base.skeleton, protocol, partial=True)
        mask = pair.mask & both.mask & hidden
        found["hidden"] = joint_errors(pair.pred, pair.target, mask)
        found["seen"] = joint_errors(both.pred, both.target, mask)
    return {
        key: (float(one.values.where(one.counts, 0.0).sum()), float(one.counts.sum())) for key, one in found.items()
    }


def hidden_joints(view: View, changed: View) -> Bool[Tensor, "t j"]:
    """The joints of Human3.6M-17 that could be used in a view and are gone in the changed one."""

    def used(one: View) -> Tensor:
        return (one.keypoints.isfinite().all(-1) & (one.scores >= THRESHOLD))[:, one.keypoint_skeleton.indices(joints)]

    joints = list(H36M17.joints)
    return used(view) & ~used(changed)


def run(views: list[View], weights: Weights, anatomy: Anatomy, rows: list[Condition]) -> Iterator[dict[str, float]]:
    """The columns of each row: means over subjects of the means over their frames."""
    bases = [lift(view, Condition("", ""), weights) for view in views]
    first: dict[str, float] = {}
    for row in rows:
        subjects: dict[str, dict[str, np.ndarray]] = defaultdict(lambda: defaultdict(lambda: np.zeros(2)))
        for index, (view, base) in enumerate(zip(views, bases, strict=True)):
            changed = row.change(view, torch.Generator().manual_seed(index))
            motion = base if row.as_is else lift(changed, row, weights)
            hidden = hidden_joints(view, changed) if row.hides else None
            for key, value in measure(changed, motion, anatomy, hidden, base).items():
                subjects[view.subject][key] += value
        means = {
            key: _mean([one[key] for one in subjects.values() if key in one]) for key in COLUMNS if key != "change"
        }
        reference = first.setdefault(row.part, means["mpjpe"])
        yield {**means, "change": 100 * (means["mpjpe"] / reference - 1)}


def _mean(sums: list[np.ndarray]) -> float:
    """The mean over subjects who have any; NaN where nobody has."""
    means = [total / count for total, count in sums if count]
    return math.fsum(means) / len(means) if means else math.nan


def main() -> None:
    """Prints and writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_val.npz or bench_test.npz")
    parser.add_argument("--weights", nargs="+", default=["small"], help="shipped weights by name, or files")
    parser.add_argument("--joints", default="h36m17", help="the joint set that is seen")
    parser.add_argument("--limit", type=int, help="only so many views, evenly over all of them")
    parser.add_argument("--out", type=Path, default=Path("outputs/robustness.md"), help="the tables; .csv goes beside")
    options = parser.parse_args()
    torch.set_num_threads(1)
    bench = CmuBench(options.corpus, options.bench, options.joints)
    chosen = np.unique(np.linspace(0, len(bench) - 1, options.limit or len(bench)).round().astype(int))
    views = [bench[int(index)] for index in chosen]
    anatomy = Anatomy.of(load_cmu(options.corpus, "train"))
    rows = conditions(options.joints)

    text, table = "", io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["weights", "part", "condition", *COLUMNS])

    def say(line: str) -> None:
        nonlocal text
        print(line, flush=True)
        text += line + "\n"

    for name in options.weights:
        part = ""
        for row, means in zip(rows, run(views, load_weights(name), anatomy, rows), strict=True):
            if row.part != part:
                part = row.part
                say(
                    f"\n## {part} (`{Path(name).stem}`, {options.joints}, {len(views)} views of {options.bench.name})\n"
                )
                say(f"| | {' | '.join(COLUMNS.values())} |\n|---|{'---:|' * len(COLUMNS)}")
            cells = ["" if math.isnan(means[key]) else f"{means[key]:.1f}" for key in COLUMNS]
            say(f"| {row.name} | {' | '.join(cells)} |")
            writer.writerow([Path(name).stem, row.part, row.name, *(means[key] for key in COLUMNS)])
    write_text(options.out, text.lstrip())
    write_text(options.out.with_suffix(".csv"), table.getvalue())


if __name__ == "__main__":
    main()
