"""How steady lifted people are in a video, and how close to what was seen of them: weights side by side.

    python benchmarks/sample_clip.py [VIDEO] [--weights NAME|FILE ...] [--plain NAME|FILE ...] [--frames SECONDS ...]
        [--out DIR]

The people are found once, by the embedded detector; each of the weights then lifts the same keypoints. Those of
`--plain` are lifted without drawing joints to their rays. Printed for each person: the distance of the projected joints
from their keypoints, pixels (median and mean, of keypoints that score 0.3 or more), and the acceleration of the joints
relative to the pelvis (mm a frame squared), which a still person would have none of. For each of `--frames` writes
DIR/<seconds>.png: the frame with the projected 3D joints, a panel for each of the weights.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.errors import InputError
from poselift.detection import build_detector
from poselift.lifting import camera_for, lift_track, lift_video
from poselift.models import load_weights
from poselift.samples import demo_video
from poselift.skeleton import H36M17
from poselift.structures import Motion
from poselift.video import VideoReader
from poselift.viz.colors import person_colors
from poselift.viz.draw2d import draw_skeleton_2d

_TRUSTED = 0.3
_NEAR = 0.02
"""Seconds between a frame and a pose that is drawn on it, at most: who is not there is not drawn."""


def main() -> None:
    """Finds, lifts, measures and draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", nargs="?", type=Path, default=demo_video(), help="the demo clip if left out")
    parser.add_argument("--weights", nargs="+", default=["small"], help="shipped weights by name, or files")
    parser.add_argument("--plain", nargs="+", default=[], help="likewise; not drawn to their rays")
    parser.add_argument("--frames", nargs="+", type=float, default=[1.0, 2.0, 3.0], help="seconds, of the pictures")
    parser.add_argument("--out", type=Path, default=Path("outputs/sample_clip"))
    options = parser.parse_args()
    try:
        named = [(f"{Path(name).stem}, plain", load_weights(name), False) for name in options.plain]
        named += [(Path(name).stem, load_weights(name), True) for name in options.weights]
        found = lift_video(options.video, build_detector("movenet"), named[0][1]).motions
    except InputError as error:
        parser.error(str(error))
    if not found:
        parser.error(f"nobody was found in {options.video}; give a video with people in it")
    size = found[0].keypoints.image_size
    camera = camera_for(size)
    lifted = {
        name: [lift_track(motion.keypoints, weights, camera, draw=draw) for motion in found]
        for name, weights, draw in named
    }
    print("| weights | person | to keypoints, median px | mean px | acceleration, median mm/frame2 | mean |")
    print("|---|---|---|---|---|---|")
    for name, motions in lifted.items():
        for number, motion in enumerate(motions, 1):
            print(f"| {name} | {number} | {_cells(motion, camera.K.numpy())} |")
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = sorted(options.frames)
    for frame in VideoReader(options.video):
        if wanted and frame.timestamp >= wanted[0] - 1e-6:
            panels = [_drawn(frame.image, motions, frame.timestamp, camera.K.numpy()) for motions in lifted.values()]
            path = options.out / f"{wanted.pop(0):g}.png"
            cv2.imwrite(str(path), cv2.cvtColor(np.concatenate(panels, 1), cv2.COLOR_RGB2BGR))
            print(f"{path}: {', '.join(lifted)} from left to right")


def _projected(motion: Motion, K: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "t j 2"]:
    """Pixels of the joints of Human3.6M-17."""
    joints = motion.joints[:, motion.skeleton.indices(H36M17.joints)]
    placed = (joints + motion.root[:, None]) @ K.T
    return placed[..., :2] / placed[..., 2:]


def _cells(motion: Motion, K: Float[np.ndarray, "3 3"]) -> str:
    keypoints = motion.keypoints
    both = [name for name in H36M17.joints if name in keypoints.skeleton.joints]
    own, seen = H36M17.indices(both), keypoints.skeleton.indices(both)
    away = np.linalg.norm(_projected(motion, K)[:, own] - keypoints.keypoints[:, seen], axis=-1)
    away = away[(keypoints.scores[:, seen] >= _TRUSTED) & np.isfinite(away)]
    joints = motion.joints[:, motion.skeleton.indices(H36M17.joints)]
    shaking = 1000 * np.linalg.norm(np.diff(joints, n=2, axis=0), axis=-1)
    numbers = (np.median(away), away.mean(), np.nanmedian(shaking), np.nanmean(shaking))
    return " | ".join(f"{number:.2f}" for number in numbers)


def _drawn(
    image: UInt8[np.ndarray, "h w 3"], motions: list[Motion], time: float, K: Float[np.ndarray, "3 3"]
) -> UInt8[np.ndarray, "h w 3"]:
    """The frame with everybody's projected joints."""
    image = image.copy()
    for number, motion in enumerate(motions, 1):
        nearest = int(np.abs(motion.timestamps - time).argmin())
        if abs(motion.timestamps[nearest] - time) < _NEAR:
            pixels = _projected(motion, K)[nearest]
            draw_skeleton_2d(image, pixels, np.isfinite(pixels).all(-1) * 1.0, H36M17, person_colors(number))
    return image


if __name__ == "__main__":
    main()
