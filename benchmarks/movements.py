"""Jumps and repetitions of a real person: found in the lifted motion and in motion capture.

    python -m benchmarks.movements --real mhad_s02.npz

The takes of benchmarks/real.py in which the person jumps (a01), does jumping jacks (a02), and sits down and stands up
(a09), lifted as `poselift lift --world` does with the height of the motion capture given, and the same measures of the
motion capture, in the world of the lifted motion. Prints for each action how many movements both have, and the errors
of those that both have: of jumps the rise of the hips, the height by the flight and the time in the air, and how many
lie within their 90 % interval. Each take of a09 lasts 17 to 19 s, with five repetitions: the table has how many were
found, their depth and times, and their depth less that of the motion capture's hips, which are some 3 cm off.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.real import OPTIONS, takes
from poselift.data.views import View
from poselift.geometry.camera import Camera
from poselift.kinematics.height import estimate_height, take_height
from poselift.kinematics.movements import Jump, find_jumps, find_repetitions
from poselift.kinematics.movements.hips_in_picture import move_hips_to_picture
from poselift.lifting import lift_view, to_world
from poselift.lifting.dataset_views import camera_of
from poselift.models import Weights, load_weights
from poselift.skeleton import H36M17
from poselift.structures import Motion

_SAME = 0.4
"""Seconds within which two movements are the same."""


def pairs(views: Sequence[View], weights: Weights) -> Iterator[tuple[Motion, Motion, Camera]]:
    """The lifted motion of each take and the motion capture, in one world, and the camera."""
    for view in views:
        true = view.joints.double().numpy()
        if not np.isfinite(true).all():
            continue
        height = estimate_height(true, H36M17).metres
        motion = take_height(lift_view(view, weights, OPTIONS), height)
        world = to_world([motion], camera_of(view))
        own = world.motions[0].restrict(H36M17)
        root = view.root.double().numpy() @ world.camera.R.T + world.camera.t
        yield own, replace(own, joints=true @ world.camera.R.T, root=root, uncertainty=None), world.camera


def matched(found: Sequence[Jump], true: Sequence[Jump]) -> Iterator[tuple[Jump, Jump]]:
    """The movements that are the same."""
    for one in true:
        near = [each for each in found if abs(_middle(each) - _middle(one)) < _SAME]
        if near:
            yield near[0], one


def _middle(jump: Jump) -> float:
    return (jump.start + jump.end) / 2


def _spread(values: Sequence[float], scale: float, digits: int) -> str:
    return f"{scale * np.mean(values):+.{digits}f} ± {scale * np.std(values):.{digits}f}" if len(values) else "-"


def jump_rows(views: Sequence[View], weights: Weights) -> Iterator[list[str]]:
    """The cells of each action with jumps."""
    for action in ("a01", "a02"):
        counts, same, inside = [0, 0], [], [0, 0]
        for own, true, camera in pairs([view for view in views if view.action == action], weights):
            found, exact = find_jumps(move_hips_to_picture(own, camera)), find_jumps(true)
            counts = [counts[0] + len(exact), counts[1] + len(found)]
            same += list(matched(found, exact))
        rises = [one.rise - other.rise for one, other in same]
        heights = [one.height - other.height for one, other in same]
        inside = [
            sum(abs(one.rise - other.rise) < one.rise_uncertainty for one, other in same),
            sum(abs(one.height - other.height) < one.height_uncertainty for one, other in same),
        ]
        shares = [f"{100 * each / max(len(same), 1):.0f}" for each in inside]
        near = sum(abs(each) <= 0.01 for each in rises)
        flights = [one.flight - other.flight for one, other in same]
        yield [
            *(action, *map(str, counts), str(len(same)), _spread(rises, 1000, 0), str(near), shares[0]),
            *(_spread(heights, 1000, 0), shares[1], _spread(flights, 1000, 0)),
        ]


def repetition_rows(views: Sequence[View], weights: Weights, height: float) -> Iterator[list[str]]:
    """The cells of sitting down and standing up.

    The motion capture lacks spine and head, which neither depth nor times need.
    """
    found, same = [], []
    takes_of = [view for view in views if view.action == "a09"]
    for view in takes_of:
        motion = take_height(lift_view(view, weights, OPTIONS), height)
        world = to_world([motion], camera_of(view))
        own = world.motions[0].restrict(H36M17)
        root = view.root.double().numpy() @ world.camera.R.T + world.camera.t
        joints = np.nan_to_num(view.joints.double().numpy()) @ world.camera.R.T
        exact = find_repetitions(replace(own, joints=joints, root=root, uncertainty=None))
        found.append(find_repetitions(move_hips_to_picture(own, world.camera)))
        for one in exact:
            same += [(each, one) for each in found[-1] if abs(each.low - one.low) < _SAME]
    times = [[getattr(each, name) for one in found for each in one] for name in ("down", "up")]
    known = [[value for value in each if np.isfinite(value)] for each in times]
    depths = [each.depth for one in found for each in one]
    errors = [each.depth - one.depth for each, one in same]
    inside = np.mean([abs(each.depth - one.depth) <= each.depth_uncertainty for each, one in same])
    cells = [*(_spread(each, 1, 2) for each in (depths, *known)), _spread(errors, 1000, 0), f"{100 * inside:.0f}"]
    yield ["a09", str(len(takes_of)), str(sum(map(len, found))), *cells]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--real", type=Path, required=True, metavar="FILE", help="mhad_s02.npz")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        views, weights = takes(options.real), load_weights(options.weights)
        heads = ["action", "jumps", "found", "both", "rise mm", "within 10 mm", "inside %", "flight height mm"]
        print_table([*heads, "inside %", "time in the air ms"], jump_rows(views, weights), "Jumps")
        height = estimate_height(next(v for v in views if v.action == "a01").joints.double().numpy(), H36M17).metres
        heads = ["action", "takes", "found", "depth m", "down s", "up s", "depth less true mm", "inside %"]
        print_table(heads, repetition_rows(views, weights, height), "Repetitions")


if __name__ == "__main__":
    main()
