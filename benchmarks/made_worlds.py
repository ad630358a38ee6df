"""Errors of up for made people who walk, sit, lie or pedal, under a camera that looks down from little to straight.

    python -m benchmarks.made_worlds [--weights NAME|FILE ...] [--tilt]

Each person is lifted from keypoints with noise of 1 px and brought to the world. The table has the angle of up from the
true one, its standard deviation as `up_uncertainty_degrees` tells it, and by how much the pelvis goes up or down in the
world beyond what it truly does; those who walk or ride go 4 to 6 m. With `--tilt` the camera's
tilt is given.

Joints are those of COCO-17 in metres, Y up, the ground at Y = 0. The figure is 1.7 m tall. Nothing comes from a
recording, so the poses are plainer than people's; the truth is exact.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float

from benchmarks.command import add_weights, command_line, errors_shown, print_table
from poselift.geometry import Camera
from poselift.geometry.rotation import rotation_x, rotation_z
from poselift.kinematics.up import up_of_tilt
from poselift.lifting import lift, to_world
from poselift.models import Weights, load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

RATE = 30.0
"""Frames a second."""

_THIGH, _SHANK, _TRUNK, _UPPER_ARM, _FOREARM = 0.43, 0.42, 0.51, 0.29, 0.25
_HIP, _SHOULDER = 0.11, 0.19
"""Lengths of segments, and half the widths, metres."""

Places = Float[np.ndarray, "t 3"]


def _assemble(hips: Places, trunk: Places, ankles: list[Places], wrists: list[Places], across: Places) -> np.ndarray:
    """The joints (t, 17, 3) of a body that faces along +X, from what its pose is made of.

    Args:
        hips: middle of the hips.
        trunk: unit vector from the hips to the neck.
        ankles: left and right.
        wrists: left and right.
        across: unit vector to the person's left.
    """
    body = np.zeros((len(hips), 17, 3))
    ahead = np.cross(across, trunk)
    neck = hips + _TRUNK * trunk
    head = neck + 0.18 * trunk + 0.1 * ahead
    body[:, 0] = head
    for row, (forward, up, left) in enumerate(
        [(-0.02, 0.03, 0.03), (-0.02, 0.03, -0.03), (-0.09, 0, 0.07), (-0.09, 0, -0.07)]
    ):
        body[:, 1 + row] = head + forward * ahead + up * trunk + left * across
    for side, sign in enumerate((1.0, -1.0)):
        hip, shoulder = hips + sign * _HIP * across, neck + sign * _SHOULDER * across
        body[:, 11 + side], body[:, 5 + side] = hip, shoulder
        body[:, 13 + side], body[:, 15 + side] = _bend(hip, ankles[side], _THIGH, _SHANK, ahead)
        body[:, 7 + side], body[:, 9 + side] = _bend(shoulder, wrists[side], _UPPER_ARM, _FOREARM, -trunk - ahead)
    return body


def _bend(start: Places, end: Places, upper: float, lower: float, towards: Places) -> tuple[Places, Places]:
    """The middle joint of a limb that bends to one side, and its end, as far as it reaches."""
    way = end - start
    far = np.linalg.norm(way, axis=-1, keepdims=True)
    way = way / np.maximum(far, 1e-9)
    far = far.clip(abs(upper - lower) + 0.02, upper + lower - 0.002)
    along = (upper**2 - lower**2 + far**2) / (2 * far)
    side = towards - (towards * way).sum(-1, keepdims=True) * way
    side = side / np.maximum(np.linalg.norm(side, axis=-1, keepdims=True), 1e-9)
    return start + along * way + np.sqrt(np.maximum(upper**2 - along**2, 0.0)) * side, start + far * way


def _rows(times: np.ndarray, x: object, y: object, z: object) -> Places:
    return np.stack([np.broadcast_to(np.asarray(value, np.float64), times.shape) for value in (x, y, z)], -1)


def walk(
    times: Float[np.ndarray, " t"], cadence: float = 110.0, speed: float = 1.2, lean: float = 0.04, bob: float = 0.015
) -> np.ndarray:
    """Walks along +X.

    Each foot rests on the ground for 62 % of a stride, the trunk leans ahead (radians), and the hips bob (metres).
    """
    strides = cadence / 120 * times
    stride, duty = speed * 120 / cadence, 0.62
    ankles = []
    for phase, z in ((0.0, -0.09), (0.5, 0.09)):
        whole, part = np.divmod(strides + phase, 1.0)
        swing = ((part - duty) / (1 - duty)).clip(0, 1)
        moved = (1 - np.cos(np.pi * swing)) / 2
        x = stride * (whole + moved - phase) + stride * duty / 2
        ankles.append(_rows(times, x, 0.08 + 0.13 * np.sin(np.pi * swing), z))
    hips = _rows(times, speed * times, 0.9 + bob * np.cos(4 * np.pi * strides), 0.0)
    swing = 0.35 * np.cos(2 * np.pi * strides)
    wrists = [
        hips + _rows(times, sign * 0.45 * np.sin(swing) + 0.06, _TRUNK - 0.5, -sign * _SHOULDER) for sign in (1.0, -1.0)
    ]
    return _assemble(hips, _rows(times, np.sin(lean), np.cos(lean), 0), ankles, wrists, _rows(times, 0, 0, -1))


def walk_round(times: Float[np.ndarray, " t"], radius: float = 1.2, lean: float = 0.04) -> np.ndarray:
    """Walks on a circle."""
    joints = walk(times, speed=1.0, lean=lean)
    angle = joints[..., 0] / radius
    away = radius + joints[..., 2]
    return np.stack([away * np.sin(angle), joints[..., 1], away * np.cos(angle)], -1)


def stand(times: Float[np.ndarray, " t"], lean: float = 0.04) -> np.ndarray:
    """Stands still."""
    return np.repeat(walk(times[:1], lean=lean), len(times), 0)


def hop(times: Float[np.ndarray, " t"], height: float = 0.3) -> np.ndarray:
    """Stands, and jumps once a second and a half from bent knees; the feet hang under the hips in the air."""
    flight = 2 * np.sqrt(2 * height / 9.81)
    phase = times % 1.5 - 0.5
    air = ((phase >= 0) & (phase < flight)) * (9.81 / 2 * phase * (flight - phase))
    bent = np.exp(-(((phase + 0.15) / 0.1) ** 2)) + np.exp(-(((phase - flight - 0.15) / 0.1) ** 2))
    hips = _rows(times, 0.0, 0.9 + air - 0.15 * bent, 0.0)
    ankles = [_rows(times, 0.0, 0.08 + air, z) for z in (-0.09, 0.09)]
    wrists = [hips + _rows(times, 0.1, _TRUNK - 0.5 + 0.4 * air, z) for z in (-0.22, 0.22)]
    lean = 0.3 * bent
    return _assemble(hips, _rows(times, np.sin(lean), np.cos(lean), 0), ankles, wrists, _rows(times, 0, 0, -1))


def sit(
    times: Float[np.ndarray, " t"], speed: float = 0.0, lean: float = 0.05, seat: float = 0.5, reach: float = 0.45
) -> np.ndarray:
    """Sits on a chair and moves the arms, or rides a wheelchair along +X and pushes its rims.

    Args:
        times: seconds.
        speed: of the wheelchair, m/s.
        lean: of the trunk, ahead, radians.
        seat: height of the hips, metres.
        reach: by which the ankles are ahead of the hips, metres.
    """
    beat = np.sin(2 * np.pi * times)
    hips = _rows(times, speed * times, seat, 0.0)
    ankles = [hips + _rows(times, reach, 0.1 + 0.12 * (speed > 0) - seat, z) for z in (-0.1, 0.1)]
    wrists = [hips + _rows(times, 0.18 + 0.2 * beat, 0.12 - 0.1 * np.cos(2 * np.pi * times), z) for z in (-0.25, 0.25)]
    leans = lean + 0.1 * (speed > 0) * (1 + beat)
    return _assemble(hips, _rows(times, np.sin(leans), np.cos(leans), 0), ankles, wrists, _rows(times, 0, 0, -1))


def lie(times: Float[np.ndarray, " t"]) -> np.ndarray:
    """Lies on the back and moves arms and legs a little."""
    beat = np.sin(np.pi * times)
    hips = _rows(times, 0.0, 0.1, 0.0)
    ankles = [_rows(times, 0.78 + sign * 0.05 * beat, 0.07, -sign * 0.15) for sign in (1.0, -1.0)]
    wrists = [_rows(times, -0.2 + sign * 0.15 * beat, 0.1, -sign * 0.4) for sign in (1.0, -1.0)]
    return _assemble(hips, _rows(times, -1, 0, 0), ankles, wrists, _rows(times, 0, 0, -1))


def pedal(times: Float[np.ndarray, " t"], speed: float = 0.0, lean: float = 0.7, ahead: float = 0.22) -> np.ndarray:
    """Pedals at 80 turns a minute, on a roller or along +X; the bottom bracket is ahead of the hips (metres)."""
    turn = 2 * np.pi * 80 / 60 * times
    hips = _rows(times, speed * times, 0.95, 0.0)
    ankles = [
        hips + _rows(times, ahead + 0.17 * np.cos(turn + a), -0.6 - 0.17 * np.sin(turn + a), z)
        for a, z in ((0.0, -0.1), (np.pi, 0.1))
    ]
    wrists = [hips + _rows(times, 0.62, 0.1, z) for z in (-0.22, 0.22)]
    return _assemble(hips, _rows(times, np.sin(lean), np.cos(lean), 0), ankles, wrists, _rows(times, 0, 0, -1))


@dataclass(frozen=True)
class Scene:
    """Somebody made, and the camera that looks at them.

    Attributes:
        name: in tables.
        body: what they do.
        heading: direction in which they go, degrees from the camera's right towards it.
        pitch: by which the camera looks down, degrees.
        distance: from the camera to the middle of the person's way, metres.
        seconds: length.
        roll: of the camera, clockwise, degrees.
    """

    name: str
    body: Callable[[np.ndarray], np.ndarray]
    heading: float
    pitch: float
    distance: float = 5.0
    seconds: float = 4.0
    roll: float = 0.0


def see(
    scene: Scene, seed: int = 0, noise: float = 1.0
) -> tuple[Keypoints2D, Camera, Float[np.ndarray, "3"], np.ndarray]:
    """Keypoints with noise, the camera, up in its frame, and the joints in its frame.

    Args:
        scene: to look at.
        seed: of the noise.
        noise: its standard deviation, pixels.
    """
    times = np.arange(round(scene.seconds * RATE)) / RATE
    joints = scene.body(times)
    middle = joints.mean((0, 1)) * [1, 0, 1] + [0, 0.8, 0]
    angle = np.radians(scene.heading)
    turn = np.array([[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])
    size = (1280, 720)
    focal = 640 / np.tan(np.radians(55) / 2)
    camera = Camera(np.array([[focal, 0, 639.5], [0, focal, 359.5], [0, 0, 1.0]]), size)
    # The camera's y points down and its z ahead; then it looks down by the pitch.
    level = np.diag([1.0, -1.0, -1.0])
    R = np.asarray(rotation_z(np.radians(scene.roll)) @ rotation_x(np.radians(scene.pitch))) @ level
    seen = (joints - middle) @ turn.T @ R.T + [0, 0, scene.distance]
    rng = np.random.default_rng(seed)
    pixels = camera.project(seen) + rng.normal(0, noise, (len(seen), 17, 2))
    keypoints = Keypoints2D(pixels, np.full((len(seen), 17), 0.9), times, COCO17, size, 1)
    return keypoints, camera, R[:, 1], seen


def scenes() -> list[Scene]:
    """Everybody, in the order of the table."""
    wheels, ride = partial(sit, speed=1.0), partial(pedal, speed=1.5)
    return [
        *(Scene("walks across", walk, 0, pitch) for pitch in (0, 10, 35, 50, 65, 80)),
        *(Scene("walks towards the camera", walk, 40, pitch) for pitch in (10, 50, 65)),
        *(Scene("walks round", walk_round, 0, pitch, 6.0, 8.0) for pitch in (10, 35, 50, 65, 80)),
        *(Scene("stands still", stand, 60, pitch) for pitch in (10, 65)),
        *(Scene("sits on a chair", sit, 60, pitch) for pitch in (0, 10, 20, 50, 65)),
        *(Scene("sits on a chair, from the side", sit, 0, pitch) for pitch in (10, 20)),
        *(Scene("wheelchair", wheels, 0, pitch) for pitch in (0, 15, 35)),
        Scene("wheelchair, towards the camera", wheels, 45, 10),
        *(Scene("lies across", lie, 0, pitch) for pitch in (10, 25, 65)),
        Scene("lies along the view, head away", lie, 80, 25),
        Scene("lies along the view, head away", lie, 80, 65),
        *(Scene("pedals on a roller", pedal, 0, pitch) for pitch in (0, 20)),
        Scene("rides a bicycle", ride, 0, 10, 6.0),
        Scene("rides a bicycle, towards the camera", ride, 40, 10, 6.0),
    ]


def rows(weights: Weights, given: bool) -> Iterator[list[str]]:
    """The cells of each scene.

    Args:
        weights: the lifter.
        given: whether the tilt is given.
    """
    for scene in scenes():
        keypoints, camera, up, seen = see(scene)
        motion = lift(keypoints, weights, camera)
        world = to_world([motion], camera, up=up_of_tilt(np.radians(scene.pitch)) if given else None)
        off = float(np.degrees(np.arccos(np.clip(world.camera.R[1] @ up, -1, 1))))
        rise = world.motions[0].root[:, 1] - (seen[:, 11:13].mean(1) @ up)
        yield [
            f"{scene.name}, {scene.pitch:g} degrees",
            f"{off:.1f}",
            f"{np.degrees(world.uncertainty):.1f}",
            f"{100 * float(np.ptp(rise)):.0f}",
        ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table for each of the weights."""
    parser = command_line(__doc__)
    add_weights(parser, "small")
    parser.add_argument("--tilt", action="store_true", help="give the camera's tilt")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        for weights in map(load_weights, options.weights):
            heads = ["what they do, and how far the camera looks down", "up error deg", "said", "pelvis up or down cm"]
            print_table(heads, rows(weights, options.tilt), f"`{weights.name}`")


if __name__ == "__main__":
    main()
