"""Errors of gait events on walks and runs of motion capture, exact and lifted.

    python -m benchmarks.gait --corpus cmu50.npz [--bench bench_test.npz]

Takes the clips of the corpus whose action is a walk or a run and nothing else, of subjects with their own skeleton.
First table, of the exact motion: the shares of a stride that are stance and double support, by
`poselift.kinematics.measure_gait` with heels and toes and with ankles alone; and the times of strikes and toe-offs
beside the frames in which a heel or toe gets low and slow (below 2.5 cm over its rest and 1 m/s), as median and
standard deviation. There is no force plate in the corpus, so these frames are no truth, only another view.
Under it stands how far the ankles are apart when a walker's foot strikes, as a share of the step: on a treadmill of
unknown speed, steps are measured by it.

With `--bench` a second table follows for its views of walks, by the angle between the walk and the camera's axis:
lifted from detector-like COCO-17 as `poselift lift --world` does, against the exact motion (heels and toes). COCO-17
has no toes, so the ankles show events.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.bench_views import load_worlds
from benchmarks.command import command_line, errors_shown, print_table
from poselift.data.cmu_bench import CmuBench
from poselift.data.reading import load_arrays
from poselift.kinematics import Gait, measure_gait
from poselift.kinematics.gait import AHEAD
from poselift.lifting import lift_view, to_world
from poselift.lifting.dataset_views import camera_of
from poselift.models import load_weights
from poselift.skeleton import CMU28, H36M17
from poselift.structures import FEET, Keypoints2D, Motion

_WALKS = {"walk", "slow walk", "Female Walk", "Male1 Walk", "Male2 Walk"}
_RUNS = {"run", "run/jog"}
"""Actions of CMU's corpus, and walks of ACCAD's."""

_LOW, _SLOW = 0.025, 1.0
"""Metres over its rest and metres a second below which a heel or a toe is down."""

_SAME = 0.2
"""Seconds within which two events are the same."""

_VIEWS = {"front or back": 30, "between": 60, "side": 90}
"""Views, and the largest angle in degrees between the walk and the camera's axis."""

_UP = np.array([0.0, 1.0, 0.0])

Events = dict[tuple[int, str], np.ndarray]
"""Seconds by foot (column of `FEET`) and kind."""


def clips(path: Path) -> dict[int, tuple[str, Motion]]:
    """Kind and motion of each walk and run of the corpus, by the clip's index."""
    shapes: dict[str, tuple[int | None, ...]] = {
        "root_relative": (None, len(CMU28), 3),
        "root": (None, 3),
        **dict.fromkeys(("clip_start", "action", "tier"), (None,)),
        "joints": (len(CMU28),),
        "fps": (),
    }
    arrays = load_arrays(path, shapes, "the corpus is cmu50.npz")
    order = [arrays["joints"].tolist().index(joint) for joint in CMU28.joints]
    found = {}
    for number, (action, tier) in enumerate(zip(arrays["action"], arrays["tier"], strict=True)):
        kind = "walk" if action in _WALKS else "run" if action in _RUNS else ""
        if kind and tier == "A":
            rows = slice(*arrays["clip_start"][number : number + 2])
            joints = arrays["root_relative"][rows][:, order] / 1e4
            times = np.arange(len(joints)) / float(arrays["fps"])
            keypoints = Keypoints2D(
                np.full((*joints.shape[:2], 2), 9.0), np.ones(joints.shape[:2]), times, CMU28, (640, 480)
            )
            root = arrays["root"][rows].astype(np.float64)
            found[number] = kind, Motion(joints, root, times, np.zeros(len(times), bool), CMU28, "world", keypoints)
    return found


def events_of(found: Gait) -> Events:
    """The events of a gait."""
    return {
        (foot, kind): np.array([time for time, side, name in found.events if (side, name) == (foot, kind)])
        for foot in range(len(FEET))
        for kind in ("strike", "toe-off")
    }


def low_and_slow(motion: Motion) -> Events:
    """When heels and toes get low and slow, and when they no longer are."""
    down = np.zeros((len(motion), 2), bool)
    for foot, name in enumerate(FEET):
        for joint in ("heel", "big_toe"):
            row = motion.skeleton.index(f"{name.removesuffix('_foot')}_{joint}")
            place = motion.joints[:, row] + motion.root
            speed = np.linalg.norm(np.gradient(place, motion.timestamps, axis=0), axis=-1)
            still = speed < 0.3 * _SLOW
            rest = np.median(place[still, 1]) if still.any() else place[:, 1].min()
            down[:, foot] |= (place[:, 1] < rest + _LOW) & (speed < _SLOW)
    middles = (motion.timestamps[1:] + motion.timestamps[:-1]) / 2
    steps = np.diff(down.astype(int), axis=0)
    return {
        (foot, kind): middles[steps[:, foot] == sign]
        for foot in range(len(FEET))
        for kind, sign in (("strike", 1), ("toe-off", -1))
    }


def double_supports(events: Events) -> list[float]:
    """Share of each stride in which both feet are down; negative is the share without any."""
    shares = []
    for foot in range(len(FEET)):
        for start, end in pairwise(events[foot, "strike"]):
            between = events[1 - foot, "strike"]
            between = between[(between > start) & (between < end)]
            if len(between) != 1 or end - start > 3:
                continue
            # A toe-off belongs to the strike of the other foot that is nearest.
            pairs = (events[foot, "toe-off"], between[0]), (events[1 - foot, "toe-off"], start)
            away = [
                toe_offs[np.abs(toe_offs - strike).argmin()] - strike for toe_offs, strike in pairs if len(toe_offs)
            ]
            if len(away) == 2 and max(map(abs, away)) < (end - start) / 2:
                shares.append(float(sum(away) / (end - start)))
    return shares


def stances(events: Events) -> list[float]:
    """Share of each stride in which the foot is down."""
    shares = []
    for foot in range(len(FEET)):
        strikes, toe_offs = events[foot, "strike"], events[foot, "toe-off"]
        for start, end in pairwise(strikes):
            within = toe_offs[(toe_offs > start) & (toe_offs < end)]
            if len(within) == 1 and end - start < 3:
                shares.append(float((within[0] - start) / (end - start)))
    return shares


def differences(found: Events, reference: Events, kind: str) -> list[float]:
    """Seconds from each event of a kind to the same one of the reference."""
    out = []
    for foot in range(len(FEET)):
        for time in found[foot, kind]:
            near = reference[foot, kind]
            if len(near) and abs(away := time - near[np.abs(near - time).argmin()]) < _SAME:
                out.append(float(away))
    return out


def spread(seconds: Sequence[float]) -> str:
    """Median and standard deviation, ms."""
    return f"{1000 * np.median(seconds):+.0f} ± {1000 * np.std(seconds):.0f}" if len(seconds) else "-"


def percent(shares: Sequence[float]) -> str:
    """Mean and standard deviation, percent."""
    return f"{100 * np.mean(shares):.1f} ± {100 * np.std(shares):.1f}" if len(shares) else "-"


def exact_rows(found: dict[int, tuple[str, Motion]], kind: str) -> Iterator[list[str]]:
    """The cells of all clips of a kind, with heels and toes and with ankles alone."""
    motions = [motion for own, motion in found.values() if own == kind]
    for name, skeleton in (("heels and toes", CMU28), ("ankles alone", H36M17)):
        shares: list[float] = []
        doubles: list[float] = []
        apart: tuple[list[float], list[float]] = ([], [])
        for motion in motions:
            events, reference = events_of(measure_gait(motion.restrict(skeleton))), low_and_slow(motion)
            shares += stances(events)
            doubles += double_supports(events)
            for event, away in zip(("strike", "toe-off"), apart, strict=True):
                away += differences(events, reference, event)
        yield [kind, name, str(len(shares)), percent(shares), percent(doubles), *map(spread, apart)]


def ankles_apart(found: dict[int, tuple[str, Motion]]) -> list[float]:
    """How far the ankles are apart at the strikes of each walk, as a share of its steps."""
    shares = []
    for kind, motion in found.values():
        walk = measure_gait(motion)
        if kind == "walk" and walk.steps and not walk.in_place:
            stays = measure_gait(replace(motion, root=motion.root * _UP))
            shares.append(
                float(AHEAD * np.mean([s.length for s in stays.steps]) / np.mean([s.length for s in walk.steps]))
            )
    return shares


@dataclass
class Lifted:
    """What was found in lifted walks.

    Attributes:
        views: number of them.
        counts: events of the exact and of the lifted motion, and those that both have.
        apart: seconds from an exact strike and toe-off.
        stances: errors of a view's mean, as shares of a stride.
        doubles: likewise, of double support.
        cadences: errors, steps a minute.
        lengths: of the strides, as shares of the exact ones.
    """

    views: int = 0
    counts: list[int] = field(default_factory=lambda: [0, 0, 0])
    apart: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    stances: list[tuple[float, float]] = field(default_factory=list)
    doubles: list[tuple[float, float]] = field(default_factory=list)
    cadences: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)

    def add(self, world: Motion, exact: Motion) -> None:
        """Adds a view."""
        own, true = measure_gait(world), measure_gait(exact)
        events, reference = events_of(own), events_of(true)
        same = 0
        for event, away in zip(("strike", "toe-off"), self.apart, strict=True):
            new = differences(events, reference, event)
            same += len(new)
            away += new
        self.views += 1
        both = sum(map(len, reference.values())), sum(map(len, events.values())), same
        self.counts = [total + more for total, more in zip(self.counts, both, strict=True)]
        for shares, pairs in ((stances, self.stances), (double_supports, self.doubles)):
            if (lifted := shares(events)) and (expected := shares(reference)):
                pairs.append((float(np.mean(lifted)), float(np.mean(expected))))
        self.cadences += [abs(own.cadence - true.cadence)] if own.steps and true.steps else []
        if own.strides and true.strides:
            means = [np.mean([stride.length for stride in each.strides]) for each in (own, true)]
            self.lengths.append(float(means[0] / means[1]))

    def cells(self) -> list[str]:
        """Of the table."""
        exact, lifted, same = self.counts
        around = f"{np.mean(self.lengths):.2f} ± {np.std(self.lengths):.2f}" if self.lengths else "-"
        return [
            *map(str, (self.views, same, exact - same, lifted - same)),
            *map(spread, self.apart),
            *map(_compared, (self.stances, self.doubles)),
            f"{np.mean(self.cadences):.1f}" if self.cadences else "-",
            around,
        ]


def _compared(pairs: list[tuple[float, float]]) -> str:
    """Mean of lifted shares, of exact ones, and of the errors' sizes, percent."""
    if not pairs:
        return "-"
    lifted, exact = 100 * np.mean(pairs, axis=0)
    return f"{lifted:.1f} ({exact:.1f}); {100 * np.abs(np.diff(pairs)).mean():.1f}"


def lifted_rows(found: dict[int, tuple[str, Motion]], corpus: Path, bench: Path, weights: str) -> list[list[str]]:
    """The cells of the lifted walks, by view."""
    truth = load_worlds(bench)
    lifter, views = load_weights(weights), CmuBench(corpus, bench, "coco17")
    groups = {name: Lifted() for name in (*_VIEWS, "all")}
    for number, clip in enumerate(truth["clip_index"].tolist()):
        if found.get(clip, ("",))[0] != "walk":
            continue
        exact = found[clip][1]
        world = to_world([lift_view(views[number], lifter)], camera_of(views[number])).motions[0]
        hips = [exact.joints[:, exact.skeleton.index(f"{side}_hip")] for side in ("left", "right")]
        ahead, axis = np.cross((hips[0] - hips[1]).mean(0), _UP), truth["R"][number, 2] * [1, 0, 1]
        cosine = abs(ahead @ axis) / np.linalg.norm(ahead) / np.linalg.norm(axis)
        view = next(name for name, end in _VIEWS.items() if np.degrees(np.arccos(cosine)) <= end)
        for name in (view, "all"):
            groups[name].add(world, exact)
    return [[name, *group.cells()] for name, group in groups.items() if group.views]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, metavar="FILE", help="cmu50.npz")
    parser.add_argument("--bench", type=Path, metavar="FILE", help="bench_val.npz or bench_test.npz")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        found = clips(options.corpus)
        heads = ["", "exact motion", "strides", "stance %", "double support %", "strike ms", "toe-off ms"]
        print_table(heads, (row for kind in ("walk", "run") for row in exact_rows(found, kind)))
        print(f"\nankles apart at a walker's strike, % of the step: {percent(ankles_apart(found))}", flush=True)
        if options.bench is not None:
            head = ["view", "views", "events", "missed", "extra", "strike ms", "toe-off ms", "stance % (exact); error"]
            head += ["double support % (exact); error", "cadence error / min", "stride, share of exact"]
            print_table(head, lifted_rows(found, options.corpus, options.bench, options.weights), "Lifted walks")


if __name__ == "__main__":
    main()
