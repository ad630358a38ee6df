"""Simulated detections, from exact projections.

A detector's error is not white: it drifts, and it grows with the speed of the limb. For a while, left and right swap,
or a joint jumps elsewhere or is missing. Scores are only roughly right.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.annotations import Amount, Share
from poselift.data.augment import pelvis_axes
from poselift.skeleton import CMU28
from poselift.skeleton.skeleton import strip_side

_SPREADS = {
    "pelvis": (0.010, 0.015),
    "hip": (0.010, 0.020),
    "knee": (0.010, 0.015),
    "ankle": (0.014, 0.015),
    "spine": (0.010, 0.015),
    "thorax": (0.010, 0.015),
    "neck_base": (0.010, 0.020),
    "head_top": (0.010, 0.030),
    "shoulder": (0.010, 0.020),
    "elbow": (0.013, 0.015),
    "wrist": (0.0155, 0.020),
    "big_toe": (0.015, 0.020),
    "heel": (0.015, 0.020),
    "hand": (0.019, 0.030),
    "nose": (0.006, 0.010),
    "eye": (0.005, 0.010),
    "ear": (0.007, 0.010),
}
"""Standard deviations. First, of a joint's error along one axis, as a share of the body's size in the picture; then, of
the place at which a detector sees the joint, along each axis of the body, metres."""

_SIGMAS, _OFFSETS = zip(*(_SPREADS[strip_side(joint)] for joint in CMU28.joints), strict=True)
_LEGS = CMU28.indices([j for j in CMU28.joints if j.endswith(("hip", "knee", "ankle", "toe", "heel"))])
_ARMS = CMU28.indices([j for j in CMU28.joints if j.endswith(("shoulder", "elbow", "wrist", "hand"))])
_FORE = ("elbow", "wrist", "hand")
_SHANK = ("knee", "ankle", "toe", "heel")
_OUT_OF_SIGHT = [
    *(
        CMU28.indices([j for j in CMU28.joints if j.startswith(side) and j.endswith(part)])
        for side in ("left", "right")
        for part in (_FORE, _SHANK)
    ),
    _LEGS,
]
"""Joints that furniture or the picture's edge hides together: an arm, a leg, everything below the waist."""

_ALIKE = 0.8
"""Share of the variance of the places that is the same on the left and on the right."""


@dataclass(frozen=True)
class DetectorNoise:
    """The errors of a simulated detector.

    Attributes:
        scale: scale of all errors; each window draws its own factor around it.
        scale_spread: standard deviation of the log of that factor.
        bias: share of the error's variance that is constant in a window, because detector and corpus define joints
            slightly differently.
        drift: share of the variance that drifts; the rest is new in each frame.
        drift_time: time constant of the drift, seconds.
        speed: growth of the error with speed: factor 1 + speed x (body sizes per second).
        missing: share of joints that are missing, in segments of `missing_time` seconds.
        missing_time: seconds.
        limb: share of the time in which an arm, a leg, or everything below the waist is missing, in segments of
            `limb_time` seconds each.
        limb_time: seconds.
        jump: share of joints at a wrong place, in segments of `jump_time` seconds.
        jump_time: seconds.
        swap: share of the time in which left and right legs, or arms, are swapped, in segments of `swap_time` seconds.
        swap_time: seconds.
        hidden: share of the time in which the whole person is missing, in segments of `hidden_time` seconds.
        hidden_time: seconds.
        offset: scale of the places on the body at which the window's detector sees the joints, fixed in the body's
            frame; the lifter learns where the joints are.
        exact: share of windows without errors and with scores of 1, like projected markers.
        unscored: share of the other windows with scores of 1, like a detector without scores.
    """

    scale: Amount = 0.9
    scale_spread: Amount = 0.35
    bias: Share = 0.1
    drift: Share = 0.48
    drift_time: Amount = 0.18
    speed: Amount = 0.35
    missing: Share = 0.025
    missing_time: Amount = 0.35
    limb: Share = 0.015
    limb_time: Amount = 3.0
    jump: Share = 0.016
    jump_time: Amount = 0.18
    swap: Share = 0.006
    swap_time: Amount = 0.16
    hidden: Share = 0.01
    hidden_time: Amount = 0.4
    offset: Amount = 0.0
    exact: Share = 0.0
    unscored: Share = 0.0


def landmarks(
    joints: Float[Tensor, "b t 28 3"], noise: DetectorNoise, generator: torch.Generator
) -> Float[Tensor, "b t 28 3"]:
    """Where each window's detector looks for joints.

    The places are offsets from the joints, metres.

    Args:
        joints: of CMU-28 in any right-handed frame, metres.
        noise: errors of the detector.
        generator: on the device of `joints`.
    """
    b, device = len(joints), joints.device
    both, own = torch.randn(2, b, len(CMU28), 3, generator=generator, device=device)
    mirrored = both[:, list(CMU28.flip_indices)] * joints.new_tensor([-1.0, 1.0, 1.0])
    right = torch.tensor([joint.startswith("right_") for joint in CMU28.joints], device=device)
    drawn = _ALIKE**0.5 * torch.where(right[:, None], mirrored, both) + (1 - _ALIKE) ** 0.5 * own
    drawn = noise.offset * drawn * joints.new_tensor(_OFFSETS)[:, None]
    return torch.einsum("btik,bjk->btji", pelvis_axes(joints), drawn)


def detect(
    pixels: Float[Tensor, "b t 28 2"],
    times: Float[Tensor, "b t"],
    image_size: Float[Tensor, "b 2"],
    noise: DetectorNoise,
    generator: torch.Generator,
) -> tuple[Float[Tensor, "b t 28 2"], Float[Tensor, "b t 28"]]:
    """Detections of exact projections: pixels and scores.

    Args:
        pixels: projections of the 28 joints of CMU-28; NaN where not visible.
        times: seconds.
        image_size: width and height, pixels; most joints outside the picture are missing.
        noise: errors of the detector.
        generator: on the device of `pixels`.

    Returns:
        Pixels, NaN for missing joints, and scores, 0 for missing joints.
    """
    b, t, j, _ = pixels.shape
    device = pixels.device

    def normal(*size: int) -> Tensor:
        return torch.randn(*size, generator=generator, device=device)

    def uniform(*size: int) -> Tensor:
        return torch.rand(*size, generator=generator, device=device)

    known = pixels.isfinite().all(-1)
    exact = torch.where(known[..., None], pixels, 0.0)
    extent = _extent(exact, known)  # (b, t)
    interval = _intervals(times)
    error = _error(exact, extent, times, noise, generator)

    rates = [noise.missing] * j + [noise.jump] * j + [noise.swap] * 2 + [noise.hidden]
    lasts = [noise.missing_time] * j + [noise.jump_time] * j + [noise.swap_time] * 2 + [noise.hidden_time]
    segments = _segments(
        uniform(b, t, len(rates)), interval, torch.tensor(rates).to(exact), torch.tensor(lasts).to(exact)
    )
    missing, jumping = segments[..., :j] | segments[..., -1:], segments[..., j : 2 * j]
    leg_swap, arm_swap = segments[..., 2 * j], segments[..., 2 * j + 1]

    # One wrong place for each joint and window, about a tenth of the body away.
    elsewhere = 0.08 * normal(b, 1, j, 2)
    error = error + elsewhere * jumping[..., None]
    found = exact + error * extent[..., None, None]
    found = _swap(_swap(found, leg_swap, _LEGS), arm_swap, _ARMS)
    swapped_known = _swap(_swap(known[..., None], leg_swap, _LEGS), arm_swap, _ARMS).squeeze(-1)

    inside = ((found >= 0) & (found < image_size[:, None, None])).all(-1)
    seen = swapped_known & ~missing & (inside | (uniform(b, t, j) < 0.1))

    # Scores are usually high, a little lower for a large error, and low for most jumps. Each window has its own
    # gain, because detectors differ in the level of their scores.
    score = 0.88 + 0.055 * normal(b, t, j) - error.norm(dim=-1).clamp(max=0.3)
    score = torch.where(jumping, 0.1 + 0.6 * uniform(b, t, j), score)
    score = score * (1 - 0.4 * uniform(b, 1, 1).square())
    if noise.limb > 0:
        count = len(_OUT_OF_SIGHT)
        rate, last = exact.new_full((count,), noise.limb), exact.new_full((count,), noise.limb_time)
        limbs = _segments(uniform(b, t, count), interval, rate, last)
        for part, joints in enumerate(_OUT_OF_SIGHT):
            seen[..., joints] &= ~limbs[..., part, None]
    if noise.exact > 0 or noise.unscored > 0:
        kind = uniform(b, 1, 1)
        right = kind < noise.exact
        inside = ((exact >= 0) & (exact < image_size[:, None, None])).all(-1)
        found, seen = torch.where(right[..., None], exact, found), torch.where(right, known & inside, seen)
        score = torch.where(kind < noise.exact + (1 - noise.exact) * noise.unscored, 1.0, score)
    return (
        torch.where(seen[..., None], found, torch.nan),
        torch.where(seen, score.clamp(0.02, 1.0), 0.0),
    )


def _error(
    exact: Float[Tensor, "b t j 2"],
    extent: Float[Tensor, "b t"],
    times: Float[Tensor, "b t"],
    noise: DetectorNoise,
    generator: torch.Generator,
) -> Float[Tensor, "b t j 2"]:
    """Errors of the joints, in sizes of the body.

    One part is constant, one drifts, one is new in each frame; all grow with the limb's speed.
    """
    b, t, j, _ = exact.shape

    def normal(*size: int) -> Tensor:
        return torch.randn(*size, generator=generator, device=exact.device)

    motion = exact.diff(dim=1, append=exact[:, -1:]).norm(dim=-1) / extent[..., None]
    step = times.diff(dim=1, append=times[:, -1:] + 1).clamp(min=1e-3)
    speed = (motion / step[..., None]).clamp(max=4.0)
    sigma = torch.tensor(_SIGMAS, device=exact.device) * (1 + noise.speed * speed)
    sigma = sigma * (noise.scale * torch.exp(noise.scale_spread * normal(b, 1, 1)))
    interval = _intervals(times)
    unit = noise.drift**0.5 * _drift(normal(b, t, j * 2), interval, noise.drift_time).view(b, t, j, 2)
    unit = unit + noise.bias**0.5 * normal(b, 1, j, 2)
    unit = unit + (1 - noise.bias - noise.drift) ** 0.5 * normal(b, t, j, 2)
    return unit * sigma[..., None]


def _intervals(times: Float[Tensor, "b t"]) -> Float[Tensor, "b t"]:
    """Seconds since the frame before; 0 for the first."""
    return times.diff(dim=1, prepend=times[:, :1]).clamp(min=0)


def _extent(pixels: Float[Tensor, "b t j 2"], known: Bool[Tensor, "b t j"]) -> Float[Tensor, "b t"]:
    """The longer side of each frame's box, pixels.

    The box is around the known joints; a side is at least 1.
    """
    low = torch.where(known[..., None], pixels, torch.inf).amin(2)
    high = torch.where(known[..., None], pixels, -torch.inf).amax(2)
    return (high - low).amax(-1).clamp(min=1.0)


def _drift(white: Float[Tensor, "b t c"], interval: Float[Tensor, "b t"], time: float) -> Float[Tensor, "b t c"]:
    """Ornstein-Uhlenbeck process of unit variance, driven by `white`.

    It forgets within the given time constant.
    """
    keep = torch.exp(-interval / time)[..., None]
    shocks = (1 - keep.square()).clamp(min=0).sqrt() * white
    values = [white[:, 0]]
    for k in range(1, white.shape[1]):
        values.append(torch.addcmul(shocks[:, k], keep[:, k], values[-1]))
    return torch.stack(values, 1)


def _segments(
    draws: Float[Tensor, "b t s"],
    interval: Float[Tensor, "b t"],
    rate: Float[Tensor, " s"],
    last: Float[Tensor, " s"],
) -> Bool[Tensor, "b t s"]:
    """Two-state processes, on for the share `rate` of time.

    They stay on for `last` seconds on average.
    """
    leave = 1 - torch.exp(-interval[..., None] / last)
    stays, enters = draws < 1 - leave, draws < leave * (rate / (1 - rate))
    states = [draws[:, 0] < rate]
    for k in range(1, draws.shape[1]):
        states.append(torch.where(states[-1], stays[:, k], enters[:, k]))
    return torch.stack(states, 1)


def _swap(values: Tensor, when: Bool[Tensor, "b t"], joints: list[int]) -> Tensor:
    """Values with left and right swapped in the frames `when`.

    (b, t, 28, c).
    """
    order = list(range(values.shape[2]))
    for joint in joints:
        order[joint] = CMU28.flip_indices[joint]
    return torch.where(when[..., None, None], values[:, :, order], values)
