"""The CMU motion capture corpus at 50 fps, in one npz.

It has no pickled objects.

The data was obtained from mocap.cs.cmu.edu; the database was created with funding from NSF EIA-0196217.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from poselift.core.errors import InputError
from poselift.data.anatomy import change_anatomy
from poselift.data.corpus import MotionCorpus
from poselift.data.lending import collect_bodies, put_on_bodies
from poselift.data.reading import load_arrays
from poselift.skeleton import CMU28

MISSING = -32768
"""The integer for an unknown value in the files."""

_KINDS = {
    "root_relative": "i",
    "root": "f",
    "clip_start": "iu",
    "fps": "iuf",
    **dict.fromkeys(("clip", "subject", "tier", "split", "source", "joints"), "U"),
}
"""Kinds of dtype of the arrays."""

_HELP = "the CMU corpus is one file, cmu50.npz, of motion from mocap.cs.cmu.edu (tools/prepare_cmu.py)"


def load_corpora(paths: Sequence[str | Path], split: str, moved: bool = True) -> MotionCorpus:
    """One split's motion of several files, to train on.

    The files have the layout of `cmu50.npz`.

    Clips of tier C, whose movements are real and whose bodies are not, take bodies of tier A.

    Args:
        paths: the files.
        split: "train" or "val".
        moved: moves joints of CMU's people to where anatomy has them (`poselift.data.anatomy`).

    Raises:
        InputError: a file is missing or malformed, has another frame rate than the first, or has no clip of the split.
    """
    clips = [load_arrays(path, {"subject": (None,), "tier": (None,), "split": (None,)}, _HELP) for path in paths]
    corpora = [load_cmu(path, split, moved, "AB") for path in paths]
    own = {subject for part in clips for subject in part["subject"]}
    own -= {subject for part in clips for subject in part["subject"][part["tier"] != "A"]}
    bodies = collect_bodies(MotionCorpus.join(corpora), own)
    for path, part in zip(paths, clips, strict=True):
        if bodies and np.any((part["tier"] == "C") & (part["split"] == split)):
            corpora.append(put_on_bodies(load_cmu(path, split, tiers="C"), bodies))
    return MotionCorpus.join(corpora)


def load_cmu(path: str | Path, split: str, moved: bool = False, tiers: str = "ABC") -> MotionCorpus:
    """The motion of one split of the CMU corpus.

    Args:
        path: `cmu50.npz`, or another file of its layout.
        split: "train", "val" or "test"; the splits share no subject.
        moved: moves joints of CMU's people to where anatomy has them (`poselift.data.anatomy`).
        tiers: tiers of the clips, a letter each.

    Raises:
        InputError: the file is missing or malformed, or has no clip of the split.
    """
    arrays = load_arrays(
        path,
        {
            "root_relative": (None, len(CMU28), 3),
            "root": (None, 3),
            "clip_start": (None,),
            "clip": (None,),
            "subject": (None,),
            "tier": (None,),
            "split": (None,),
            "source": (None,),
            "joints": (len(CMU28),),
            "fps": (),
        },
        _HELP,
    )
    if tuple(arrays["joints"].tolist()) != CMU28.joints:
        raise InputError(f"{path}: 'joints' differ from those of {CMU28.name} in its order")
    for key, kinds in _KINDS.items():
        if arrays[key].dtype.kind not in kinds:
            raise InputError(f"{path}: {key!r} has values of type {arrays[key].dtype}; {_HELP}")
    start, frames, count = arrays["clip_start"].astype(np.int64), len(arrays["root"]), len(arrays["clip"])
    if len(start) != count + 1 or start[0] != 0 or start[-1] != frames or np.any(np.diff(start) < 1):
        raise InputError(f"{path}: 'clip_start' does not fit {frames} frames in {count} clips")
    for key in ("root_relative", "subject", "tier", "split", "source"):
        if len(arrays[key]) != (wanted := frames if key == "root_relative" else count):
            raise InputError(f"{path}: {key!r} has {len(arrays[key])} entries, expected {wanted}")
    if not 0 < arrays["fps"] < np.inf:
        raise InputError(f"{path}: 'fps' is {arrays['fps']}, expected the frames per second")
    clips = np.flatnonzero((arrays["split"] == split) & np.isin(arrays["tier"], list(tiers)))
    if len(clips) == 0:
        raise InputError(f"{path} has no clip of split {split!r}; it has {', '.join(np.unique(arrays['split']))}")
    chosen = np.concatenate([np.arange(start[c], start[c + 1]) for c in clips])
    packed = arrays["root_relative"][chosen]
    joints = packed.astype(np.float32) * np.float32(1e-4)
    joints[packed == MISSING] = np.nan
    corpus = MotionCorpus(
        joints=torch.from_numpy(joints),
        root=torch.from_numpy(arrays["root"][chosen]),
        clip_start=torch.from_numpy(np.concatenate([[0], np.cumsum(start[clips + 1] - start[clips])])),
        names=tuple(arrays["clip"][clips].tolist()),
        subjects=tuple(arrays["subject"][clips].tolist()),
        fps=float(arrays["fps"]),
        skeleton=CMU28,
    )
    # Sources name the database: mocap.cs.cmu.edu, cmu_bvh_... Others have their own way of placing joints.
    of_cmu = {subject for subject, source in zip(arrays["subject"], arrays["source"], strict=True) if "cmu" in source}
    return change_anatomy(corpus, of_cmu) if moved else corpus
