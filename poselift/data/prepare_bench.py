"""Makes a frozen benchmark from a corpus's virtual views.

The views have detector-like keypoints and the layout of `bench_val.npz`.

Everything is drawn from the seed and the number of the view, so that the same corpus and seed give the same file. The
cameras are those of the CMU benchmark: 40 to 72 degrees of field of view, 0.5 to 2.3 m high.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from poselift.core.errors import InputError
from poselift.core.files import atomic_path, check_writable
from poselift.core.progress_text import Output, track
from poselift.data.cmu import MISSING, load_cmu
from poselift.data.noise import DetectorNoise, detect
from poselift.data.reading import load_arrays
from poselift.data.virtual_camera import CameraRange, render_view
from poselift.skeleton import CMU28

CAMERAS = CameraRange(fov=(40.0, 72.0), height=(0.5, 2.3))
"""Those of the CMU benchmark."""
_STEPS = 16
"""Steps per pixel in the file."""


def prepare_bench(corpus: str | Path, path: str | Path, split: str = "test", views: int = 2, seed: int = 0) -> str:
    """Writes a benchmark of a corpus; a summary comes back.

    Args:
        corpus: `cmu50.npz`, or another file of its layout.
        path: the npz to write; it is written atomically.
        split: "train", "val" or "test".
        views: cameras of each clip.
        seed: equal seeds give equal files, byte by byte, on the same kind of machine.

    Returns:
        One line with the numbers of views, frames and subjects.

    Raises:
        InputError: the corpus cannot be read or has no clip of the split, or the file cannot be written.
    """
    if views < 1:
        raise InputError(f"{views} views of each clip make no benchmark; give 1 or more")
    check_writable(Path(path).parent)
    motion = load_cmu(corpus, split)
    of_split = load_arrays(corpus, {"split": (None,)}, "the corpus is cmu50.npz")["split"] == split
    seen = [
        _view(motion.clip(place), motion.fps, seed, place * views + number) | {"clip_index": clip, "camera": number}
        for place, clip in track(
            list(enumerate(np.flatnonzero(of_split).tolist())),
            description="Rendering",
            output=Output(sys.stderr),
        )
        for number in range(views)
    ]
    names = [motion.names[place] for place in range(len(motion.names)) for _ in range(views)]
    arrays: dict[str, Any] = {
        "keypoints": np.concatenate([view["keypoints"] for view in seen]),
        "scores": np.concatenate([view["scores"] for view in seen]),
        "view_start": np.cumsum([0, *(len(view["scores"]) for view in seen)]),
        "clip_index": np.array([view["clip_index"] for view in seen]),
        **{key: np.stack([view[key] for view in seen]) for key in ("K", "R", "t", "image_size")},
        "view": np.array([f"{name}_v{view['camera']}" for name, view in zip(names, seen, strict=True)]),
        "subject": np.repeat(motion.subjects, views),
        "joints": np.array(CMU28.joints),
        "fps": np.float32(motion.fps),
    }
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)
    people = len(set(motion.subjects))
    return f"{path}: {len(seen)} views, {len(arrays['scores'])} frames, {people} subjects"


def _view(clip: tuple[torch.Tensor, torch.Tensor], fps: float, seed: int, number: int) -> dict[str, Any]:
    """The arrays of one view.

    It has a generator of its own, so that a longer clip changes no other view.
    """
    joints, root = clip
    generator = torch.Generator().manual_seed(seed * 1_000_003 + number)
    seen = render_view(joints[None], root[None], CAMERAS, generator)
    times = torch.arange(len(joints)) / fps
    pixels, scores = detect(seen.pixels, times[None], seen.image_size, DetectorNoise(), generator)
    steps = (pixels[0] * _STEPS).round()
    fits = (steps.abs() <= -MISSING - 1).all(-1)  # False for NaN
    return {
        "keypoints": torch.where(fits[..., None], steps.nan_to_num(), float(MISSING)).to(torch.int16).numpy(),
        "scores": torch.where(fits, (scores[0] * 255).round(), 0.0).to(torch.uint8).numpy(),
        "K": seen.K[0].numpy(),
        "R": seen.R[0].numpy(),
        "t": seen.t[0].numpy(),
        "image_size": seen.image_size[0].to(torch.int64).numpy(),
    }
