"""Exchanged sides, told by three frames at a time.

The likeliest signs of the differences are those that make them smooth.
"""

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.lifting.prepare.side_differences import (
    ACCELERATION,
    LONGEST,
    MOST,
    STRANGE,
    SideDifferences,
    cost,
    median_of_seen,
)

_NOISE = 0.012
"""Least error of a second difference, body lengths."""
_WIDER = 1.2
"""Error of second differences against their median."""
_RARE, _EACH, _FREQUENT = 7.0, 0.4, 2.0
"""Evidence for an exchange, as logarithm of a likelihood ratio: of the first one, more for each pair, because the
errors of a body's joints go together; and where a detector has many."""
_ROUNDS = 4
"""Times at most that the frequency of exchanges is estimated."""
_CLEAR = 3.0
"""Logarithm of the likelihood ratio to the next reading of a whole stretch from which on the first one is clear. Made
people have 0.5 at most where the first one is wrong, and 6 or more where it is right."""


def find_flips(sides: SideDifferences) -> Int[np.ndarray, " n"]:
    """1 where the differences change sign from the frame before, else 0."""
    return _read(_costs(sides), sides.apart.shape[1])[0]


def unclear_rows(sides: SideDifferences) -> Bool[np.ndarray, " n"]:
    """Rows of stretches that have another reading, almost as likely.

    The last frame has the other side in it.
    """
    costs, stretches = _costs(sides), sides.stretches
    flips, price = _read(costs, sides.apart.shape[1])
    unclear = np.zeros(len(flips), bool)
    for stretch in range(stretches[-1] + 1):
        inside = np.flatnonzero(stretches == stretch)
        first, end = inside[0], inside[-1] + 1
        if end - first > 2:
            unclear[inside] = _margin(costs[..., first : end - 2], flips[first + 1 : end], price) < _CLEAR
    return unclear


def _costs(sides: SideDifferences) -> Float[np.ndarray, "2 2 m"]:
    """Costs of the signs around each frame between two others.

    The axes say whether the step before the frame changes them, and whether the step after it does.
    """
    scores, steps = sides.scores, np.diff(sides.times)
    seen, before, after = scores > 0, steps[:-1, None], steps[1:, None]
    ratio = (after / before)[..., None]
    usable = seen[:-2] & seen[1:-1] & seen[2:] & (np.maximum(before, after) <= LONGEST)

    def bends(values: Float[np.ndarray, "n p 2"], u: int, v: int) -> Float[np.ndarray, "m p"]:
        """Second differences, with these signs of the outer frames."""
        a, b, c = (np.where(usable[..., None], part, 0.0) for part in (values[:-2], values[1:-1], values[2:]))
        return np.asarray(np.linalg.norm(v * c - (1 + ratio) * b + ratio * u * a, axis=-1))

    def against(
        off: Float[np.ndarray, "*k m p"], least: Float[np.ndarray, "m p"], acceleration: Float[np.ndarray, " p"] | float
    ) -> Float[np.ndarray, "*k m p"]:
        error = np.maximum(_NOISE, _WIDER * median_of_seen(least, usable)) + acceleration * before * after
        return cost((off / error) ** 2)

    # Where the first, the second, or both or none of the two steps change the sign.
    off = np.stack([bends(sides.apart, u, v) for u in (1, -1) for v in (1, -1)])
    each = against(off, off.min(0), sides.accelerations)
    lowest = each.min(0)
    aside = bends(sides.middles, 1, 1)
    left = STRANGE - lowest - against(aside, aside, ACCELERATION)
    each = np.minimum(each - lowest, left.clip(0.0))
    each[1:] += (-left).clip(0.0, MOST)
    weights = np.where(usable, np.minimum(np.minimum(scores[:-2], scores[1:-1]), scores[2:]), 0.0)
    return np.asarray((weights * each).sum(-1).reshape(2, 2, -1))


def _read(costs: Float[np.ndarray, "2 2 m"], pairs: int) -> tuple[Int[np.ndarray, " n"], float]:
    """The likeliest changes of signs, and the price of each."""
    price = rare = _RARE + _EACH * pairs
    flips = np.zeros(costs.shape[-1] + 2, int)
    for _ in range(_ROUNDS):
        flips[1:] = _cheapest(costs, price)
        share = max(flips.mean(), np.exp(-rare))
        if (new := float(np.clip(-np.log(share), _FREQUENT, rare))) == price:
            break
        price = new
    return flips, price


def _cheapest(costs: Float[np.ndarray, "2 2 m"], price: float) -> Int[np.ndarray, " k"]:
    """The cheapest changes of signs, by dynamic programming (Viterbi 1967).

    Args:
        costs: as of `_costs`.
        price: of each change.
    """
    paid = np.array([0.0, price])
    best, back = paid, np.zeros((costs.shape[-1], 2), int)
    for row, each in enumerate(np.moveaxis(costs, -1, 0)):
        total = best[:, None] + each + paid
        back[row], best = total.argmin(0), total.min(0)
    changes = [int(best.argmin())]
    for choice in back[::-1]:
        changes.append(int(choice[changes[-1]]))
    return np.array(changes[::-1])


def _margin(costs: Float[np.ndarray, "2 2 m"], flips: Int[np.ndarray, " k"], price: float) -> float:
    """Extra cost of a reading with the last frame exchanged.

    Args:
        costs: as of `_costs`.
        flips: the changes to compare with.
        price: of each change.
    """
    best = np.full((2, 2), np.inf)  # by the last change, and whether an odd number of changes differ from `flips`
    for change in (0, 1):
        best[change, change ^ flips[0]] = price * change
    for each, flip in zip(np.moveaxis(costs, -1, 0), flips[1:], strict=True):
        total = best[:, None] + each[..., None] + price * np.array([0.0, 1.0])[:, None]
        even, odd = total[:, flip], total[:, 1 - flip]
        best = np.empty((2, 2))
        best[flip], best[1 - flip] = even.min(0), odd.min(0)[::-1]
    return float(best[:, 1].min() - best[:, 0].min())
