"""How often the limits of inverse kinematics act, and what they do to the residual.

    python -m benchmarks.joint_limits [--corpus cmu50.npz --split test]

Solves motions with and without limits: those of the sample clip, lifted to cmu28 with `--world`, and with --corpus the
clips of the CMU corpus with all joints. A limit acts on a segment in the frames in which it turns the segment, relative
to its parent, by more than 0.1 degrees; segments below a limited one count where they are turned back. The residual is
the mean distance of the rig's joints from the motion's. The largest step is that of a segment's rotation from one frame
to the next, which shows whether a limit adds a jump.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.command import command_line, errors_shown, table_head, table_row
from poselift.cli.main import main as poselift
from poselift.data.cmu import load_cmu
from poselift.export import read_motion
from poselift.kinematics import RiggedMotion, solve
from poselift.skeleton import CMU28
from poselift.structures import Keypoints2D, Motion

_SAME = 0.1
"""Degrees by which the limits must turn a segment to count."""

_LIMBS = ("hip", "knee", "ankle", "shoulder", "elbow")
_SEGMENTS = ("spine", "thorax", "neck_base", *(f"{side}_{joint}" for joint in _LIMBS for side in ("left", "right")))


def corpus_motions(path: Path, split: str) -> Iterator[tuple[str, Motion]]:
    """The clips with all joints of a split of the CMU corpus."""
    corpus = load_cmu(path, split, moved=True, tiers="A")
    starts = corpus.clip_start.tolist()
    for name, start, end in zip(corpus.names, starts, starts[1:], strict=False):
        joints, root = corpus.joints[start:end].numpy(), corpus.root[start:end].numpy()
        if np.isfinite(joints).all((1, 2)).any():
            times = np.arange(end - start) / corpus.fps
            seen = np.full((end - start, len(CMU28), 2), np.nan)
            keypoints = Keypoints2D(seen, np.zeros(seen.shape[:2]), times, CMU28, (1, 1))
            yield name, Motion(joints, root, times, np.zeros(len(times), bool), CMU28, "world", keypoints)


def angle(turned: np.ndarray) -> np.ndarray:
    """Angles of rotations, degrees; by the sine where they are small, as arccos is inexact there."""
    off = np.stack([turned[..., i, j] - turned[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], -1)
    return np.degrees(np.arctan2(np.linalg.norm(off, axis=-1), np.trace(turned, axis1=-2, axis2=-1) - 1))


def changed(limited: RiggedMotion, free: RiggedMotion) -> np.ndarray:
    """Whether the limits turn each segment of `_SEGMENTS` in each frame with a pose."""
    rows = [limited.rig.names.index(name) for name in _SEGMENTS]
    known = np.isfinite(limited.root).all(1)
    turned = limited.rotations[known][:, rows].swapaxes(-1, -2) @ free.rotations[known][:, rows]
    return angle(turned) > _SAME


def largest_step(rigged: RiggedMotion) -> float:
    """The largest turn of a segment between two frames, degrees."""
    steps = rigged.rotations[1:].swapaxes(-1, -2) @ rigged.rotations[:-1]
    return float(np.nanmax(angle(steps))) if len(steps) else 0.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table of motions, and one of segments."""
    parser = command_line(__doc__)
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="cmu50.npz; default: the sample clip alone")
    parser.add_argument("--split", default="test", choices=["train", "val", "test"], help="default: %(default)s")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        with tempfile.TemporaryDirectory() as place:
            out = str(Path(place) / "lifted")
            poselift(["lift", "--out", out, "--skeleton", "cmu28", "--world", "--no-render", "--quiet"])
            groups = {
                f"sample, person {person}": [read_motion(Path(out) / f"person_{person}.npz")] for person in (1, 2)
            }
        if options.corpus:
            groups[f"CMU, {options.split}"] = [motion for _, motion in corpus_motions(options.corpus, options.split)]
    shares = {}
    print(
        table_head(["motion", "frames", "limited, %", "residual free, mm", "limited, mm", "step free, °", "limited, °"])
    )
    for name, motions in groups.items():
        both = [(solve(motion), solve(motion, limits=False)) for motion in motions]
        acts = np.concatenate([changed(*pair) for pair in both])
        shares[name] = 100 * acts.mean(0)
        residuals = [
            1000 * np.concatenate([pair[side].residuals[np.isfinite(pair[side].root).all(1)] for pair in both]).mean()
            for side in (1, 0)
        ]
        steps = [max(largest_step(pair[side]) for pair in both) for side in (1, 0)]
        cells = [f"{100 * acts.any(1).mean():.2f}", *(f"{value:.2f}" for value in residuals)]
        print(table_row([name, str(len(acts)), *cells, *(f"{step:.0f}" for step in steps)]), flush=True)
    print()
    print(table_head(["segment, % of frames", *shares]))
    for row, segment in enumerate(_SEGMENTS):
        print(table_row([segment, *(f"{share[row]:.2f}" for share in shares.values())]))


if __name__ == "__main__":
    main()
