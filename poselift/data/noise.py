"""2D keypoints as a detector gives them, from exact projections.

A detector's error is not white: it drifts, it grows with the speed of the limb, legs and arms change places
for a while, a joint jumps to another place or is not found for a spell, and scores tell the truth only roughly.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.skeleton import CMU28

_SIGMA = {
    "pelvis": 0.010,
    "hip": 0.010,
    "knee": 0.010,
    "ankle": 0.014,
    "spine": 0.010,
    "thorax": 0.010,
    "neck_base": 0.010,
    "head_top": 0.010,
    "shoulder": 0.010,
    "elbow": 0.013,
    "wrist": 0.0155,
    "big_toe": 0.015,
    "heel": 0.015,
    "hand": 0.019,
    "nose": 0.006,
    "eye": 0.005,
    "ear": 0.007,
}
"""Standard deviation of the error along one axis, as a share of the body's extent in the picture."""

_SIGMAS = [_SIGMA[joint.removeprefix("left_").removeprefix("right_")] for joint in CMU28.joints]
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
"""What is hidden together, by furniture or the picture's edge: an arm, a leg, all below the waist."""


@dataclass(frozen=True)
class DetectorNoise:
    """How wrong the detector is.

    Attributes:
        scale: of all errors; each window draws its own factor around it.
        scale_spread: standard deviation of the log of that factor.
        bias: share of the error's variance that stays for the whole window: a detector's joint is not quite the
            corpus's.
        drift: share that drifts; the rest is new in each frame.
        drift_time: time constant of the drift, seconds.
        speed: growth of the error with speed: factor 1 + speed x (body extents per second).
        missing: share of joints not found, in spells of `missing_time` seconds.
        missing_time: see above.
        limb: share of time that an arm is not found at all, that a leg is not, and that nothing below the waist is,
            each in spells of `limb_time` seconds.
        limb_time: see above.
        jump: share of joints that sit somewhere else, in spells of `jump_time` seconds.
        jump_time: see above.
        swap: share of time that the legs, and that the arms, have changed places.
        swap_time: seconds.
        hidden: share of time that nobody is found at all.
        hidden_time: seconds.
        exact: share of windows in which nothing is wrong and all scores are 1: projected markers.
        unscored: share of the others in which all scores are 1 as well: a detector that gives none.
    """

    scale: float = 0.9
    scale_spread: float = 0.35
    bias: float = 0.1
    drift: float = 0.48
    drift_time: float = 0.18
    speed: float = 0.35
    missing: float = 0.025
    missing_time: float = 0.35
    limb: float = 0.015
    limb_time: float = 3.0
    jump: float = 0.016
    jump_time: float = 0.18
    swap: float = 0.006
    swap_time: float = 0.16
    hidden: float = 0.01
    hidden_time: float = 0.4
    exact: float = 0.0
    unscored: float = 0.0


def detect(
    pixels: Float[Tensor, "b t 28 2"],
    times: Float[Tensor, "b t"],
    image_size: Float[Tensor, "b 2"],
    noise: DetectorNoise,
    generator: torch.Generator,
) -> tuple[Float[Tensor, "b t 28 2"], Float[Tensor, "b t 28"]]:
    """What a detector makes of exact projections.

    Args:
        pixels: of the CMU corpus's 28 joints; NaN where not in sight.
        times: seconds.
        image_size: width and height, pixels; a joint outside the picture is not found.
        noise: how wrong the detector is.
        generator: on the device of `pixels`.

    Returns:
        Pixels, NaN where not found, and scores, 0 there.
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
    interval = times.diff(dim=1, prepend=times[:, :1]).clamp(min=0)

    # Error: part stays, part drifts, part is new in each frame; more of it where the limb is fast.
    motion = exact.diff(dim=1, append=exact[:, -1:]).norm(dim=-1) / extent[..., None]
    step = times.diff(dim=1, append=times[:, -1:] + 1).clamp(min=1e-3)
    speed = (motion / step[..., None]).clamp(max=4.0)
    sigma = torch.tensor(_SIGMAS, device=device) * (1 + noise.speed * speed)
    sigma = sigma * (noise.scale * torch.exp(noise.scale_spread * normal(b, 1, 1)))
    unit = noise.drift**0.5 * _drift(normal(b, t, j * 2), interval, noise.drift_time).view(b, t, j, 2)
    unit = unit + noise.bias**0.5 * normal(b, 1, j, 2)
    unit = unit + (1 - noise.bias - noise.drift) ** 0.5 * normal(b, t, j, 2)

    rates = [noise.missing] * j + [noise.jump] * j + [noise.swap] * 2 + [noise.hidden]
    lasts = [noise.missing_time] * j + [noise.jump_time] * j + [noise.swap_time] * 2 + [noise.hidden_time]
    spells = _spells(uniform(b, t, len(rates)), interval, torch.tensor(rates).to(exact), torch.tensor(lasts).to(exact))
    missing, jumping = spells[..., :j] | spells[..., -1:], spells[..., j : 2 * j]
    leg_swap, arm_swap = spells[..., 2 * j], spells[..., 2 * j + 1]

    # One other place for each joint and window, about a tenth of the body away.
    elsewhere = 0.08 * normal(b, 1, j, 2)
    error = unit * sigma[..., None] + elsewhere * jumping[..., None]
    found = exact + error * extent[..., None, None]
    found = _swap(_swap(found, leg_swap, _LEGS), arm_swap, _ARMS)
    swapped_known = _swap(_swap(known[..., None], leg_swap, _LEGS), arm_swap, _ARMS).squeeze(-1)

    inside = ((found >= 0) & (found < image_size[:, None, None])).all(-1)
    seen = swapped_known & ~missing & (inside | (uniform(b, t, j) < 0.1))

    # Scores: high in general, a little lower where the error is large, low for most jumps. Detectors differ in
    # how high theirs are, so each window has its own gain.
    score = 0.88 + 0.055 * normal(b, t, j) - error.norm(dim=-1).clamp(max=0.3)
    score = torch.where(jumping, 0.1 + 0.6 * uniform(b, t, j), score)
    score = score * (1 - 0.4 * uniform(b, 1, 1).square())
    if noise.limb > 0:
        count = len(_OUT_OF_SIGHT)
        rate, last = exact.new_full((count,), noise.limb), exact.new_full((count,), noise.limb_time)
        limbs = _spells(uniform(b, t, count), interval, rate, last)
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


def _extent(pixels: Float[Tensor, "b t j 2"], known: Bool[Tensor, "b t j"]) -> Float[Tensor, "b t"]:
    """The longer side of the box around the known joints of each frame, pixels; at least 1."""
    low = torch.where(known[..., None], pixels, torch.inf).amin(2)
    high = torch.where(known[..., None], pixels, -torch.inf).amax(2)
    return (high - low).amax(-1).clamp(min=1.0)


def _drift(white: Float[Tensor, "b t c"], interval: Float[Tensor, "b t"], time: float) -> Float[Tensor, "b t c"]:
    """An Ornstein-Uhlenbeck process of unit variance and the given time constant, driven by `white`."""
    keep = torch.exp(-interval / time)[..., None]
    shocks = (1 - keep.square()).clamp(min=0).sqrt() * white
    values = [white[:, 0]]
    for k in range(1, white.shape[1]):
        values.append(torch.addcmul(shocks[:, k], keep[:, k], values[-1]))
    return torch.stack(values, 1)


def _spells(
    draws: Float[Tensor, "b t s"],
    interval: Float[Tensor, "b t"],
    rate: Float[Tensor, " s"],
    last: Float[Tensor, " s"],
) -> Bool[Tensor, "b t s"]:
    """Two-state processes that are on for the share `rate` of the time, `last` seconds at a time."""
    leave = 1 - torch.exp(-interval[..., None] / last)
    stays, enters = draws < 1 - leave, draws < leave * (rate / (1 - rate))
    states = [draws[:, 0] < rate]
    for k in range(1, draws.shape[1]):
        states.append(torch.where(states[-1], stays[:, k], enters[:, k]))
    return torch.stack(states, 1)


def _swap(values: Tensor, when: Bool[Tensor, "b t"], joints: list[int]) -> Tensor:
    """Left and right of some joints changed in some frames; values (b, t, 28, c)."""
    order = list(range(values.shape[2]))
    for joint in joints:
        order[joint] = CMU28.flip_indices[joint]
    return torch.where(when[..., None, None], values[:, :, order], values)
