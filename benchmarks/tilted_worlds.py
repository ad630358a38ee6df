"""How often the uncertainty of up holds, for many people under cameras that look down from little to straight.

    python -m benchmarks.tilted_worlds --corpus FILE ... [--split val] [--count N] [--weights NAME|FILE ...]

Each scene is drawn: somebody of the corpus (`cmu50.npz`, `extra50.npz`), or somebody made as in
`benchmarks.made_worlds` with another lean, speed and chair; a camera with its own roll, that looks down by -5 to 85
degrees; and a detector's errors as in training. Constants of up's uncertainty are chosen on the split `train`, whose
made people have another seed. A row has the scenes of one kind or one range of pitches: the median and 90th percentile
of up's error, the median of `up_uncertainty_degrees`, the share of scenes whose error is within 1.645 of it, and the
share with a warning, of those whose error is over 5 degrees and of the others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

from benchmarks.command import add_weights, command_line, errors_shown, print_table
from benchmarks.made_worlds import Scene, lie, pedal, see, sit, stand, walk, walk_round
from poselift.data.noise import DetectorNoise, detect
from poselift.geometry import Camera
from poselift.lifting import lift
from poselift.lifting.world.place_people import DOUBTFUL_UP
from poselift.lifting.world.world_frame import to_world
from poselift.models import Weights, load_weights
from poselift.skeleton import CMU28, COCO17
from poselift.structures import Motion

_PITCHES = (0, 10, 20, 35, 50, 65, 80)

_WITHIN = 1.645
"""Standard deviations within which 90 % of errors about one axis lie."""

_FAR = 5.0
"""Error of up in degrees from which a warning is due."""


@dataclass(frozen=True)
class TiltedScene:
    """Somebody lifted, and the truth.

    Attributes:
        kind: what they do.
        pitch: by which the camera looks down, degrees.
        motion: in the camera frame.
        camera: of it.
        up: unit vector in the camera frame.
    """

    kind: str
    pitch: float
    motion: Motion
    camera: Camera
    up: np.ndarray

    def measure(self) -> tuple[float, float]:
        """The error of up, and its uncertainty; degrees."""
        world = to_world([self.motion], self.camera)
        off = float(np.degrees(np.arccos(np.clip(world.camera.R[1] @ self.up, -1, 1))))
        return off, float(np.degrees(world.uncertainty))


def made_scene(rng: np.random.Generator, kind: str) -> Scene:
    """Somebody made, whose pose differs from that of `benchmarks.made_worlds`."""
    between = rng.uniform
    lean = between(-0.04, 0.1)
    size = between(0.88, 1.08)
    turned = int(rng.integers(4))
    bodies: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "walks": partial(walk, cadence=between(95, 125), speed=between(0.8, 1.5), lean=lean),
        "walks round": partial(walk_round, radius=between(0.8, 2.0), lean=lean),
        "stands": partial(stand, lean=lean),
        "sits": partial(sit, lean=between(-0.3, 0.2), seat=between(0.44, 0.58), reach=between(0.28, 0.52)),
        "wheelchair": partial(
            sit, speed=between(0.5, 1.3), lean=between(-0.1, 0.15), seat=between(0.48, 0.56), reach=between(0.35, 0.5)
        ),
        "lies": lambda times: _roll_over(lie(times), turned),
        "pedals": partial(pedal, lean=between(0.35, 0.9), ahead=between(0.17, 0.27)),
        "rides": partial(pedal, speed=between(1.0, 2.0), lean=between(0.35, 0.9), ahead=between(0.17, 0.27)),
    }
    body = bodies[kind]
    return _scene(rng, kind, lambda times: size * body(times))


MADE = ("walks", "walks round", "stands", "sits", "wheelchair", "lies", "pedals", "rides")
"""Kinds of made people."""


def _roll_over(joints: np.ndarray, quarters: int) -> np.ndarray:
    """Somebody who lies, turned about the axis of the body: on the back, a side, the front, the other side."""
    angle = np.pi / 2 * quarters
    y, z = joints[..., 1] - 0.1, joints[..., 2]
    turned = np.stack(
        [joints[..., 0], np.cos(angle) * y - np.sin(angle) * z, np.sin(angle) * y + np.cos(angle) * z], -1
    )
    turned[..., 1] -= turned[..., 1].min() - 0.06
    return turned


def _scene(rng: np.random.Generator, kind: str, body: Callable[[np.ndarray], np.ndarray]) -> Scene:
    pitch = float(np.clip(rng.choice(_PITCHES) + rng.uniform(-5, 5), -5, 85))
    heading, distance = rng.uniform(0, 360), rng.uniform(4.5, 7.0)
    return Scene(kind, body, heading, pitch, distance, rng.uniform(3, 8), float(rng.normal(0, 2)))


def corpus_scenes(corpus: Path, split: str, count: int, rng: np.random.Generator) -> Iterator[Scene]:
    """Stretches of 2 to 8 s, person by person in turn; who goes further than 5 m drops out."""
    with np.load(corpus, allow_pickle=False) as file:
        arrays = {name: file[name] for name in ("clip_start", "split", "tier", "subject", "root", "root_relative")}
    chosen = np.flatnonzero((arrays["split"] == split) & (arrays["tier"] == "A"))
    people = {name: chosen[arrays["subject"][chosen] == name] for name in np.unique(arrays["subject"][chosen])}
    rows = CMU28.indices(COCO17.joints)
    for number in range(count):
        own = list(people.values())[number % len(people)]
        clip = int(rng.choice(own))
        first, end = arrays["clip_start"][clip : clip + 2]
        frames = int(min(end - first, 50 * rng.uniform(3, 8)))
        start = int(first + rng.integers(end - first - frames + 1))
        part = slice(start, start + frames)
        joints = arrays["root_relative"][part].astype(np.float64) / 1e4 + arrays["root"][part][:, None]
        joints = joints[:, rows]
        if frames < 100 or not np.isfinite(joints).all() or np.ptp(joints[..., [0, 2]], axis=(0, 1)).max() > 5:
            continue
        clock = np.arange(frames) / 50

        def body(times: np.ndarray, joints: np.ndarray = joints, clock: np.ndarray = clock) -> np.ndarray:
            return np.stack([np.interp(times, clock, each) for each in joints.reshape(len(clock), -1).T], -1).reshape(
                -1, 17, 3
            )

        yield replace(_scene(rng, corpus.stem, body), seconds=frames / 50)


def lifted(scene: Scene, weights: Weights, seed: int) -> TiltedScene:
    """The scene as a detector and the lifter give it."""
    keypoints, camera, up, _ = see(scene, noise=0.0)
    pixels = torch.full((1, len(keypoints), 28, 2), torch.nan)
    pixels[0, :, CMU28.indices(COCO17.joints)] = torch.as_tensor(keypoints.keypoints, dtype=torch.float32)
    times = torch.as_tensor(keypoints.timestamps, dtype=torch.float32)[None]
    size = torch.tensor([keypoints.image_size], dtype=torch.float32)
    found, scores = detect(pixels, times, size, DetectorNoise(), torch.Generator().manual_seed(seed))
    rows = CMU28.indices(COCO17.joints)
    seen = replace(keypoints, keypoints=found[0, :, rows].double().numpy(), scores=scores[0, :, rows].double().numpy())
    return TiltedScene(scene.name, scene.pitch, lift(seen, weights, camera), camera, up)


def rows(found: Sequence[tuple[str, float, float, float]]) -> Iterator[list[str]]:
    """The cells of all, of each kind and of each range of pitches.

    Args:
        found: kind, pitch, error and uncertainty of each scene, degrees.
    """
    kinds = dict.fromkeys(kind for kind, *_ in found)
    yield ["all", *_cells(found)]
    for kind in kinds:
        yield [kind, *_cells([one for one in found if one[0] == kind])]
    for low, high in ((-5, 15), (15, 30), (30, 57), (57, 90)):
        yield [f"{low} to {high} degrees down", *_cells([one for one in found if low <= one[1] < high])]


def _cells(found: Sequence[tuple[str, float, float, float]]) -> list[str]:
    off, said = np.array([one[2:] for one in found]).reshape(-1, 2).T
    warned, far = said > np.degrees(DOUBTFUL_UP), off > _FAR
    shares = [f"{int((warned & which).sum())} of {int(which.sum())}" for which in (far, ~far)]
    middle, most = np.percentile(off, [50, 90])
    within = 100 * float((off <= _WITHIN * said).mean())
    return [str(len(off)), f"{middle:.1f}", f"{most:.1f}", f"{np.median(said):.1f}", f"{within:.0f}", *shares]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table for each of the weights."""
    parser = command_line(__doc__)
    parser.add_argument("--corpus", type=Path, nargs="+", required=True, metavar="FILE", help="cmu50.npz, extra50.npz")
    parser.add_argument("--split", choices=("train", "val"), default="val", help="default: val")
    parser.add_argument("--count", type=int, default=42, help="scenes of each made kind, and a quarter of a corpus's")
    add_weights(parser, "small")
    options = parser.parse_args(arguments)
    heads = ["", "scenes", "up error deg", "90 %", "said", "within %", "warned, of those over 5 deg", "of the others"]
    with errors_shown(parser):
        for weights in map(load_weights, options.weights):
            seed = ("train", "val").index(options.split)
            rng = np.random.default_rng(seed)
            scenes = [made_scene(rng, kind) for kind in MADE for _ in range(options.count)]
            for corpus in options.corpus:
                scenes += corpus_scenes(corpus, options.split, 4 * options.count, rng)
            found = []
            for number, scene in enumerate(scenes):
                one = lifted(scene, weights, seed * 100_000 + number)
                found.append((one.kind, one.pitch, *one.measure()))
            print_table(heads, rows(found), f"`{weights.name}`, {options.split}")


if __name__ == "__main__":
    main()
