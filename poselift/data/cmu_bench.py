"""The frozen CMU benchmark: fixed cameras, fixed detector-like 2D.

Errors on it are not comparable with errors on Human3.6M.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from poselift.core.errors import InputError
from poselift.data.cmu import MISSING, load_cmu
from poselift.data.corpus import MotionCorpus
from poselift.data.loading import pick_names
from poselift.data.reading import load_arrays
from poselift.data.views import View
from poselift.skeleton import CMU28, get_skeleton


class CmuBench:
    """The views of `bench_val.npz` or `bench_test.npz`, restricted to a skeleton's keypoints.

    Args:
        corpus: `cmu50.npz`.
        bench: `bench_val.npz` or `bench_test.npz`.
        skeleton: name of the skeleton whose keypoints are visible: "h36m17", "coco17" or "halpe26".
        keypoints: "det" for the detector-like 2D, "gt" for exact projections with score 1.

    Raises:
        InputError: a file is missing or malformed, or the two files do not match.
    """

    def __init__(self, corpus: str | Path, bench: str | Path, skeleton: str = "h36m17", keypoints: str = "det") -> None:
        pick_names(keypoints, ("det", "gt"), "data.keypoints", "the benchmark")
        self.skeleton, self.keypoints = get_skeleton(skeleton).name, keypoints
        arrays = load_arrays(
            bench,
            {
                "keypoints": (None, len(CMU28), 2),
                "scores": (None, len(CMU28)),
                "view_start": (None,),
                "clip_index": (None,),
                "K": (None, 3, 3),
                "R": (None, 3, 3),
                "t": (None, 3),
                "image_size": (None, 2),
                "view": (None,),
                "subject": (None,),
                "joints": (len(CMU28),),
                "fps": (),
            },
            "the benchmark's files are bench_val.npz and bench_test.npz; give one of them",
        )
        clips = load_arrays(corpus, {"clip": (None,), "split": (None,)}, "the corpus is cmu50.npz")
        if arrays["clip_index"].max() >= len(clips["clip"]):
            raise InputError(f"{bench} names clip {arrays['clip_index'].max()}, but {corpus} has {len(clips['clip'])}")
        splits = np.unique(clips["split"][arrays["clip_index"]])
        self._arrays = arrays
        self._corpora: dict[str, MotionCorpus] = {str(split): load_cmu(corpus, str(split)) for split in splits}
        # The index of each clip within its own split.
        self._place = [
            (str(split), int(np.sum(clips["split"][:clip] == split)))
            for clip, split in zip(arrays["clip_index"], clips["split"][arrays["clip_index"]], strict=True)
        ]

    def __len__(self) -> int:
        return len(self._place)

    def __iter__(self) -> Iterator[View]:
        for index in range(len(self)):
            yield self[index]

    def __getitem__(self, index: int) -> View:
        if not 0 <= index < len(self):
            raise IndexError(index)
        arrays = self._arrays
        rows = slice(arrays["view_start"][index], arrays["view_start"][index + 1])
        split, place = self._place[index]
        joints, root = self._corpora[split].clip(place)
        R, t, K = (torch.from_numpy(arrays[key][index]).float() for key in ("R", "t", "K"))
        relative, root_camera = joints @ R.mT, root @ R.mT + t
        packed, scores = arrays["keypoints"][rows], torch.from_numpy(arrays["scores"][rows]).float() / 255
        if len(packed) != len(joints):
            raise InputError(f"view {arrays['view'][index]} has {len(packed)} frames, its clip {len(joints)}")
        keypoints = torch.from_numpy(packed.astype(np.float32) / 16)
        keypoints[torch.from_numpy((packed == MISSING).any(-1))] = torch.nan
        view = View(
            name=str(arrays["view"][index]),
            subject=str(arrays["subject"][index]),
            keypoints=keypoints,
            scores=scores,
            times=torch.arange(len(joints)) / float(arrays["fps"]),
            K=K,
            image_size=torch.from_numpy(arrays["image_size"][index]).float(),
            joints=relative,
            root=root_camera,
        )
        return view.show(self.skeleton, self.keypoints)
