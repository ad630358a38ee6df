"""How well double finds of one person are dropped, in made scenes.

    python benchmarks/duplicates.py --corpus cmu50.npz [--split test] [--people 5 8] [--scenes 20] [--seed 0]
    python benchmarks/duplicates.py --corpus cmu50.npz --split train --scenes 10 --choose

The first compares the pose NMS that the detectors use with the same at other parameters, and with a rule of one
constant. Three rows of detections each: as the scenes of `poselift.data.scenes` have them; with all joint scores
halved, as detectors differ in how high theirs are; and with half of the double finds wrong, and unsure, about a half of
their joints. The second chooses the parameters.
"""

import argparse
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from poselift.data.cmu import load_cmu
from poselift.data.scenes import Scene, make_scene
from poselift.detection.duplicates import PARAMETERS, NMSParameters, pose_nms
from poselift.structures import Detections

Choose = Callable[[Detections], Sequence[int]]
"""Which detections of a frame to keep."""

PUBLISHED = NMSParameters(sigma_score=1.0, sigma_distance=0.0265, spatial=1.7, threshold=22.48 / 17)
"""Of AlphaPose's code: σ₂ for distances in tenths of the box, the threshold for the sum over COCO's 17 joints."""

SIGMA_SCORES, SIGMA_DISTANCES, SPATIALS = (0.4, 0.7, 1.0), (0.005, 0.01, 0.02, 0.04), (0.25, 0.5, 1.0)
THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
"""From which the parameters are chosen; thresholds are shares of 1 + spatial."""
LOST = 10
"""Double finds left that are as bad as a person lost: tracking drops what lasts a moment, and brings nobody back."""


def with_parameters(parameters: NMSParameters) -> Choose:
    """The pose NMS at other parameters than the package's."""
    return lambda found: pose_nms(found.keypoints, found.scores, found.boxes, found.box_scores, parameters)


def median_rule(found: Detections, same: float = 0.08) -> list[int]:
    """The surest first, each dropped whose joints are near one that was kept: in the median, `same` of its box."""
    sizes = (found.boxes[:, 2:] - found.boxes[:, :2]).max(-1)
    kept: list[int] = []
    for i in np.argsort(-found.box_scores, kind="stable").tolist():
        distances = [median_distance(found.keypoints[i], found.keypoints[k]) / sizes[i] for k in kept]
        if all(distance > same for distance in distances):
            kept.append(i)
    return kept


def median_distance(pose: Float[np.ndarray, "j 2"], other: Float[np.ndarray, "j 2"]) -> float:
    """Of the joints that both poses have, pixels; infinite if they have none in common."""
    distances = np.linalg.norm(pose - other, axis=-1)
    distances = distances[np.isfinite(distances)]
    return float(np.median(distances)) if len(distances) else np.inf


METHODS: dict[str, Choose] = {
    "pose NMS": with_parameters(PARAMETERS),
    "pose NMS, parameters as published": with_parameters(PUBLISHED),
    "pose NMS, threshold a tenth lower": with_parameters(PARAMETERS._replace(threshold=0.9 * PARAMETERS.threshold)),
    "pose NMS, threshold a tenth higher": with_parameters(PARAMETERS._replace(threshold=1.1 * PARAMETERS.threshold)),
    "median distance": median_rule,
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


class Counts(NamedTuple):
    """Over all frames: double finds, those that are left, people, and those of whom nothing is left."""

    doubles: int
    left: int
    people: int
    lost: int


def count(scenes: Sequence[Scene], choose: Choose) -> Counts:
    """What a method does to scenes."""
    doubles = left = people = lost = 0
    for scene in scenes:
        for found, owners in zip(scene.detections, scene.owners, strict=True):
            before, after = (
                np.bincount(whose[whose >= 0], minlength=len(scene.boxes))
                for whose in (owners, owners[list(choose(found))])
            )
            doubles, left = doubles + int((before - 1).clip(0).sum()), left + int((after - 1).clip(0).sum())
            people, lost = people + int((before > 0).sum()), lost + int(((before > 0) & (after == 0)).sum())
    return Counts(doubles, left, people, lost)


def choose_parameters(scenes: Sequence[Scene]) -> NMSParameters:
    """The parameters with the fewest double finds left and people lost (each `LOST` times), as made and half guessed.

    The paper chooses them so too, section 3.3, by the average precision on real pictures.
    """
    given = [*scenes, *map(half_guessed, scenes)]

    def wrong(parameters: NMSParameters) -> int:
        counts = count(given, with_parameters(parameters))
        return counts.left + LOST * counts.lost

    return min(
        (
            NMSParameters(sigma_score, sigma_distance, spatial, threshold * (1 + spatial))
            for sigma_score, sigma_distance, spatial, threshold in itertools.product(
                SIGMA_SCORES, SIGMA_DISTANCES, SPATIALS, THRESHOLDS
            )
        ),
        key=wrong,
    )


def main() -> None:
    """Prints a row for each kind of detections and each method, or the parameters that it chose."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--split", default="test", help="train, val or test")
    parser.add_argument("--people", type=int, nargs="+", default=[5, 8])
    parser.add_argument("--scenes", type=int, default=20, help="for each number of people")
    parser.add_argument("--seed", type=int, default=0, help="of the first scene")
    parser.add_argument("--choose", action="store_true", help="choose parameters on these scenes (takes minutes)")
    options = parser.parse_args()
    corpus = load_cmu(options.corpus, options.split)
    scenes = [make_scene(corpus, n, options.seed + k) for n in options.people for k in range(options.scenes)]
    if options.choose:
        print(choose_parameters(scenes))
        return
    print("| detections | method | double finds left % | people lost % |\n|---|---|---|---|")
    kinds = {
        "as made": scenes,
        "scores halved": [halved(scene) for scene in scenes],
        "half guessed": [half_guessed(scene) for scene in scenes],
    }
    for kind, given in kinds.items():
        for name, choose in METHODS.items():
            counts = count(given, choose)
            left, lost = 100 * counts.left / counts.doubles, 100 * counts.lost / counts.people
            print(f"| {kind} | {name} | {left:.2f} | {lost:.2f} |", flush=True)


if __name__ == "__main__":
    main()
