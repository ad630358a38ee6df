"""What it does to turn the camera for people who are far from upright (`poselift.lifting.prepare.quarter_turns`).

    python -m benchmarks.lying --corpus extra50.npz cmu50.npz [--weights NAME|FILE]

Two kinds of virtual views, COCO-17 with detector-like noise, limb joints from the middle of the hips:

- people who lie or crawl, seen by upright cameras (clips of the corpora whose trunk is lower than 30 degrees);
- upright people of the val split, seen by a camera that is turned by 90, 180 or 270 degrees.
"""

from collections.abc import Iterator, Sequence
from unittest.mock import patch

import numpy as np
import torch

from benchmarks.command import command_line, table_head, table_row
from poselift.data.cmu import load_cmu
from poselift.data.corpus import MotionCorpus
from poselift.data.dataset_skeletons import joint_mask
from poselift.data.noise import DetectorNoise, detect
from poselift.data.prepare_bench import CAMERAS
from poselift.data.views import View
from poselift.data.virtual_camera import render_view
from poselift.lifting import LiftOptions, lift_view
from poselift.metrics import joint_errors
from poselift.models import Weights, load_weights
from poselift.reports.protocols import LIMB_JOINTS
from poselift.skeleton import CMU28

_SHOULDERS, _HIPS = (CMU28.indices([f"left_{part}", f"right_{part}"]) for part in ("shoulder", "hip"))
_FRAMES = 250


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table."""
    parser = command_line(__doc__)
    parser.add_argument("--corpus", nargs="+", required=True, metavar="FILE", help="files of the layout of cmu50.npz")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    weights = load_weights(options.weights)
    rows: dict[str, list[tuple[float, float]]] = {}
    for path in options.corpus:
        for split in ("train", "val"):
            for kind, view in _views(load_cmu(path, split), split):
                rows.setdefault(kind, []).append((_error(view, weights, True), _error(view, weights, False)))
    print(table_head(["views", "number", "camera turned, mm", "not turned, mm"]))
    for kind, errors in sorted(rows.items()):
        changed = [pair for pair in errors if abs(pair[0] - pair[1]) > 1e-3]
        turned, plain = np.mean(errors, 0)
        print(table_row([f"{kind} ({len(changed)} turned)", str(len(errors)), f"{turned:.1f}", f"{plain:.1f}"]))


def _views(corpus: MotionCorpus, split: str) -> Iterator[tuple[str, View]]:
    """The kind of each view, and the view."""
    for index in range(len(corpus.names)):
        joints, _ = corpus.clip(index)
        trunk = joints[:, _SHOULDERS].mean(1) - joints[:, _HIPS].mean(1)
        low = trunk[:, 1] < 0.5 * trunk.norm(dim=-1)
        if low.float().mean() > 0.4 and len(joints) >= 100:
            first = int(low.nonzero()[0])
            part = slice(first, first + _FRAMES)
            for camera in range(2):
                yield "lying, crawling", _seen(corpus, index, part, 10 * index + camera, 0)
        elif split == "val" and index % 4 == 0 and low.float().mean() < 0.05:
            turns = 1 + index // 4 % 3
            yield f"camera turned by {90 * turns}", _seen(corpus, index, slice(0, _FRAMES), index, turns)


def _seen(corpus: MotionCorpus, index: int, part: slice, seed: int, turns: int) -> View:
    """A part of a clip by a random camera that is turned clockwise by quarter turns."""
    joints, root = (values[part] for values in corpus.clip(index))
    generator = torch.Generator().manual_seed(seed)
    rendered = render_view(joints[None], root[None], CAMERAS, generator)
    times = torch.arange(len(joints)) / corpus.fps
    pixels, scores = detect(rendered.pixels, times[None], rendered.image_size, DetectorNoise(), generator)
    points, K, size = pixels[0], rendered.K[0].clone(), rendered.image_size[0]
    places, pelvis = rendered.joints[0], rendered.root[0]
    for _ in range(turns):
        width, height = size.tolist()
        points = torch.stack((height - 1 - points[..., 1], points[..., 0]), -1)
        K[0, 2], K[1, 2] = height - 1 - K[1, 2], K[0, 2].clone()
        size = torch.tensor([height, width])
        places, pelvis = (torch.stack((-x[..., 1], x[..., 0], x[..., 2]), -1) for x in (places, pelvis))
    seen = joint_mask("coco17")
    points = torch.where(seen[:, None], points, torch.nan)
    scores = torch.where(seen, scores[0], 0.0)
    return View(corpus.names[index], corpus.subjects[index], points, scores, times, K, size, places, pelvis)


def _error(view: View, weights: Weights, turn: bool) -> float:
    """Mean error of the limb joints, mm."""
    options = LiftOptions(every_frame=True)
    if turn:
        motion = lift_view(view, weights, options)
    else:
        with patch("poselift.lifting.prepare.prepare_stage.find_turns", lambda *_: 0):
            motion = lift_view(view, weights, options)
    limbs = CMU28.indices(LIMB_JOINTS)
    ours, true = torch.from_numpy(motion.joints)[:, limbs], view.joints[:, limbs]
    hips = [LIMB_JOINTS.index(f"{side}_hip") for side in ("left", "right")]
    ours, true = (pose - pose[:, hips].mean(1, keepdim=True) for pose in (ours, true))
    return float(joint_errors(ours, true, true.isfinite().all(-1)).mean())


if __name__ == "__main__":
    main()
