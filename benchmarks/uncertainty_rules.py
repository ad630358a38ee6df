"""By what the radii that a lifter has learnt are best widened, for people whom it has not seen.

    python -m benchmarks.uncertainty_rules --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...] [--out FILE]

Lifts every view of the benchmark as `poselift lift` does, with three joint sets, detector-like and exact 2D, and tries
rules: the learnt radius times powers of what can be known of it. Each rule gets the factor by which 9 of 10 joints of
Human3.6M-17 are within (`poselift calibrate`), once of all subjects and once of all but each one, on whom it is then
judged. `poselift/lifting/uncertainty.py` has the rule in use.

Columns: the mean pinball loss at 0.9, mm, of all subjects with the factor of all; the same of each subject with the
factor of the others; how many joints of each subject are then within, %; and how far these are from 90, points (root
mean square). The pinball loss is lower where radii are as small as can be with 9 of 10 within (Koenker and Bassett
1978, https://doi.org/10.2307/1913643).
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from jaxtyping import Float
from rich.console import Console
from rich.progress import track

from poselift.cli.calibrate import COVERAGE, MEASURED, SKELETONS_IN, SOURCES, calibration_factor, lift_view
from poselift.core.files import write_text
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.lifting.uncertainty import clip_misfit
from poselift.models import Weights, load_weights

KNOWN = ("uncertainty", "misfit", "clip", "speed", "reach", "depth")
"""What is known of a joint beside how far off it is.

uncertainty: as the lifter has learnt it, m. misfit: of the clip, m (`clip_misfit`). clip: the mean radius of the clip, m.
speed: of the joint relative to the pelvis, m/s, and 0.3. reach: from the pelvis, m, and 0.2. depth: from the camera to
the pelvis, m. Units do not matter, as the factor undoes them.
"""

Powers = Mapping[str, float]
"""A rule: of what is known, the powers that a radius is multiplied with."""

IN_USE: Powers = {"uncertainty": 0.2, "misfit": 0.2}

RULES: tuple[Powers, ...] = (
    {},
    {"uncertainty": 0.2},
    {"uncertainty": 0.4},
    {"misfit": 0.2},
    {"misfit": 0.4},
    IN_USE,
    {"uncertainty": 0.4, "misfit": 0.2},
    {"uncertainty": 0.2, "misfit": 0.4},
    {"uncertainty": 0.4, "misfit": 0.4},
    *({**IN_USE, key: power} for key in ("clip", "speed", "reach", "depth") for power in (-0.2, 0.2)),
)


@dataclass(frozen=True)
class Joints:
    """Joints whose place is known, of any frames and views.

    Attributes:
        error: how far off they are, metres.
        known: by the names `KNOWN`.
    """

    error: Float[np.ndarray, " n"]
    known: Mapping[str, Float[np.ndarray, " n"]]

    def widened(self, rule: Powers) -> Float[np.ndarray, " n"]:
        """The radii by a rule, before any factor."""
        return self.known["uncertainty"] * math.prod(self.known[key] ** power for key, power in rule.items())


def joints_of(view: View, weights: Weights) -> Joints:
    """The joints of Human3.6M-17 but the root, lifted from one view."""
    misfits = []

    def as_learnt(uncertainty: np.ndarray, ways: np.ndarray, trust: np.ndarray) -> np.ndarray:
        misfits.append(np.full(len(uncertainty), clip_misfit(ways, trust)))
        return uncertainty / weights.uncertainty_factor

    with patch("poselift.lifting.track.adjusted_uncertainty", as_learnt):
        motion = lift_view(view, weights)
    assert motion.uncertainty is not None, "main has asked"
    truth = view.converted(view.keypoint_skeleton, motion.skeleton).joints.numpy()
    posed = np.isfinite(motion.joints[:, 0, 0])
    measured = motion.skeleton.indices(list(MEASURED))
    joints, uncertainty = motion.joints[posed][:, measured], motion.uncertainty[posed][:, measured].astype(np.float64)
    error = np.linalg.norm(joints - truth[posed][:, measured], axis=-1)
    speed = np.gradient(joints, motion.timestamps[posed], axis=0)
    parts = {
        "uncertainty": uncertainty,
        "misfit": np.concatenate(misfits)[:, None],
        "clip": np.mean(uncertainty, keepdims=True),
        "speed": np.linalg.norm(speed, axis=-1) + 0.3,
        "reach": np.linalg.norm(joints, axis=-1) + 0.2,
        "depth": np.linalg.norm(motion.root[posed], axis=-1)[:, None],
    }
    known = np.isfinite(error) & (uncertainty > 0) & np.isfinite(parts["depth"])
    return Joints(error[known], {key: np.broadcast_to(value, error.shape)[known] for key, value in parts.items()})


def joints_by_subject(corpus: Path, bench: Path, weights: Weights) -> dict[str, Joints]:
    """The joints of every view, three joint sets and two kinds of 2D, by whose they are."""
    found: dict[str, list[Joints]] = defaultdict(list)
    for joints, source in product(SKELETONS_IN, SOURCES):
        views = CmuBench(corpus, bench, joints, source)
        for view in track(views, f"{weights.name} {joints} {source}", console=Console(stderr=True)):
            found[view.subject].append(joints_of(view, weights))
    return {
        subject: Joints(
            np.concatenate([part.error for part in parts]),
            {key: np.concatenate([part.known[key] for part in parts]) for key in KNOWN},
        )
        for subject, parts in sorted(found.items())
    }


def pinball(error: Float[np.ndarray, " n"], uncertainty: Float[np.ndarray, " n"]) -> float:
    """The mean pinball loss, mm."""
    beyond = error - uncertainty
    return 1000 * float(np.mean(np.maximum(COVERAGE * beyond, (COVERAGE - 1) * beyond)))


def judge(subjects: Mapping[str, Joints], rule: Powers) -> tuple[float, float, dict[str, float]]:
    """Pinball loss with the factor of all, with that of the others, and the share within by the latter, %."""
    radii = {subject: joints.widened(rule) for subject, joints in subjects.items()}
    ratios = {subject: joints.error / radii[subject] for subject, joints in subjects.items()}
    everyone = calibration_factor(ratios.values())
    own, left_out, within = [], [], {}
    for subject, joints in subjects.items():
        others = calibration_factor([ratio for other, ratio in ratios.items() if other != subject])
        own.append(pinball(joints.error, everyone * radii[subject]))
        left_out.append(pinball(joints.error, others * radii[subject]))
        within[subject] = 100 * float(np.mean(ratios[subject] <= others))
    return float(np.mean(own)), float(np.mean(left_out)), within


def row(name: str, subjects: Mapping[str, Joints], rule: Powers) -> str:
    """One row of the table."""
    own, left_out, within = judge(subjects, rule)
    words = " ".join(f"{key}^{power:g}" for key, power in rule.items()) or "as learnt"
    shares = ", ".join(f"{subject}: {share:.1f}" for subject, share in within.items())
    spread = np.sqrt(np.mean([(share - 100 * COVERAGE) ** 2 for share in within.values()]))
    return f"| {name} | {words} | {own:.2f} | {left_out:.2f} | {shares} | {spread:.1f} |"


def main() -> None:
    """Prints and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_val.npz: rules are chosen on val")
    parser.add_argument("--weights", nargs="+", default=["small"], help="shipped weights by name, or files")
    parser.add_argument("--out", type=Path, default=Path("outputs/uncertainty_rules.md"))
    options = parser.parse_args()
    if len({view.subject for view in CmuBench(options.corpus, options.bench)}) < 2:
        parser.error(f"{options.bench} has one subject only: each is judged with the factor of the others")
    every = [load_weights(name) for name in options.weights]
    for weights in every:
        config: dict[str, Any] = weights.lifter.config  # type: ignore[assignment]
        if not config.get("uncertainty"):
            parser.error(f"{weights.path} does not tell how far off it may be; train one with model.uncertainty=true")
    head = "| lifter | uncertainty, times | pinball mm | left out, mm | left out, within % | from 90 |"
    lines = [head, "|---|---|---:|---:|---|---:|"]
    print("\n".join(lines))
    for weights in every:
        subjects = joints_by_subject(options.corpus, options.bench, weights)
        for rule in RULES:
            lines.append(row(weights.name, subjects, rule))
            print(lines[-1], flush=True)
    write_text(options.out, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
