"""What a fit of all that is known would gain on drawing joints towards their rays, which `poselift lift` does.

    python -m benchmarks.ray_fit --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE] [--frames 150]

The beginning of each view is lifted as `poselift lift` does, h36m17, exact and detector-like 2D. Then places of all
joints and lengths of all bones are found that fit best, by least squares (`Knowledge` has the terms): once with rays
good to 3 mm, as exact 2D is, once with rays good to 20 mm, and once as the first with the lengths and the root's track
as they truly are, to see which of them is missing. MPJPE, P-MPJPE (mm) and MPJVE (mm a frame), means over subjects.
"""

import argparse
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from poselift.lifting.rays import keypoint_rays
from poselift.lifting.track import lifter_input
from rich.console import Console
from rich.progress import track
from scipy.fft import idct
from torch import Tensor

from poselift.cli.calibrate import lift_view
from poselift.core.files import write_text
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.metrics.functional import mpjpe, mpjve, p_mpjpe
from poselift.models import Weights, load_weights
from poselift.skeleton import H36M17

_FRAME_WEIGHT = 0.1
"""Of a frame's terms, beside those of the lengths: what is wrong in one frame is wrong in its neighbours too."""

_RADII = 2.5
"""Standard deviations within which 9 of 10 points of a 3D normal distribution are."""

_ACCELERATION = 3.0
"""Standard deviation of how the correction of a joint moves, m/s2."""

_OUTLIER = 0.05
"""Metres from its ray at which a joint counts half (Cauchy)."""

_BONE = 0.005
_LENGTH = 0.03
_SIDES = 0.01
"""Standard deviations: of a bone from its length, m; of a length from the lifter's, its share; of left and right."""

_ROUNDS = 400

_SOFT_RADIUS = 0.1
"""Metres: how far off joints may be along their rays, where the fit is softest."""

_PARENTS = H36M17.parent_indices
_PAIRS = [(left - 1, right - 1) for left, right in enumerate(H36M17.flip_indices) if left < right]


@dataclass(frozen=True)
class Knowledge:
    """What is known of one view. The terms of the fit are distances by these, each over its standard deviation.

    Attributes:
        lifted: joints relative to the root, metres.
        root: its place, camera frame, metres; where the fit begins.
        uncertainty: within which 9 of 10 joints are, metres.
        rays: unit vectors; 0 where a joint was not seen.
        trust: of the rays.
        times: seconds.
        ray_error: standard deviation of a joint from its ray, metres.
        lengths: of the bones, metres, where they are known.
        root_known: whether `root` is the truth and stays.
    """

    lifted: Float[Tensor, "t j 3"]
    root: Float[Tensor, "t 3"]
    uncertainty: Float[Tensor, "t j"]
    rays: Float[Tensor, "t j 3"]
    trust: Float[Tensor, "t j"]
    times: Float[Tensor, " t"]
    ray_error: float
    lengths: Float[Tensor, " bones"] | None = None
    root_known: bool = False


def bones(joints: Float[Tensor, "t j 3"]) -> Float[Tensor, "t bones"]:
    """The length of the bone that ends in each joint but the root."""
    return (joints[:, 1:] - joints[:, list(_PARENTS[1:])]).norm(dim=-1)


def fit(known: Knowledge) -> Float[Tensor, "t j 3"]:
    """The joints relative to the root that fit best, by L-BFGS."""
    usual = bones(known.lifted).median(0).values if known.lengths is None else known.lengths
    basis = slow_first(known.times)
    # Of how the root and, beside it, each other joint are corrected; and of how the lengths are.
    coefficients = torch.zeros_like(known.lifted, requires_grad=True)
    stretch = torch.zeros_like(usual, requires_grad=True)
    solver = torch.optim.LBFGS(
        [coefficients] if known.lengths is not None else [coefficients, stretch],
        max_iter=_ROUNDS,
        history_size=30,
        tolerance_grad=1e-6,
        tolerance_change=1e-10,
        line_search_fn="strong_wolfe",
    )

    def corrected() -> tuple[Tensor, Tensor]:
        """Joints relative to the root, and the root."""
        moves = torch.einsum("tk,kjc->tjc", basis, coefficients)
        relative = torch.cat((known.lifted[:, :1], known.lifted[:, 1:] + moves[:, 1:]), 1)
        return relative, known.root + (0 if known.root_known else moves[:, 0])

    def misfit() -> Tensor:
        solver.zero_grad()
        total = energy(known, *corrected(), usual * (1 + _LENGTH * stretch), usual)
        total.backward()  # type: ignore[no-untyped-call]
        return total

    solver.step(misfit)  # type: ignore[no-untyped-call]
    return corrected()[0].detach()


def slow_first(times: Float[Tensor, " t"]) -> Float[Tensor, "t t"]:
    """Cosines over time, the slow ones larger: a fit frame by frame takes very long to move a whole clip."""
    frames = len(times)
    bend = 2 - 2 * torch.cos(torch.arange(frames, dtype=torch.float64) * torch.pi / frames)
    stiff = (bend / times.diff().median() ** 2 / _ACCELERATION) ** 2
    soft = (_RADII / _SOFT_RADIUS) ** 2
    return torch.from_numpy(idct(np.eye(frames), axis=0, norm="ortho")) / (_FRAME_WEIGHT * (soft + stiff)).sqrt()


def energy(
    known: Knowledge,
    joints: Float[Tensor, "t j 3"],
    root: Float[Tensor, "t 3"],
    lengths: Float[Tensor, " bones"],
    usual: Float[Tensor, " bones"],
) -> Float[Tensor, ""]:
    """The sum of squares that `fit` makes least."""
    pose = ((joints - known.lifted)[:, 1:] / (known.uncertainty[:, 1:, None] / _RADII)).square().sum()
    placed = joints + root[:, None]
    moved = placed - known.lifted - known.root[:, None]
    pace = (moved[2:] - 2 * moved[1:-1] + moved[:-2]) / known.times.diff().median() ** 2
    beside = (placed - known.rays * (known.rays * placed).sum(-1, keepdim=True)).square().sum(-1)
    rays = known.trust * (_OUTLIER / known.ray_error) ** 2 * torch.log1p(beside / _OUTLIER**2)
    stretch = ((bones(joints) - lengths) / _BONE).square().sum()
    body = ((lengths / usual - 1) / _LENGTH).square().sum()
    left, right = (list(side) for side in zip(*_PAIRS, strict=True))
    sides = ((lengths[left] - lengths[right]) / _SIDES).square().sum()
    return _FRAME_WEIGHT * (pose + (pace / _ACCELERATION).square().sum() + rays.sum() + stretch) + body + sides


def know(view: View, weights: Weights) -> tuple[Knowledge, Float[Tensor, "t j 3"], Float[Tensor, "t 3"]]:
    """What is known of a view, as lifted, and the true joints and root."""
    motion = lift_view(view, weights)
    truth = view.converted(view.keypoint_skeleton, H36M17)
    skeleton_in = weights.lifter.skeleton_in
    pixels, scores = lifter_input(motion.keypoints, skeleton_in)  # type: ignore[arg-type]
    rays, trust = keypoint_rays(pixels, scores, view.K.cpu(), skeleton_in, H36M17)  # type: ignore[arg-type]
    unit = rays / np.maximum(np.linalg.norm(rays, axis=-1, keepdims=True), 1e-9)
    joints = motion.skeleton.indices(list(H36M17.joints))
    # Somebody who is not seen for longer than is bridged has no pose in between, and no fit.
    posed = np.isfinite(motion.joints).all((1, 2)) & np.isfinite(motion.root).all(-1)
    assert motion.uncertainty is not None, "main has asked"
    parts = (motion.joints[:, joints], motion.root, motion.uncertainty[:, joints], unit, trust, motion.timestamps)
    known = Knowledge(*(torch.from_numpy(part[posed].astype(np.float64)) for part in parts), ray_error=0.003)
    chosen = torch.from_numpy(posed)
    return known, truth.joints[chosen].double(), truth.root[chosen].double()


def beginning(view: View, frames: int) -> View:
    """The first frames of a view."""
    cut = {key: getattr(view, key)[:frames] for key in ("keypoints", "scores", "times", "joints", "root")}
    return replace(view, **cut)


def errors(joints: Float[Tensor, "t j 3"], truth: Float[Tensor, "t j 3"]) -> tuple[float, float, float]:
    """MPJPE, P-MPJPE and MPJVE."""
    return float(mpjpe(joints, truth)), float(p_mpjpe(joints, truth)), float(mpjve(joints, truth))


def ways(known: Knowledge, truth: Float[Tensor, "t j 3"], root: Float[Tensor, "t 3"]) -> dict[str, Tensor]:
    """The joints of one view, by what was done."""
    true_lengths = replace(known, lengths=bones(truth).nanmedian(0).values)
    return {
        "as lifted": known.lifted,
        "fit, rays good to 3 mm": fit(known),
        "fit, rays good to 20 mm": fit(replace(known, ray_error=0.02)),
        "the first, with true lengths": fit(true_lengths),
        "and the true root": fit(replace(true_lengths, root=root, root_known=True)),
    }


def main() -> None:
    """Prints and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_val.npz or bench_test.npz")
    parser.add_argument("--weights", default="small", help="shipped weights by name, or a file")
    parser.add_argument("--frames", type=int, default=150, help="of each view, from its first")
    parser.add_argument("--out", type=Path, default=Path("outputs/ray_fit.md"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    weights = load_weights(options.weights)
    found: dict[str, dict[tuple[str, str], list[tuple[float, float, float]]]] = defaultdict(lambda: defaultdict(list))
    subjects = set()
    for source in ("gt", "det"):
        views = CmuBench(options.corpus, options.bench, "h36m17", source)
        for view in track(views, source, console=Console(stderr=True)):
            known, truth, root = know(beginning(view, options.frames), weights)
            subjects.add(view.subject)
            for name, joints in ways(known, truth, root).items():
                found[name][source, view.subject].append(errors(joints, truth))
    lines = [
        "| | exact: MPJPE | P-MPJPE | MPJVE | detector-like: MPJPE | P-MPJPE | MPJVE |",
        "|---|" + "---:|" * 6,
    ]
    for name, by in found.items():
        means = [
            np.mean([np.mean(by[source, subject], axis=0) for subject in sorted(subjects)], axis=0)
            for source in ("gt", "det")
        ]
        cells = [f"{m[0]:.1f} | {m[1]:.1f} | {m[2]:.2f}" for m in means]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    print("\n".join(lines))
    write_text(options.out, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
