"""Weights side by side on a video: distance to the keypoints, and smoothness.

    python -m benchmarks.sample_clip [VIDEO] [--weights NAME|FILE ...] [--frames SECONDS ...] [--out DIR]

The embedded detector finds the people once; each of the weights lifts the same keypoints. For each person it prints
the distance of the projected joints from their keypoints (pixels, for scores of 0.3 or more) and the acceleration of
the joints relative to the pelvis (mm a frame squared). For each of `--frames` it writes DIR/SECONDS.png: the frame
with the projected joints, one panel for each of the weights.
"""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from benchmarks.command import command_line, errors_shown, table_head, table_row
from poselift.detection import build_detector
from poselift.lifting import camera_for, lift, lift_video
from poselift.models import load_weights
from poselift.samples import demo_video
from poselift.skeleton import H36M17
from poselift.structures import Motion
from poselift.video import VideoReader
from poselift.viz.colors import person_colors
from poselift.viz.draw2d import draw_skeleton_2d

_TRUSTED = 0.3
"""Least score of a keypoint to measure the distance to."""

_NEAR = 0.02
"""Most seconds between a frame and the pose that is drawn on it. People who are not there are not drawn."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Finds, lifts, measures and draws."""
    parser = command_line(__doc__)
    parser.add_argument("video", nargs="?", type=Path, default=demo_video(), help="default: the demo clip")
    parser.add_argument("--weights", nargs="+", default=["small"], metavar="NAME|FILE", help="shipped weights or files")
    parser.add_argument("--frames", nargs="+", type=float, default=[1.0, 2.0, 3.0], help="seconds; default 1 2 3")
    parser.add_argument("--out", type=Path, default=Path("outputs/sample_clip"), help="default outputs/sample_clip")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        named = {Path(name).stem: load_weights(name) for name in options.weights}
        found = lift_video(options.video, build_detector("movenet"), next(iter(named.values()))).motions
        if not found:
            parser.error(f"the detector found nobody in {options.video}; give a video with people in it")
        camera = camera_for(found[0].keypoints.image_size)
        K = camera.K
        lifted = {
            name: [lift(motion.keypoints, weights, camera) for motion in found] for name, weights in named.items()
        }
    titles = ["weights", "person", "to keypoints, median px", "mean px", "acceleration, median mm/frame2", "mean"]
    print(table_head(titles))
    for name, motions in lifted.items():
        for number, motion in enumerate(motions, 1):
            print(table_row([name, str(number), *(f"{value:.2f}" for value in measured(motion, K))]))
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = sorted(options.frames)
    for frame in VideoReader(options.video):
        if wanted and frame.timestamp >= wanted[0] - 1e-6:
            panels = [drawn(frame.image, motions, frame.timestamp, K) for motions in lifted.values()]
            path = options.out / f"{wanted.pop(0):g}.png"
            cv2.imwrite(str(path), cv2.cvtColor(np.concatenate(panels, 1), cv2.COLOR_RGB2BGR))
            print(f"{path}: {', '.join(lifted)} from left to right")


def measured(motion: Motion, K: Float[np.ndarray, "3 3"]) -> Sequence[float]:
    """Median and mean distance to the keypoints (pixels), median and mean acceleration (mm a frame squared)."""
    keypoints = motion.keypoints
    both = [name for name in H36M17.joints if name in keypoints.skeleton.joints]
    own, seen = H36M17.indices(both), keypoints.skeleton.indices(both)
    distance = np.linalg.norm(_projected(motion, K)[:, own] - keypoints.keypoints[:, seen], axis=-1)
    distance = distance[(keypoints.scores[:, seen] >= _TRUSTED) & np.isfinite(distance)]
    acceleration = 1000 * np.linalg.norm(np.diff(motion.restricted(H36M17).joints, n=2, axis=0), axis=-1)
    return np.median(distance), distance.mean(), np.nanmedian(acceleration), np.nanmean(acceleration)


def drawn(
    image: UInt8[np.ndarray, "h w 3"], motions: list[Motion], time: float, K: Float[np.ndarray, "3 3"]
) -> UInt8[np.ndarray, "h w 3"]:
    """The frame with the projected joints of all people."""
    image = image.copy()
    for number, motion in enumerate(motions, 1):
        nearest = int(np.abs(motion.timestamps - time).argmin())
        if abs(motion.timestamps[nearest] - time) < _NEAR:
            pixels = _projected(motion, K)[nearest]
            draw_skeleton_2d(image, pixels, np.isfinite(pixels).all(-1) * 1.0, H36M17, person_colors(number))
    return image


def _projected(motion: Motion, K: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "t 17 2"]:
    """Pixels of the joints of Human3.6M-17."""
    joints = motion.restricted(H36M17).joints + motion.root[:, None]
    points = joints @ K.T
    return points[..., :2] / points[..., 2:]


if __name__ == "__main__":
    main()
