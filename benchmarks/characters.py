"""Motion on characters: feet before and after they are locked, and limbs on rigs of other programs.

    python -m benchmarks.characters [--motion NPZ ...] [--python PATH ...] [--out DIR]
    python -m benchmarks.characters --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...]

The first table has the feet and knees of each motion as it is lifted, and with `--lock-feet`. The second puts the
motions onto a Rigify rig and a Mixamo-named armature in Blender (bpy), and onto a VRM avatar (three-vrm): by how many
degrees limbs point elsewhere. With a corpus, the only table has medians over lifted views of the benchmark. Programs
are sought as by `benchmarks.readers`. Without `--motion`, the demo clip is lifted with `--world --skeleton cmu28`.

Slide is the speed over the ground of heel or toe while the foot rests on it, in contacts; of locked feet, in the
contacts that `lock_feet` keeps, with the share of contact frames in which the foot takes a step instead. Under the
ground is the depth of the lowest point of any foot. Floating is the height of the lowest point of a foot in contact.
The last two are left out for somebody who stands on a stair or a box. A knee's step is its change from one frame to the
next, and its jerk the change of that.
"""

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Bool

from benchmarks.command import add_bench, bend, command_line, errors_shown, print_table
from benchmarks.readers import Reader, command_of, lift_demo
from poselift.cli.main import main as poselift
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.kinematics import RiggedMotion, lock_feet, solve
from poselift.lifting import lift_view, to_world
from poselift.lifting.dataset_views import camera_of
from poselift.models import Weights, load_weights
from poselift.recordings import read_motion
from poselift.structures import FEET

_RAISED = 0.3
"""Metres above the ground of feet in contact that stand on something."""

_STILL = 0.5
"""Slide in cm/s below which all feet of a view stand still."""

_TOUCHES = 0.005
"""Metres above the lowest point of a foot up to which its heel or toe rests on the same ground."""

_CHARACTERS = (
    ("Rigify, generated", "rigify", "bvh", Reader("bvh", "bpy", ("with_retarget.py", "rigify"), "")),
    ("Mixamo-named armature", "mixamo", "bvh", Reader("bvh", "bpy", ("with_retarget.py", "mixamo"), "")),
    ("Mixamo-named armature", "mixamo", "glb", Reader("glb", "bpy", ("with_retarget.py", "mixamo"), "")),
    ("VRM avatar", "vrm", "vrma", Reader("vrma", "@pixiv/three-vrm-animation", ("with_three_vrm.js",), "")),
)
"""Character, `--rig`, format, and what puts the motion onto it."""

COLUMNS = (
    "slide cm/s, mean",
    "slide cm/s, max",
    "under the ground cm, max",
    "floating cm, max",
    "knee step deg, max",
    "knee jerk deg, 99 %",
    "pelvis m/s², 99 %",
)


def feet_figures(rigged: RiggedMotion, contacts: Bool[np.ndarray, "t 2"]) -> dict[str, float]:
    """The figures of `COLUMNS` for a motion without empty frames.

    Args:
        rigged: the motion.
        contacts: feet that are down.
    """
    rig, times = rigged.rig, rigged.timestamps
    at, places, orientations = rig.landmarks(), rigged.positions(), rigged.orientations()
    steps = np.diff(times)
    slides, heights, standing, flexions = [], [], [], []
    for side, down in zip((foot.removesuffix("_foot") for foot in FEET), contacts.T, strict=True):
        limb = [rig.names.index(f"{side}_{joint}") for joint in ("hip", "knee", "ankle")]
        ankle = limb[-1]
        ends = np.stack(
            [
                places[:, ankle] + orientations[:, ankle] @ (at[f"{side}_{joint}"] - at[f"{side}_ankle"])
                for joint in ("heel", "big_toe")
            ],
            1,
        )
        lowest = ends[..., 1].min(1)
        touches = ends[..., 1] < lowest[:, None] + _TOUCHES
        moved = np.linalg.norm(np.diff(ends[..., [0, 2]], axis=0), axis=-1) / steps[:, None]
        touches, stays = touches[1:] & touches[:-1], down[1:] & down[:-1]
        # A foot that rolls from its heel to its toes within a frame is flat between the two: there is its heel then.
        foot = (ends[:, 1] - ends[:, 0])[:, [0, 2]]
        flat = np.linalg.norm((at[f"{side}_big_toe"] - at[f"{side}_heel"])[[0, 2]])
        behind = foot * (flat / np.maximum(np.linalg.norm(foot, axis=-1, keepdims=True), 1e-9))
        heels = np.where(ends[:, :1, 1] > lowest[:, None], ends[:, 1, [0, 2]] - behind, ends[:, 0, [0, 2]])
        rolled = np.linalg.norm(np.diff(heels, axis=0), axis=-1) / steps
        slide = np.where(touches.any(1), np.where(touches, moved, 0.0).max(1), rolled)
        slides.append(slide[stays])
        heights.append(lowest - rig.sole)
        standing.append(heights[-1][down])
        flexions.append(bend(places[:, limb]))
    slide, floating = 100 * np.concatenate(slides), 100 * np.concatenate(standing)
    ground = not len(floating) or np.median(floating) < 100 * _RAISED
    flexion = np.stack(flexions, 1)
    pelvis = np.linalg.norm(np.diff(rigged.root, 2, axis=0), axis=-1) / np.median(steps) ** 2
    values = (
        slide.mean() if len(slide) else np.nan,
        slide.max(initial=0.0),
        -100 * min(np.concatenate(heights).min(), 0.0) if ground else np.nan,
        floating.max(initial=0.0) if ground else np.nan,
        np.abs(np.diff(flexion, axis=0)).max(),
        np.percentile(np.abs(np.diff(flexion, 2, axis=0)), 99),
        np.percentile(pelvis, 99),
    )
    return dict(zip(COLUMNS, map(float, values), strict=True))


def feet_rows(npz: Sequence[Path]) -> Iterator[list[str]]:
    """Two rows for each motion: as it is lifted, and with locked feet."""
    for path in npz:
        motion = read_motion(path)
        rigged = solve(motion)
        for what, shown in (("as lifted", rigged), ("locked", lock_feet(rigged, motion))):
            contacts = motion.contacts if shown.contacts is None else shown.contacts
            assert contacts is not None, "`lock_feet` refuses a motion without"
            figures = feet_figures(shown, contacts)
            cells = ["-" if np.isnan(value) else f"{value:.2f}" for value in figures.values()]
            yield [f"{path.parent.name} {path.stem}", motion.skeleton.name, what, *cells]


def bench_rows(bench: Sequence[View], weights: Weights) -> list[list[str]]:
    """Medians of the figures over lifted views with contacts, and the share of views whose feet stand still."""
    figures, steps = [], []
    for view in bench:
        motion = to_world([lift_view(view, weights)], camera_of(view)).motions[0]
        if motion.contacts is not None and motion.contacts.any() and motion.posed.all():
            rigged = solve(motion)
            locked = lock_feet(rigged, motion)
            assert locked.contacts is not None
            both = (rigged, motion.contacts), (locked, locked.contacts)
            figures.append([list(feet_figures(*each).values()) for each in both])
            steps.append(1 - locked.contacts.sum() / motion.contacts.sum())
    if not figures:
        return []
    values = np.array(figures)
    still = (values[..., 1] < _STILL).sum(0)
    jerk = COLUMNS.index("knee jerk deg, 99 %")
    ratio = np.median(values[:, 1, jerk] / values[:, 0, jerk])
    notes = (
        f"as lifted; still in {still[0]}",
        f"locked; still in {still[1]}; steps in {100 * np.mean(steps):.1f} % of contacts, at most "
        f"{100 * max(steps):.1f}; knee jerk times {ratio:.2f} (median), at most "
        f"{(values[:, 1, jerk] - values[:, 0, jerk]).max():.1f} degrees more",
    )
    return [
        [
            f"median of {len(values)} views, {weights.name}",
            "cmu28",
            note,
            *(f"{value:.2f}" for value in np.nanmedian(values[:, row], 0)),
        ]
        for row, note in enumerate(notes)
    ]


def character_row(
    name: str, rig: str, format_: str, reader: Reader, npz: Path, out: Path, pythons: Sequence[str]
) -> list[str]:
    """What a character did with a motion."""
    head = [name, f"`--to {format_} --rig {rig}`", npz.stem.replace("_", " ")]
    command = command_of(reader, pythons)
    if command is None:
        return [*head, "", f"not installed; run: {'npm' if '@' in reader.tool else 'pip'} install {reader.tool}"]
    folder = out / f"{rig}_{format_}"
    with contextlib.redirect_stdout(sys.stderr):
        poselift(["export", str(npz), "--to", format_, "--rig", rig, "--lock-feet", "--out", str(folder)])
    found = folder / f"{npz.stem}.json"
    ran = subprocess.run([*command, str(folder / f"{npz.stem}.{format_}"), str(found)], capture_output=True, text=True)
    if ran.returncode or not found.is_file():
        return [*head, "", f"FAILED: {(ran.stderr.strip() or ran.stdout.strip() or 'no message').splitlines()[-1]}"]
    about = json.loads(found.read_text("utf-8"))
    return [*head, about["version"], about["note"]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--motion", type=Path, nargs="+", default=[], metavar="NPZ", help="motions with contacts")
    parser.add_argument("--python", nargs="+", default=[], metavar="PATH", help="more Pythons to seek programs in")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keeps files, and Blender's pictures, in this folder")
    add_bench(parser, required=False)
    options = parser.parse_args(arguments)
    heads = ["motion", "skeleton", "feet", *COLUMNS]
    with errors_shown(parser), tempfile.TemporaryDirectory() as temporary:
        if options.corpus and options.bench:
            bench = list(CmuBench(options.corpus, options.bench, "halpe26"))
            print_table(heads, (row for each in map(load_weights, options.weights) for row in bench_rows(bench, each)))
            return
        out = options.out or Path(temporary)
        npz = options.motion or lift_demo(out / "lifted")
        print_table(heads, feet_rows(npz))
        pythons = [sys.executable, *options.python]
        rows = (character_row(*each, path, out, pythons) for each in _CHARACTERS for path in npz)
        print_table(["character", "export", "motion", "version", "seen"], rows, "On characters")


if __name__ == "__main__":
    main()
