"""What another camera gives: errors of several virtual views of one moment, without a calibration.

    python -m benchmarks.multiview --corpus cmu50.npz [--children children50.npz] [--cameras 1 2 4] [--people 1]
        [--lens given|guessed] [--clocks] [--every 1] [--seconds 8] [--seed 0] [--weights NAME]

Renders the val clips of the CMU corpus (tier A, joints where anatomy has them) under a ring of virtual cameras
(benchmarks/several_views.py), with the 2D of a virtual detector (COCO-17). Lifts each view as `poselift lift` does, and
joins them as `poselift multiview` does; one camera is the lifted view alone. With `--clocks` the cameras start up to
0.7 s apart, drift by up to 0.01 % and have rates of 29.97 to 59.94 a second, and the shifts are found from movement.
`--children` has the val clips of the children's file instead, with heads of adults' size.

Columns, means over subjects of means over clips, 17 joints (12 limb joints for children), mm: `MPJPE` from the root, in
the first camera's true frame; `P-MPJPE`, each pose aligned; `whole take`, one alignment without scale for the take;
`root`, the root's path under that alignment; `size`, mean size of the error of the scale in per cent; `rotation`, mean
error of the rotations between cameras, degrees, and `worst`, of the worst pair of cameras in any clip; `clock`, ms;
`within`, share of the joints within their 90 % radius; `relative`, likewise at the true size, without what the radius
has for an unknown size and tilt (as in benchmarks/uncertainty.py); `knee`, `hip` and `elbow`, mean error of the angle
between two bones, degrees, at the hip that between thigh and trunk; `refused`, clips that ended with an error; `wrong`,
of the clips with a rotation off by more than 2 degrees or a size off by more than 4 %, how many have a warning of how
far both may be off (`several_views/report.py`), and `right`, likewise of the others. `clock` is the median over clips.
"""

import argparse
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.child_uncertainty import children
from benchmarks.command import add_weights, bend, command_line, errors_shown, print_table
from benchmarks.several_views import Scene, VirtualView, make_scenes, subjects_mean
from poselift.core.errors import InputError
from poselift.data.cmu import load_cmu
from poselift.data.reading import load_arrays
from poselift.geometry import umeyama
from poselift.geometry.camera import Camera, camera_for
from poselift.kinematics.height import take_height
from poselift.kinematics.whole_body import relative_to_body
from poselift.lifting import lift
from poselift.models import Weights, load_weights
from poselift.several_views.reconstruction import Reconstruction, reconstruct
from poselift.several_views.view import LiftedView, ViewClock
from poselift.skeleton import H36M17, Skeleton
from poselift.structures import Motion

COLUMNS = (
    "cameras",
    "MPJPE",
    "P-MPJPE",
    "whole take",
    "root",
    "size %",
    "rotation °",
    "worst °",
    "clock ms",
    "within %",
    "relative %",
    "knee °",
    "hip °",
    "elbow °",
    "refused",
    "wrong",
    "right",
)

_TURNED, _SIZED = 2.0, 4.0
"""Degrees, and per cent, from which a take is wrong."""

BENDS = (("hip", "knee", "ankle"), ("shoulder", "hip", "knee"), ("shoulder", "elbow", "wrist"))
"""The joints of each angle, of either side."""

LIMBS = [
    f"{side}_{joint}" for joint in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist") for side in ("left", "right")
]


def lifted_view(view: VirtualView, name: str, weights: Weights, given: bool, height: float | None = None) -> LiftedView:
    """One view of a scene, lifted alone."""
    camera = Camera(view.K, view.image_size) if given else camera_for(view.image_size)
    motions = [lift(keypoints, weights, camera) for keypoints in view.people.values()]
    motions = [take_height(motion, height) for motion in motions]
    times = np.concatenate([keypoints.timestamps for keypoints in view.people.values()])
    return LiftedView(name, tuple(motions), camera, (float(times.min()), float(times.max())))


def measured(
    scene: Scene, views: Sequence[LiftedView], clocks: bool, joints: list[str], height: float | None = None
) -> list[float]:
    """The errors of one scene, in the order of `COLUMNS` without the first and the last three.

    Then whether it is unsure.
    """
    first = scene.views[0]
    if len(views) == 1:
        people: Sequence[Motion] = views[0].people
        rotations, late, unsure = [], [], 0.0
    else:
        starts = None if clocks else [ViewClock()] * len(views)
        found = reconstruct(views, clocks=starts, world=False, heights=height)
        people, unsure = found.people, float(found.report.unsure)
        rotations = rotation_errors(scene, found)
        late = [
            1000 * abs(clock.offset - (view.offset - first.offset))
            for clock, view in zip(found.clocks, scene.views, strict=False)
        ][1:]
    rows = [_person(scene, people, number, joints) for number in range(len(scene.joints))]
    errors = np.nanmean(rows, axis=0)
    mean, worst, clock = (
        float(pick(values)) if values else np.nan
        for pick, values in ((np.mean, rotations), (np.max, rotations), (np.mean, late))
    )
    return [*errors[:5], mean, worst, clock, *errors[5:], unsure]


def rotation_errors(scene: Scene, found: Reconstruction) -> list[float]:
    """Degrees between the true and the found rotation of each pair of cameras."""
    errors = []
    for a, b in combinations(range(len(found.cameras)), 2):
        true = scene.views[a].R.T @ scene.views[b].R
        own = found.cameras[a].R.T @ found.cameras[b].R
        errors.append(float(np.degrees(np.arccos(np.clip((np.trace(true.T @ own) - 1) / 2, -1, 1)))))
    return errors


def _person(scene: Scene, people: Sequence[Motion], number: int, joints: list[str]) -> list[float]:
    """Errors of the motion that fits a true person best."""
    rows = [_compare(scene, motion, number, joints) for motion in people]
    return min(rows, key=lambda row: row[2]) if rows else [np.nan] * 10


def _compare(scene: Scene, motion: Motion, number: int, joints: list[str]) -> list[float]:
    """MPJPE, P-MPJPE, whole take, root in mm; size and share within in per cent."""
    first = scene.views[0]
    times = (1 + first.drift) * motion.timestamps + first.offset
    inside = motion.posed & (times >= scene.times[0]) & (times <= scene.times[-1])
    own = motion.skeleton.indices(joints)
    truth = scene.at(times[inside])[number]
    found = (motion.joints + motion.root[:, None])[inside].astype(np.float64)
    known = np.isfinite(truth[:, own]).all((1, 2))
    if known.sum() < 5:
        return [np.nan] * 10
    truth, found = truth[known], found[known]
    radius = np.full(found.shape[:2], np.nan) if motion.uncertainty is None else motion.uncertainty[inside][known]
    x, y = found[:, own], truth[:, own]
    hips = motion.skeleton.indices(["left_hip", "right_hip"])
    rooted = motion.skeleton.joints[0] in joints  # the children's pelvis is the middle of the hips
    root_x, root_y = (values[:, :1] if rooted else values[:, hips].mean(1, keepdims=True) for values in (found, truth))
    relative = np.linalg.norm((x - root_x) @ first.R.T - (y - root_y), axis=-1)
    counted = np.isfinite(relative) & (np.array(joints) != motion.skeleton.joints[0])
    scale, R, t = umeyama(x, y)
    aligned = scale[:, None, None] * np.einsum("nik,njk->nji", R, x) + t[:, None]
    _, R, t = umeyama(x.reshape(-1, 3), y.reshape(-1, 3), with_scale=False)
    size, turn, _ = umeyama(x.reshape(-1, 3), y.reshape(-1, 3))
    body = relative_to_body(motion).uncertainty
    alone = radius if body is None else body[inside][known]
    sized = np.linalg.norm(size * (x - root_x) @ turn.T - (y - root_y), axis=-1)
    return [
        1000 * float(relative[counted].mean()),
        1000 * float(np.linalg.norm(aligned - y, axis=-1).mean()),
        1000 * float(np.linalg.norm(x @ R.T + t - y, axis=-1).mean()),
        1000 * float(np.linalg.norm(root_x @ R.T + t - root_y, axis=-1).mean()),
        100 * abs(1 / float(size) - 1),
        100 * float((relative <= radius[:, own])[counted].mean()),
        100 * float((sized <= size * alone[:, own])[counted].mean()),
        *(_bend_error(found, truth, names, motion.skeleton) for names in BENDS),
    ]


def _bend_error(found: np.ndarray, truth: np.ndarray, names: Sequence[str], skeleton: Skeleton) -> float:
    """Mean error of an angle on both sides, degrees."""
    errors = []
    for side in ("left", "right"):
        rows = skeleton.indices([f"{side}_{name}" for name in names])
        errors.append(np.abs(bend(found[:, rows]) - bend(truth[:, rows])))
    return float(np.nanmean(errors))


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, metavar="FILE", help="cmu50.npz")
    parser.add_argument("--children", type=Path, metavar="FILE", help="children50.npz, instead of the corpus's people")
    parser.add_argument("--cameras", type=int, nargs="+", default=[1, 2, 3, 4, 6])
    parser.add_argument("--people", type=int, choices=[1, 2], default=1)
    parser.add_argument("--lens", choices=["given", "guessed"], default="guessed")
    parser.add_argument("--clocks", action="store_true", help="starts, drifts and rates of their own")
    parser.add_argument("--every", type=int, default=1, help="takes each n-th clip only")
    parser.add_argument("--seconds", type=float, default=8.0, help="most of a clip")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--height", action="store_true", help="give each first person's true height (children)")
    add_weights(parser, "small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        weights = load_weights(options.weights[0])
        kind = f"{options.people} {'person' if options.people == 1 else 'people'}, lens {options.lens}"
        title = f"`{weights.name}`, {kind}{', own clocks' if options.clocks else ''}, seed {options.seed}"
        print_table(COLUMNS, _rows(options, weights), title)


def _heights(path: Path) -> dict[str, float]:
    """The standing height of the person of each clip, metres."""
    arrays = load_arrays(path, {"clip": (None,), "height": (None,)}, "the file is children50.npz")
    return dict(zip(arrays["clip"].tolist(), arrays["height"].astype(float).tolist(), strict=True))


def _rows(options: argparse.Namespace, weights: Weights) -> "list[list[str]]":
    joints = LIMBS if options.children else list(H36M17.joints)
    table = []
    for cameras in options.cameras:
        corpus = (
            children(options.children, "val")[0] if options.children else load_cmu(options.corpus, "val", moved=True)
        )
        scenes = make_scenes(
            corpus,
            cameras,
            people=options.people,
            seconds=options.seconds,
            clocks=options.clocks,
            seed=options.seed,
        )[:: options.every]
        rows: list[tuple[str, list[float]]] = []
        refused, heights = 0, _heights(options.children) if options.height and options.children else {}
        for scene in scenes:
            views = [
                lifted_view(view, f"view {index + 1}", weights, options.lens == "given", heights.get(scene.name))
                for index, view in enumerate(scene.views)
            ]
            try:
                height = heights.get(scene.name)
                rows.append((scene.subject, measured(scene, views, options.clocks, joints, height)))
            except InputError as error:
                refused += 1
                print(f"{scene.name}, {cameras} cameras: {error}")
        if not rows:
            table.append([str(cameras), *["-"] * (len(COLUMNS) - 4), str(refused), "-", "-"])
            continue
        means = subjects_mean(rows)[:-1]
        if cameras > 1:
            means[6] = np.max([values[6] for _, values in rows])
            means[7] = np.median([values[7] for _, values in rows])
        cells = ("-" if np.isnan(value) else f"{value:.1f}" for value in means)
        table.append([str(cameras), *cells, str(refused), *_told([values for _, values in rows])])
    return table


def _told(rows: Sequence[Sequence[float]]) -> list[str]:
    """How many wrong takes, and how many right ones, say how far they may be off."""
    values = np.array(rows)
    wrong = (values[:, 6] > _TURNED) | (values[:, 4] > _SIZED)
    return [f"{int(values[which, -1].sum())} of {which.sum()}" for which in (wrong, ~wrong)]


if __name__ == "__main__":
    main()
