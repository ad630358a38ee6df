"""How well double finds of one person are dropped, in made scenes.

    python benchmarks/duplicates.py --corpus cmu50.npz [--split test] [--people 5 8] [--scenes 20] [--seed 0]

Compares what the detectors use, `poselift.detection.duplicates`, with the parametric pose NMS of AlphaPose. Three rows
of detections each: as the scenes of `poselift.data.scenes` have them; with all joint scores halved, as detectors differ
in how high theirs are; and with half of the double finds wrong, and unsure, about a half of their joints.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.data.cmu import load_cmu
from poselift.data.scenes import Scene, make_scene
from poselift.detection.duplicates import without_duplicates
from poselift.structures import Detections

Choose = Callable[[Detections], Sequence[int]]
"""Which detections of a frame to keep."""


def pose_likeness(
    pose: Float[np.ndarray, "j 2"],
    other: Float[np.ndarray, "j 2"],
    scores: Float[np.ndarray, " j"],
    other_scores: Float[np.ndarray, " j"],
    size: float,
) -> float:
    """How like two poses are: 0 where they have nothing to do with each other, 1.7 to 2.3 where they are the same.

    The pose distance of Fang et al. 2017, RMPE (https://arxiv.org/abs/1612.00137), section 3.3, as in Fang et al. 2022,
    AlphaPose (https://arxiv.org/abs/2211.03375):

        d = Σ [kₙ' in B(kₙ)] tanh(cₙ / σ₁) tanh(cₙ' / σ₁) + λ Σ exp(-|kₙ - kₙ'|² / σ₂)

    with σ₁ = 1, σ₂ = 2.65, λ = 1.7 as published in their code. Here it is a mean over the joints that both poses have,
    and distances are in tenths of the box, as in B; the paper does not say in what.

    Args:
        pose: pixels, NaN where a joint was not found.
        other: likewise.
        scores: of the joints of `pose`.
        other_scores: of the joints of `other`.
        size: the longer side of the box of `pose`, pixels.
    """
    distances = np.linalg.norm(pose - other, axis=-1) / (0.1 * size)
    both = np.isfinite(distances)
    if not both.any():
        return 0.0
    sure = np.tanh(scores) * np.tanh(other_scores) * (distances <= 1)
    return float(np.mean(sure[both] + 1.7 * np.exp(-(distances[both] ** 2) / 2.65)))


def parametric_pose_nms(found: Detections, same: float = 22.48 / 17) -> list[int]:
    """The surest first, each drops those that are like it; `same` is the published η for COCO's 17 joints, each."""
    sizes = (found.boxes[:, 2:] - found.boxes[:, :2]).max(-1)
    kept: list[int] = []
    for i in np.argsort(-found.box_scores, kind="stable").tolist():
        alike = (
            pose_likeness(found.keypoints[k], found.keypoints[i], found.scores[k], found.scores[i], sizes[k])
            for k in kept
        )
        if all(likeness < same for likeness in alike):
            kept.append(i)
    return kept


METHODS: dict[str, Choose] = {
    "ours": lambda found: without_duplicates(found.keypoints, found.boxes, found.box_scores),
    "parametric pose NMS": parametric_pose_nms,
    "parametric pose NMS, η 6 % higher": lambda found: parametric_pose_nms(found, 1.4),
}


def half_guessed(scene: Scene) -> Scene:
    """The scene with half of the double finds wrong about the arms and head, or about the legs, of their person."""
    rng = np.random.default_rng(0)
    frames = []
    for found, owners in zip(scene.detections, scene.owners, strict=True):
        keypoints, scores = found.keypoints.copy(), found.scores.copy()
        for i in np.flatnonzero(owners >= 0):
            surest = found.box_scores[owners == owners[i]].max() == found.box_scores[i]
            if surest or rng.random() < 0.5:
                continue
            legs = np.array([joint.endswith(("hip", "knee", "ankle")) for joint in found.skeleton.joints])
            half = legs if rng.random() < 0.5 else ~legs
            size = float((found.boxes[i, 2:] - found.boxes[i, :2]).max())
            keypoints[i, half] += rng.normal(0, 0.12 * size, (int(half.sum()), 2))
            scores[i, half] *= 0.4
        frames.append(replace(found, keypoints=keypoints, scores=scores))
    return replace(scene, detections=tuple(frames))


def halved(scene: Scene) -> Scene:
    """The scene with joint scores half as high."""
    return replace(scene, detections=tuple(replace(found, scores=0.5 * found.scores) for found in scene.detections))


def left_and_lost(scenes: Sequence[Scene], choose: Choose) -> tuple[float, float]:
    """Percent of double finds that are left, and of people, frame by frame, of whom nothing is."""
    doubles = left = people = lost = 0
    for scene in scenes:
        for found, owners in zip(scene.detections, scene.owners, strict=True):
            kept = owners[list(choose(found))]
            for person in np.unique(owners[owners >= 0]):
                before, after = int((owners == person).sum()), int((kept == person).sum())
                doubles, left = doubles + before - 1, left + max(after - 1, 0)
                people, lost = people + 1, lost + (after == 0)
    return 100 * left / doubles, 100 * lost / people


def main() -> None:
    """Prints a row for each kind of detections and each method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--split", default="test", help="train, val or test")
    parser.add_argument("--people", type=int, nargs="+", default=[5, 8])
    parser.add_argument("--scenes", type=int, default=20, help="for each number of people")
    parser.add_argument("--seed", type=int, default=0, help="of the first scene")
    options = parser.parse_args()
    corpus = load_cmu(options.corpus, options.split)
    scenes = [make_scene(corpus, n, options.seed + k) for n in options.people for k in range(options.scenes)]
    print("| detections | method | double finds left % | people lost % |\n|---|---|---|---|")
    kinds = {
        "as made": scenes,
        "scores halved": [halved(scene) for scene in scenes],
        "half guessed": [half_guessed(scene) for scene in scenes],
    }
    for kind, given in kinds.items():
        for name, choose in METHODS.items():
            left, lost = left_and_lost(given, choose)
            print(f"| {kind} | {name} | {left:.1f} | {lost:.2f} |", flush=True)


if __name__ == "__main__":
    main()
