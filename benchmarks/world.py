"""Errors of the world frame: up, ground, foot contacts, and the motion before and after feet stand still.

    python -m benchmarks.world --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...] [--skeleton coco17]
    python -m benchmarks.world [--motions DIR ...] [--real mhad_s02.npz]

Lifts every view of the benchmark from detector-like 2D, brings it to the world with `poselift.lifting.to_world`, and
compares with the truth, whose world has Y up and the ground at Y = 0. Means over subjects of their means over views.
The angle of up has the median and the 90th percentile over views.

A foot is truly down where its heel or big toe is slower than 0.2 m/s and less than 5 cm above the place where that
joint rests, which is its median height while it is so slow. Subject 03 walks on uneven terrain: there contacts are
truly down by speed alone, and the ground has no height to compare with.

The second command compares what `poselift lift --skeleton cmu28` wrote to folders, without `--world`, with the world of
the same motions: how much knees and hips change, how fast feet slide over the ground while they are found down, how
far the knees lie beside their keypoints, and how feet lie to the ground.

A foot is under the ground where its heel or big toe is more than 2 cm below Y = 0, and its sole where one of them is as
far below its resting height. A foot floats where it is found down and both are more than 3 cm above that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from benchmarks.bench_views import load_worlds, subject_mean
from benchmarks.command import add_bench, bend, command_line, errors_shown, print_table
from benchmarks.real import takes
from poselift.core.errors import InputError
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.kinematics.foot_contacts import feet_of, find_contacts
from poselift.lifting import Camera, lift_view, to_world
from poselift.lifting.dataset_views import camera_of
from poselift.models import Weights, load_weights
from poselift.recordings import read_recording
from poselift.skeleton import H36M17
from poselift.structures import Motion

KEPT = (
    "knees and hips, median change deg",
    "95 % deg",
    "slide in contact cm/s",
    "knees beside keypoints px, before",
    "after",
    "a foot under the ground, % of frames",
    "a sole under the ground, % of frames",
    "a standing foot floats, % of frames",
)

UNEVEN = {"03"}
"""Subjects on uneven terrain."""

_LEGS = ("hip", "knee", "ankle"), ("shoulder", "hip", "knee")
"""Shank and thigh, thigh and trunk."""

_STRAIGHT = 0.5
"""Flexion in degrees below which a knee counts as straight."""

_UNDER, _FLOATS = 0.02, 0.03
"""Metres by which a foot is seen to be under the ground, and to float."""

_SLOW, _LOW = 0.2, 0.05
"""Speed in m/s and height in metres below which a foot is down."""


def true_contacts(
    joints: Float[np.ndarray, "t 28 3"], times: Float[np.ndarray, " t"], view: View
) -> Bool[np.ndarray, "t 2"]:
    """Whether the left and the right foot are down.

    Args:
        joints: in the world, metres.
        times: seconds.
        view: of the joints.
    """
    down = np.zeros((len(joints), 2), bool)
    for side, name in enumerate(("left", "right")):
        for joint in ("heel", "big_toe"):
            place = joints[:, view.skeleton.index(f"{name}_{joint}")]
            slow = np.linalg.norm(np.gradient(place, times, axis=0), axis=-1) < _SLOW
            height = place[:, 1] - np.median(place[slow, 1]) if slow.any() else np.full(len(place), np.inf)
            down[:, side] |= slow & ((height < _LOW) | (view.subject in UNEVEN))
    return down


def f1(found: Bool[np.ndarray, "t 2"], true: Bool[np.ndarray, "t 2"]) -> float:
    """The harmonic mean of precision and recall."""
    return float(2 * (found & true).sum() / max(found.sum() + true.sum(), 1))


def ground_shares(world: Motion, down: Bool[np.ndarray, "t 2 p"]) -> dict[str, float]:
    """Percent of the frames in which a foot or its sole is under the ground, and in which one that is down floats.

    Args:
        world: of one person, in the world.
        down: points of the feet that are down.
    """
    feet = feet_of(world)
    assert feet is not None
    heights = feet.points[..., 1]
    under, sole = ((points < -_UNDER).any((1, 2)) for points in (heights, heights - feet.rest))
    floats = (down.any(-1) & (heights - feet.rest > _FLOATS).all(-1)).any(-1)
    shares = (100 * float(np.asarray(flags)[world.posed].mean()) for flags in (under, sole, floats))
    return dict(zip(KEPT[-3:], shares, strict=True))


def knees(motion: Motion) -> dict[str, float]:
    """How straight the knees get, and how fast their angle changes.

    Args:
        motion: in any frame; its steps are from frame to frame, at the frame rate of the clip.
    """
    flexion = bends(motion, ("hip", "knee", "ankle"))[np.isfinite(motion.joints).all((1, 2))]
    steps = np.abs(np.diff(flexion, axis=0))
    return {
        "a knee under 0.5 deg, % of frames": 100 * float((flexion < _STRAIGHT).any(-1).mean()),
        "mean step of the knees deg/frame": float(steps.mean()),
        "largest step of a knee deg/frame": float(steps.max()),
    }


def motion_errors(motion: Motion, view: View, down: Bool[np.ndarray, "t 2"]) -> dict[str, float]:
    """Errors of a motion in the camera frame, the speed of its ankles while the feet are truly down, and its knees."""
    joints, root = view.joints[:, view.skeleton.indices(H36M17.joints)].double().numpy(), view.root.double().numpy()
    own = motion.restrict(H36M17).joints
    ankles = motion.joints[:, motion.skeleton.indices(["left_ankle", "right_ankle"])] + motion.root[:, None]
    speed = np.linalg.norm(np.gradient(ankles, motion.timestamps, axis=0), axis=-1)
    return {
        "MPJPE mm": 1e3 * _distance(own, joints),
        "MPJVE mm/frame": 1e3 * _distance(np.diff(own, axis=0), np.diff(joints, axis=0)),
        "root mm": 1e3 * _distance(motion.root, root),
        "root velocity mm/frame": 1e3 * _distance(np.diff(motion.root, axis=0), np.diff(root, axis=0)),
        "ankle speed in true contact m/s": float(speed[down].mean()),
    } | knees(motion)


def measured(view: View, R: Float[np.ndarray, "3 3"], t: Float[np.ndarray, "3"], weights: Weights) -> dict[str, float]:
    """All errors of one view.

    Args:
        view: of the benchmark.
        R: of the true world in the camera frame.
        t: of the true world in the camera frame, metres.
        weights: the lifter.
    """
    before = lift_view(view, weights)
    world = to_world([before], camera_of(view))
    found = world.motions[0]
    assert found.contacts is not None
    joints = ((view.joints + view.root[:, None]).double().numpy() - t) @ R
    down = true_contacts(joints, before.timestamps, view)
    after = replace(
        found, joints=found.joints @ world.camera.R, root=(found.root - world.camera.t) @ world.camera.R, frame="camera"
    )
    angle = float(np.degrees(np.arccos(np.clip(world.camera.R[1] @ R[:, 1], -1, 1))))
    height = np.nan if view.subject in UNEVEN else 1e3 * float(np.abs(found.root[:, 1] - joints[:, 0, 1]).mean())
    row = {
        "up error deg": angle,
        "up error over its uncertainty": angle / float(np.degrees(world.uncertainty)),
        "root height over ground mm": height,
        "contact F1": f1(found.contacts, down),
        "truly down %": 100 * float(down.mean()),
        "found down %": 100 * float(found.contacts.mean()),
    }
    points_down = find_contacts(before, world.camera.R[1])
    assert points_down is not None
    row |= ground_shares(found, points_down)
    for when, motion in (("before", before), ("after", after)):
        row |= {f"{name}, {when}": value for name, value in motion_errors(motion, view, down).items()}
    return row


def read_folder(folder: Path) -> tuple[list[Motion], Camera]:
    """Everybody whom `poselift lift` wrote to a folder, and the camera."""
    recording = read_recording(folder)
    return list(recording.people), Camera(recording.camera.K, recording.camera.image_size)


def kept(motions: Sequence[Motion], camera: Camera) -> Iterator[list[float]]:
    """What the world changes of each person's motion."""
    world = to_world(motions, camera)
    for before, after in zip(motions, world.motions, strict=True):
        change = np.abs(bends(after, *_LEGS) - bends(before, *_LEGS))
        change = change[np.isfinite(change)]
        down, feet = find_contacts(before, world.camera.R[1]), feet_of(after)
        assert down is not None
        assert feet is not None
        steps = np.linalg.norm(np.diff(feet.points[..., [0, 2]], axis=0), axis=-1)
        slide = (steps / np.diff(after.timestamps)[:, None, None])[down[1:] & down[:-1]]
        names = ["left_knee", "right_knee"]
        off = []
        for motion in (
            before,
            replace(after, joints=after.joints @ world.camera.R, root=(after.root - world.camera.t) @ world.camera.R),
        ):
            places = (motion.joints + motion.root[:, None])[:, motion.skeleton.indices(names)] @ camera.K.T
            pixels = motion.keypoints.keypoints[:, motion.keypoints.skeleton.indices(names)]
            off.append(np.nanmedian(np.linalg.norm(places[..., :2] / places[..., 2:] - pixels, axis=-1)))
        sliding = 100 * float(np.nanmean(slide)) if len(slide) else np.nan
        yield [
            float(np.median(change)),
            float(np.percentile(change, 95)),
            sliding,
            *off,
            *ground_shares(after, down).values(),
        ]


def bends(motion: Motion, *chains: Sequence[str]) -> Float[np.ndarray, "t n"]:
    """The bends of chains of three joints, left and right, degrees."""
    names = [[f"{side}_{joint}" for joint in chain] for side in ("left", "right") for chain in chains]
    return np.stack([bend(motion.joints[:, motion.skeleton.indices(own)]) for own in names], -1)


def view_rows(subjects: Sequence[str], rows: Sequence[dict[str, float]]) -> Iterator[list[str]]:
    """The cells of each error: the mean over all subjects, and the mean of each one."""
    names = list(dict.fromkeys(subjects))
    for key in rows[0]:
        values = np.array([row[key] for row in rows])
        each = [values[np.array(subjects) == name].mean() for name in names]
        title, overall = key, subject_mean(list(zip(subjects, values, strict=True)))
        if key == "up error deg":
            title, overall = f"{key}, median over views", float(np.median(values))
        yield [title, *("-" if np.isnan(value) else f"{value:.2f}" for value in [overall, *each])]
        if key == "up error deg":
            yield [f"{key}, 90 % of views", f"{np.percentile(values, 90):.2f}", *("" for _ in names)]


def kept_rows(folders: Sequence[Path], real: Path | None, weights: Sequence[str]) -> Iterator[list[str]]:
    """The cells of `KEPT` for everybody in the folders, and for the real person."""
    for folder in folders:
        motions, camera = read_folder(folder)
        for motion, values in zip(motions, kept(motions, camera), strict=True):
            name = f"{folder.name}, person {motion.keypoints.person}"
            yield [name, *(f"{value:.2f}" for value in values)]
    if real is None:
        return
    for lifter in map(load_weights, weights):
        rows = [next(kept([lift_view(view, lifter)], camera_of(view))) for view in takes(real)]
        name = f"real person, {len(rows)} takes, `{lifter.name}`"
        yield [name, *(f"{value:.2f}" for value in np.nanmean(rows, 0))]


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b, axis=-1).mean())


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table for each of the weights."""
    parser = command_line(__doc__)
    add_bench(parser, skeleton="coco17", required=False)
    parser.add_argument("--motions", nargs="+", type=Path, metavar="DIR", help="folders of `poselift lift` instead")
    parser.add_argument("--real", type=Path, metavar="FILE", help="likewise the takes of mhad_s02.npz, on the mean")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        if options.motions or options.real:
            print_table(["", *KEPT], kept_rows(options.motions or [], options.real, options.weights))
            return
        if not (options.corpus and options.bench):
            raise InputError("give --corpus cmu50.npz and --bench bench_val.npz, or --motions DIR")
        bench, truth = list(CmuBench(options.corpus, options.bench, options.skeleton)), load_worlds(options.bench)
        subjects = [view.subject for view in bench]
        for weights in map(load_weights, options.weights):
            rows = [measured(*view, weights) for view in zip(bench, truth["R"], truth["t"], strict=True)]
            heads = ["", "all", *(f"subject {name}" for name in dict.fromkeys(subjects))]
            title = f"`{weights.name}`, {options.skeleton}, {options.bench.name}"
            print_table(heads, view_rows(subjects, rows), title)


if __name__ == "__main__":
    main()
