"""Left and right of made people exchanged: what is put back, told as unsure, or missed.

    python -m benchmarks.exchanged_sides [--weights NAME|FILE ...]

Six made people (`benchmarks.made_worlds`) of 4 s in three views, from the side to almost from the front, under a camera
that looks down by 10 degrees, with noise of 2 px. The sides are exchanged from the moment in the middle half on in
which they hide each other best, from the middle on, or in a random third of the frames. `as given` is the distance of
the joints from the lift of the right keypoints without any of this, `lifted` with it, and `within` the share of the
lifted joints within their uncertainty of those. What is wrong and not told is counted as `wrong, not told`.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from jaxtyping import Bool

from benchmarks.command import add_weights, command_line, errors_shown, print_table
from benchmarks.made_worlds import Scene, hop, lie, pedal, see, sit, walk, walk_round
from poselift.lifting import lift
from poselift.lifting.prepare.exchanged_sides import exchange, group_pairs
from poselift.lifting.settled_sides import lift_settled
from poselift.models import Weights, load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

_BODIES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "walks": walk,
    "walks round": walk_round,
    "hops": hop,
    "sits": sit,
    "pedals": pedal,
    "lies": lie,
}
_HEADINGS = (0, 45, 80)
_BODY = group_pairs(COCO17)[0]
PATTERNS = ("hidden", "middle", "a third")
"""From a moment that hides it on, from the middle on, and in a random third of the frames."""

_SAME = 0.005
"""Metres from the right lift within which sides are put back."""


def exchanged_frames(keypoints: Keypoints2D, pattern: str) -> Bool[np.ndarray, " t"]:
    """Frames in which the sides are exchanged."""
    frames = len(keypoints)
    if pattern == "a third":
        return np.random.default_rng(0).random(frames) < 1 / 3
    first = frames // 2
    if pattern == "hidden":
        others = [keypoints.skeleton.flip_indices[joint] for joint in _BODY]
        apart = np.linalg.norm(keypoints.keypoints[:, _BODY] - keypoints.keypoints[:, others], axis=-1).mean(1)
        first = frames // 4 + int(apart[frames // 4 : 3 * frames // 4].argmin())
    return np.arange(frames) >= first


def rows(weights: Weights) -> Iterator[list[str]]:
    """The cells of each scene, and of all scenes of each pattern."""
    total: dict[str, list[tuple[str, float]]] = {pattern: [] for pattern in PATTERNS}
    for name, body in _BODIES.items():
        for heading in _HEADINGS:
            keypoints, camera, _, _ = see(Scene(name, body, heading, 10), noise=2.0)
            right = lift(keypoints, weights, camera)
            for pattern in PATTERNS:
                given = exchange(keypoints, exchanged_frames(keypoints, pattern), _BODY)
                motion, sides = lift_settled(given, weights, camera)
                before = np.linalg.norm(lift(given, weights, camera).joints - right.joints, axis=-1)
                after = np.linalg.norm(motion.joints - right.joints, axis=-1)
                assert motion.uncertainty is not None
                done = "unsure" if sides.unsure.any() else "put back" if after.mean() < _SAME else "wrong, not told"
                total[pattern].append((done, float((after <= motion.uncertainty).mean())))
                yield [
                    f"{name}, {heading} degrees, {pattern}",
                    f"{1000 * before.mean():.0f}",
                    f"{1000 * after.mean():.0f}",
                    f"{100 * total[pattern][-1][1]:.0f}",
                    done,
                ]
    for pattern, found in total.items():
        words = ("put back", "unsure", "wrong, not told")
        counts = [f"{word} {sum(done == word for done, _ in found)}" for word in words]
        yield [f"all, {pattern}", "", "", f"{100 * np.mean([within for _, within in found]):.0f}", ", ".join(counts)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table for each of the weights."""
    parser = command_line(__doc__)
    add_weights(parser, "small")
    options = parser.parse_args(arguments)
    heads = ["who, turned from the side, and how exchanged", "as given mm", "lifted mm", "within %", ""]
    with errors_shown(parser):
        for weights in map(load_weights, options.weights):
            print_table(heads, rows(weights), f"`{weights.name}`")


if __name__ == "__main__":
    main()
