"""How well the world is found: up, ground, contacts, and what standing feet do to the motion.

    python benchmarks/world.py --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE] [--joints coco17]

Lifts every view of the benchmark from its detector-like 2D, brings it to the world with `poselift.lifting.to_world`,
and compares with the truth, whose world has Y up and the ground at Y = 0. Means over subjects, but for the angles,
whose median and 90th percentile are over views.

A foot is truly down where its heel or big toe is slower than 0.2 m/s and less than 5 cm above where that joint
rests (its median height while it is so slow). Subject 03 walks on uneven terrain: contacts go by speed alone there,
and there is no height of the ground to compare with.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from poselift.data.cmu_bench import CmuBench
from poselift.data.reading import load_arrays
from poselift.data.views import View
from poselift.lifting import CameraModel, lift_track, to_world
from poselift.models import Weights, load_weights
from poselift.skeleton import H36M17
from poselift.structures import Keypoints2D, Motion

UNEVEN = {"03"}
"""Subjects on uneven terrain."""

_SLOW, _LOW = 0.2, 0.05


def true_contacts(
    joints: Float[np.ndarray, "t 28 3"], times: Float[np.ndarray, " t"], view: View
) -> Bool[np.ndarray, "t 2"]:
    """Whether the left and the right foot are down.

    Args:
        joints: in the world, metres.
        times: seconds.
        view: whose joint names and subject they are.
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
    """Harmonic mean of precision and recall."""
    return float(2 * (found & true).sum() / max(found.sum() + true.sum(), 1))


def motion_errors(motion: Motion, view: View, down: Bool[np.ndarray, "t 2"]) -> dict[str, float]:
    """Errors of a motion in the camera frame, and how fast its ankles move while the feet are truly down.

    Joints are compared where Human3.6M-17 has them, whatever more the lifter gives.
    """
    joints, root = view.joints[:, view.skeleton.indices(H36M17.joints)].double().numpy(), view.root.double().numpy()
    own = motion.restricted(H36M17).joints
    ankles = motion.joints[:, motion.skeleton.indices(["left_ankle", "right_ankle"])] + motion.root[:, None]
    speed = np.linalg.norm(np.gradient(ankles, motion.timestamps, axis=0), axis=-1)
    return {
        "MPJPE mm": 1e3 * _distance(own, joints),
        "MPJVE mm/frame": 1e3 * _distance(np.diff(own, axis=0), np.diff(joints, axis=0)),
        "root mm": 1e3 * _distance(motion.root, root),
        "root velocity mm/frame": 1e3 * _distance(np.diff(motion.root, axis=0), np.diff(root, axis=0)),
        "ankle speed in true contact m/s": float(speed[down].mean()),
        "bone length spread %": 100 * _bone_spread(motion),
    }


def measure(view: View, R: Float[np.ndarray, "3 3"], t: Float[np.ndarray, "3"], weights: Weights) -> dict[str, float]:
    """All errors of one view, before and after.

    Args:
        view: of the benchmark.
        R: of the true world in the camera frame.
        t: likewise, metres.
        weights: the lifter.
    """
    width, height = (int(size) for size in view.image_size)
    times = view.times.double().numpy()
    keypoints = Keypoints2D(
        view.keypoints.double().numpy(), view.scores.double().numpy(), times, view.keypoint_skeleton, (width, height)
    )
    camera = CameraModel(view.K, (width, height), "given")
    before = lift_track(keypoints, weights, camera)
    world = to_world([before], camera)
    found = world.motions[0]
    assert found.contacts is not None
    joints = ((view.joints + view.root[:, None]).double().numpy() - t) @ R
    down = true_contacts(joints, times, view)
    after = Motion(
        found.joints @ world.R,
        (found.root - world.t) @ world.R,
        times,
        found.interpolated,
        found.skeleton,
        "camera",
        keypoints,
    )
    angle = float(np.degrees(np.arccos(np.clip(world.R[1] @ R[:, 1], -1, 1))))
    said = float(np.degrees(world.uncertainty))
    pelvis = joints[:, 0, 1]
    row = {
        "up error deg": angle,
        "up error over what was said": angle / said,
        "root height over ground mm": np.nan
        if view.subject in UNEVEN
        else 1e3 * float(np.abs(found.root[:, 1] - pelvis).mean()),
        "contact F1": f1(found.contacts, down),
        "truly down %": 100 * float(down.mean()),
        "found down %": 100 * float(found.contacts.mean()),
    }
    for when, motion in (("before", before), ("after", after)):
        row |= {f"{name}, {when}": value for name, value in motion_errors(motion, view, down).items()}
    return row


def subject_mean(subjects: list[str], values: list[float]) -> float:
    """Mean over subjects of each one's mean over views; NaN does not count."""
    means = [
        np.mean(known)
        for subject in dict.fromkeys(subjects)
        if (known := [v for s, v in zip(subjects, values, strict=True) if s == subject and np.isfinite(v)])
    ]
    return float(np.mean(means))


def table(subjects: list[str], rows: list[dict[str, float]]) -> Iterable[str]:
    """The lines of the Markdown table."""
    names = list(dict.fromkeys(subjects))
    yield "| | all | " + " | ".join(f"subject {name}" for name in names) + " |"
    yield "|---" * (len(names) + 2) + "|"

    def line(label: str, values: list[float], overall: float) -> str:
        each = [
            np.mean([value for subject, value in zip(subjects, values, strict=True) if subject == name])
            for name in names
        ]
        return f"| {label} | " + " | ".join(f"{value:.2f}" for value in [overall, *each]) + " |"

    for key in rows[0]:
        values = [row[key] for row in rows]
        if key == "up error deg":
            yield line("up error deg, median over views", values, float(np.median(values)))
            yield f"| up error deg, 90 % of views | {np.percentile(values, 90):.2f} |" + " |" * len(names)
        else:
            yield line(key, values, subject_mean(subjects, values))


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b, axis=-1).mean())


def _bone_spread(motion: Motion) -> float:
    """Standard deviation of a bone's length over its mean, the largest of all bones."""
    pairs = [(row, parent) for row, parent in enumerate(motion.skeleton.parent_indices) if parent >= 0]
    lengths = np.stack([np.linalg.norm(motion.joints[:, a] - motion.joints[:, b], axis=-1) for a, b in pairs], -1)
    return float((lengths.std(0) / lengths.mean(0)).max())


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_val.npz: what is set by hand was set on val")
    parser.add_argument("--weights", default="small", help="shipped weights by name, or a file")
    parser.add_argument("--joints", default="coco17", help="the joint set that is seen")
    options = parser.parse_args()
    weights = load_weights(options.weights, "cpu")
    bench = CmuBench(options.corpus, options.bench, options.joints)
    poses = load_arrays(options.bench, {"R": (None, 3, 3), "t": (None, 3)}, "give bench_val.npz as --bench")
    rows = [measure(view, R, t, weights) for view, R, t in zip(bench, poses["R"], poses["t"], strict=True)]
    for text in table([view.subject for view in bench], rows):
        print(text)


if __name__ == "__main__":
    main()
