"""Lengths of walking cameras' paths by standing feet alone.

    python -m benchmarks.walk_scale CMU50 [--strides N ...] [--depths N ...] [--weights NAME]

People of the corpus's train split in the scenes of `benchmarks.walking_camera`, without pictures: the camera's rotation
and its path up to scale are the true ones, and the keypoints have noise. Each row has another size of strides
(`_STRIDE` of `feet_scale.py`) and another error along the line of sight (`_DEPTH`): how many walks are shown, their
mean error and its root mean square, and how many of them err by more than a tenth. `benchmarks.walking_camera` has
other people.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.depth_scenes import MOVES, CameraMove, make_scene
from poselift.geometry import Camera, pixels_to_rays, project
from poselift.geometry.rotations_over_time import nearest_rotation
from poselift.lifting import lift
from poselift.lifting.world import feet_scale
from poselift.models import Weights, load_weights
from poselift.structures import Motion

_WALKERS = ("06_01", "06_13", "09_12", "10_04", "16_11", "16_17", "16_32", "35_29", "49_01", "105_31", "37_01")
_STANDERS = ("02_07", "14_10-1", "14_13", "14_19", "14_25", "49_11", "49_14")
"""Clips of the train split, of 4 s or more; who stands moves arms and trunk."""

_UNIT = 5.0
"""Metres for each unit of the path."""

_SEED = 11
"""Of the first clip's noise; `benchmarks.walking_camera` begins with 0."""


def see(corpus: Path, clip: str, move: CameraMove, seed: int, weights: Weights) -> tuple[Motion, np.ndarray]:
    """Somebody as a camera sees them that does not turn, and its places (t, 3) in the path's unit."""
    scene = make_scene(corpus, clip, move, seed=seed)
    middle = nearest_rotation(scene.R.mean(0))
    rays = pixels_to_rays(scene.keypoints.keypoints.astype(np.float64), scene.K, None)
    pixels = project(np.einsum("txy,tjy->tjx", middle.T @ scene.R, rays), scene.K)
    seen = replace(scene.keypoints, keypoints=pixels)
    motion = lift(seen, weights, Camera(scene.K.astype(np.float32), seen.image_size, "given"))
    rows = np.searchsorted(scene.times, motion.timestamps).clip(max=len(scene.times) - 1)
    return motion, ((scene.t - scene.t[0]) @ middle / _UNIT)[rows]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each pair of constants."""
    parser = command_line(__doc__)
    parser.add_argument("corpus", type=Path, metavar="CMU50", help="cmu50.npz")
    parser.add_argument("--strides", nargs="*", type=float, default=[1.0, 1.03, 1.06, 1.09, 1.12], metavar="N")
    parser.add_argument("--depths", nargs="*", type=float, default=[0.0, 0.06, 0.08, 0.1], metavar="N")
    parser.add_argument("--weights", default="small", help="default: small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        weights = load_weights(options.weights)
    walks = [move for move in MOVES.values() if move.right == ("moving",)]
    clips = [*_WALKERS, *_STANDERS]
    seen = [
        see(options.corpus, clip, move, _SEED + number, weights)
        for number, clip in enumerate(clips)
        for move in walks[number % 2 :: 2]
    ]

    def rows() -> Iterator[list[str]]:
        for stride in options.strides:
            for depth in options.depths:
                with patch.object(feet_scale, "_STRIDE", stride), patch.object(feet_scale, "_DEPTH", depth):
                    found = [feet_scale.find_scale([motion], [place]) for motion, place in seen]
                shown = np.array([each.metres / _UNIT - 1 for each in found if each is not None and each.sure])
                spread = np.sqrt((shown**2).mean())
                wrong = int((np.abs(shown) > 0.1).sum())
                numbers = f"{len(shown)} of {len(seen)}", f"{shown.mean():.3f}", f"{spread:.3f}", str(wrong)
                yield [f"{stride:g}", f"{depth:g}", *numbers]

    print_table(["stride", "depth", "shown", "mean error", "rms error", "beyond a tenth"], rows())


if __name__ == "__main__":
    main()
