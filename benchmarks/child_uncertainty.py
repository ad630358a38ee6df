"""How true the uncertainty is for children whose height is given.

    python -m benchmarks.child_uncertainty --children children50.npz [--split val|train] [--cameras 30]

The file is that of benchmarks/gait_lab.py. Random cameras of training and their detector-like 2D (seeds 0 and up) see
each clip: standing, walking straight and with a turn. Each view is lifted as `poselift lift --height` does with the
measured height. The limbs count, from the middle of the hips: the laboratory's pelvis and neck are other points than
the lifter's. First the mean over people of the percent of joints within, with the standard deviation between cameras;
then by person, movement, side that the camera sees, and joint; then the mean error, and the scale that would fit the
limbs best, beside that of the height (median over views).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.gait_lab import with_head_and_back
from benchmarks.real import LIMBS
from poselift.core.errors import InputError
from poselift.core.progress_text import track
from poselift.data.cmu import load_cmu
from poselift.data.corpus import MotionCorpus
from poselift.data.reading import load_arrays
from poselift.data.views import View, render_views
from poselift.kinematics.height import take_height
from poselift.lifting import lift_view
from poselift.models import Weights, load_weights
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Motion

_HELP = "give children50.npz as --children"
_SIDES = ("front", "side", "back")


def children(path: Path, split: str) -> tuple[MotionCorpus, dict[str, tuple[float, str]]]:
    """The clips of a split with a head, and what is known of each.

    That is the height in metres, and the movement.

    Raises:
        InputError: the file is missing or malformed, or has no such split.
    """
    arrays = load_arrays(path, {"clip": (None,), "height": (None,), "action": (None,)}, _HELP)
    corpus = load_cmu(path, split)
    joints = corpus.joints.double().numpy()
    clips = [with_head_and_back(joints[start:end]) for start, end in pairwise(corpus.clip_start)]
    known = zip(arrays["height"].tolist(), arrays["action"].tolist(), strict=True)
    described = dict(zip(arrays["clip"].tolist(), known, strict=True))
    return replace(corpus, joints=torch.from_numpy(np.concatenate(clips)).float()), described


def limbs(view: View, motion: Motion) -> Float[np.ndarray, "t 12 2"]:
    """Error and uncertainty of each joint of `LIMBS`, metres.

    Places count from the middle of the hips; NaN where unknown.

    Raises:
        InputError: the motion has no uncertainty.
    """
    if motion.uncertainty is None:
        raise InputError("the lifter gives no uncertainty; choose other --weights")
    found, true = _places(view, motion)
    radii = motion.uncertainty[:, motion.skeleton.indices(LIMBS)]
    return np.stack([np.linalg.norm(found - true, axis=-1), radii], -1)


def _places(view: View, motion: Motion) -> tuple[Float[np.ndarray, "t 12 3"], Float[np.ndarray, "t 12 3"]]:
    """Lifted and true places from the middle of the hips, metres."""
    found = motion.joints[:, motion.skeleton.indices(LIMBS)].astype(np.float64)
    true = view.joints[:, view.skeleton.indices(LIMBS)].double().numpy()
    return found - found[:, :2].mean(1, keepdims=True), true - true[:, :2].mean(1, keepdims=True)


def side_seen(view: View) -> list[str]:
    """The side of the body that each frame shows: front, side, back."""
    left, right = (view.joints[:, view.skeleton.index(f"{side}_hip")].double().numpy() for side in ("left", "right"))
    across = left - right
    turned = np.abs(np.degrees(np.arctan2(across[:, 2], across[:, 0])))
    return [_SIDES[int(angle > 45) + int(angle > 135)] for angle in turned]


def table(path: Path, split: str, skeleton: str, cameras: int, weights: Weights) -> Iterator[list[str]]:
    """The rows of a skeleton of the 2D."""
    corpus, described = children(path, split)
    within: dict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    errors, scales = [], []
    views = [(seed, view) for seed in range(cameras) for view in render_views(corpus, seed)]
    for seed, view in track(views, skeleton):
        height, movement = described[view.name]
        motion = take_height(lift_view(view.show(skeleton, "det"), weights), height)
        pairs = limbs(view, motion)
        known = np.isfinite(pairs).all(-1)
        inside, seen = pairs[..., 0] <= pairs[..., 1], np.array(side_seen(view))
        for group in (("person", f"{view.subject}, {height:.2f} m"), ("movement", movement), ("camera", str(seed))):
            within[group].append(inside[known])
        for side in _SIDES:
            within["seen from", side].append(inside[known & (seen == side)[:, None]])
        for column, name in enumerate(LIMBS):
            within["joint", strip_side(name)].append(inside[known[:, column], column])
        errors.append(pairs[known][:, 0])
        found, true = _places(view, motion)
        scales.append(float(np.sum((found * true)[known]) / np.sum(found[known] ** 2)))
    shares = {group: 100 * float(np.concatenate(values).mean()) for group, values in within.items()}
    people = [share for (kind, _), share in shares.items() if kind == "person"]
    between = float(np.std([share for (kind, _), share in shares.items() if kind == "camera"]))
    yield ["all", "mean of people", f"{np.mean(people):.1f}, between cameras {between:.1f}"]
    for kind in ("person", "movement", "seen from", "joint"):
        for (own, name), share in shares.items():
            if own == kind:
                yield [kind, name, f"{share:.1f}"]
    yield ["error", "mm", f"{1000 * np.concatenate(errors).mean():.1f}"]
    yield ["scale", "true of given", f"{np.median(scales):.3f}"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table for each skeleton."""
    parser = command_line(__doc__)
    parser.add_argument("--children", type=Path, required=True, metavar="FILE", help="children50.npz")
    parser.add_argument("--split", choices=["train", "val"], default="val", help="default val")
    parser.add_argument("--cameras", type=int, default=30, metavar="N", help="of each clip; default 30")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    names = ["coco17", "halpe26", "coco_wholebody23"]
    parser.add_argument("--skeletons", nargs="+", default=names, help=f"of the 2D; default {' '.join(names)}")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        if options.cameras < 1:
            raise InputError(f"--cameras {options.cameras}: give 1 or more")
        weights = load_weights(options.weights)
        for skeleton in options.skeletons:
            rows = table(options.children, options.split, skeleton, options.cameras, weights)
            print_table(["of", "", "within %"], rows, f"`{weights.name}`, {skeleton}, {options.split}, height given")


if __name__ == "__main__":
    main()
