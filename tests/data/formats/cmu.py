"""The CMU corpus and its benchmark, of made-up clips."""

import numpy as np
import torch

from poselift.skeleton import CMU28


def pack(joints):
    """Joints as the format stores them."""
    packed = (joints.numpy() * 1e4).round()
    return np.where(np.isfinite(packed), packed, -32768).astype(np.int16)


def write_cmu(folder, corpus):
    """A synthetic corpus of six clips as cmu50.npz, and a bench of its last two clips; (corpus, bench) paths."""
    joints, frames = corpus.joints.clone(), len(corpus.joints) // 6
    joints[:frames, CMU28.index("nose")] = torch.nan
    splits = np.array(["train"] * 3 + ["val"] + ["test"] * 2)
    arrays = {
        "root_relative": pack(joints),
        "root": corpus.root.numpy(),
        "clip_start": corpus.clip_start.numpy(),
        "clip": np.array(corpus.names),
        "subject": np.array(corpus.subjects),
        "tier": np.array(["A"] * 6),
        "split": splits,
        "source": np.array(["x"] * 6),
        "action": np.array(["walk"] * 6),
        "joints": np.array(CMU28.joints),
        "fps": np.float32(50),
    }
    np.savez(folder / "cmu50.npz", **arrays)

    R = np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]])
    K = np.array([[1000.0, 0, 500], [0, 1000, 400], [0, 0, 1]])
    keypoints, views = [], [4, 5]
    for clip in views:
        rows = slice(clip * frames, clip * frames + frames)
        centre = corpus.root[rows].numpy().mean(0)
        t = -R @ (centre + [0, 0, 6.0])
        points = (corpus.joints[rows] + corpus.root[rows, None]).numpy() @ R.T + t
        pixels = points[..., :2] / points[..., 2:] * 1000 + [500, 400]
        keypoints.append((np.round(pixels * 16).astype(np.int16), t))
    missing = keypoints[0][0].copy()
    missing[10:20, 3] = -32768
    scores = np.full((2 * frames, 28), 255, np.uint8)
    scores[10:20, 3] = 0
    np.savez(
        folder / "bench.npz",
        keypoints=np.concatenate([missing, keypoints[1][0]]),
        scores=scores,
        view_start=np.array([0, frames, 2 * frames]),
        clip_index=np.array(views),
        K=np.stack([K, K]),
        R=np.stack([R, R]),
        t=np.stack([keypoints[0][1], keypoints[1][1]]),
        image_size=np.array([[1000, 800]] * 2),
        view=np.array(["a", "b"]),
        subject=np.array(["s02", "s02"]),
        joints=np.array(CMU28.joints),
        fps=np.float32(50),
    )
    return folder / "cmu50.npz", folder / "bench.npz"
