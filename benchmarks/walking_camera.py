"""Cameras that sway and walk through made scenes with depth, against the truth.

    python -m benchmarks.walking_camera CMU50 [--moves NAME ...] [--clips NAME ...] [--seeds N] [--weights NAME]

Scenes of `benchmarks.depth_scenes`: a person of the CMU corpus in front of planes at several distances, with the exact
lens. Each is lifted as `poselift lift --world` does, from noisy keypoints and the pictures.

Columns: what was found, and whether that is right; the largest error of the camera's rotation against its first frame,
degrees; the camera's way, metres, and the found one over it, by the best scale (`refused`: people are shown in one
place, with a warning); and the distance of the person's root from the truth,
in the axes of the first camera and from the place of the first frame, mm.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.depth_scenes import MOVES, MadeScene, make_scene
from poselift.camera_path.found_camera import CameraMode, FoundCamera, find_camera
from poselift.geometry.camera import Camera
from poselift.keypoints.in_memory import TrackClip
from poselift.lifting.request import LiftRequest
from poselift.lifting.run import lift_clip
from poselift.models import Weights, load_weights
from poselift.structures import Keypoints2D, Recording
from poselift.video import Frame

_CLIPS = ("12_01", "07_05", "29_02")
"""Somebody who walks away, slowly in the second clip, and somebody who signals on one spot."""


class SceneClip(TrackClip):
    """A made scene as a clip."""

    def __init__(self, scene: MadeScene) -> None:
        super().__init__([scene.keypoints])
        self._scene = scene

    def frames(self) -> Iterator[Frame]:
        """The pictures of the scene."""
        return self._scene.frames()

    def find_camera(
        self, span: tuple[float, float], tracks: Sequence[Keypoints2D], lens: Camera, mode: CameraMode
    ) -> FoundCamera:
        """What the camera does, from the pictures."""
        return find_camera(self.frames, span, tracks, lens, mode)


@dataclass(frozen=True)
class Outcome:
    """A scene's result against the truth.

    Attributes:
        found: what the camera does, by the summary.
        degrees: largest error of its rotation.
        way: distance that the camera went, metres.
        share: of that way by the result; NaN where no path is given, or there is none.
        refused: whether people are shown in one place, with a warning.
        root: mean distance of the person's root from the truth, metres.
    """

    found: str
    degrees: float
    way: float
    share: float
    refused: bool
    root: float


def lift_scene(scene: MadeScene, weights: Weights) -> Recording:
    """The scene lifted into the world."""
    lens = scene.K
    request = LiftRequest(
        world=True, intrinsics=(float(lens[0, 0]), float(lens[1, 1]), float(lens[0, 2]), float(lens[1, 2]))
    )
    return lift_clip(SceneClip(scene), weights, request)


def judge(scene: MadeScene, found: Recording) -> Outcome:
    """The result against the truth."""
    camera, turns = _each_frame(found.camera, scene.times), scene.R[0].T @ scene.R
    errors = turns @ (camera.R[0].T @ camera.R).swapaxes(-1, -2)
    degrees = np.degrees(np.linalg.norm(errors - np.eye(3), axis=(-2, -1)) / math.sqrt(2)).max()
    true, path = (scene.t - scene.t[0]) @ scene.R[0], (camera.t - camera.t[0]) @ camera.R[0]
    way = float(np.linalg.norm(true, axis=-1).max())
    refused = any("in one place" in text for text in found.warnings)
    share = math.nan
    if way > 0 and not refused:
        share = float((true * path).sum() / (true * true).sum())
    root = math.nan
    if found.people and not refused:
        motion = found.people[0]
        rows = np.searchsorted(scene.times, motion.timestamps).clip(max=len(scene.times) - 1)
        ours = (motion.root - camera.t[0]) @ camera.R[0]
        theirs = (scene.joints[rows, 0] - scene.t[0]) @ scene.R[0]
        apart = ours - theirs
        root = float(np.nanmean(np.linalg.norm(apart - apart[np.isfinite(apart).all(-1).argmax()], axis=-1)))
    return Outcome(str(found.camera_report["found"]), float(degrees), way, share, refused, root)


def _each_frame(camera: Camera, times: Float[np.ndarray, " t"]) -> Camera:
    """The camera with a pose for each frame, also if it is still."""
    count = len(times)
    if camera.times is None:
        return camera.with_pose(np.tile(camera.R, (count, 1, 1)), np.tile(camera.t, (count, 1)), times)
    return camera.with_pose(
        np.broadcast_to(camera.R, (count, 3, 3)), np.broadcast_to(camera.t, (count, 3)), camera.times
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each scene, then the shares of right decisions and of lengths within a tenth."""
    parser = command_line(__doc__)
    parser.add_argument("corpus", type=Path, metavar="CMU50", help="cmu50.npz")
    parser.add_argument("--moves", nargs="*", choices=list(MOVES), default=list(MOVES), metavar="NAME")
    parser.add_argument("--clips", nargs="*", default=list(_CLIPS), metavar="NAME", help=f"default: {' '.join(_CLIPS)}")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="scenes of each; default: 1")
    parser.add_argument("--weights", default="small", help="default: small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        weights = load_weights(options.weights)
    right, lengths = [], []

    def rows() -> Iterator[list[str]]:
        for name in options.moves:
            for clip in options.clips:
                for seed in range(options.seeds):
                    scene = make_scene(options.corpus, clip, MOVES[name], seed=seed)
                    found = judge(scene, lift_scene(scene, weights))
                    right.append(found.found in MOVES[name].right)
                    if MOVES[name].right == ("moving",):
                        lengths.append(found.refused or abs(found.share - 1) <= 0.1)
                    said = "refused" if found.refused else "-" if math.isnan(found.share) else f"{found.share:.2f}"
                    yield [
                        name,
                        clip,
                        found.found + ("" if right[-1] else ", wrong"),
                        f"{found.degrees:.2f}",
                        f"{found.way:.2f}",
                        said,
                        "-" if math.isnan(found.root) else f"{1000 * found.root:.0f}",
                    ]

    print_table(["camera", "person", "found", "turn deg", "way m", "found / way", "root mm"], rows())
    print(f"\nright decisions: {sum(right)} of {len(right)}")
    if lengths:
        print(f"walks with a length within 10 %, or refused: {sum(lengths)} of {len(lengths)}")


if __name__ == "__main__":
    main()
