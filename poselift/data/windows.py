"""Random windows of motion from a corpus, at random frame rates."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from poselift.data.corpus import MotionCorpus


@dataclass(frozen=True)
class Windows:
    """A batch of windows of motion in the world.

    Attributes:
        joints: metres, relative to the pelvis, Y up; NaN where unknown.
        root: pelvis, metres, Y up.
        times: seconds from the first frame.
        valid: False for frames past the end of the clip.
    """

    joints: Float[Tensor, "b t j 3"]
    root: Float[Tensor, "b t 3"]
    times: Float[Tensor, "b t"]
    valid: Bool[Tensor, "b t"]


_RATES = 10.0, 60.0
"""Lowest and highest frame rate of windows, per second."""
_UNEVEN = 0.1
"""Share of windows with unevenly spaced frames, as phones record them."""


class WindowSampler:
    """Draws random windows, balanced between subjects.

    They have 10 to 60 frames a second.

    The share of a subject is the square root of its number of frames: a compromise between equal frames and equal
    subjects. Within a subject, the share of a clip is its length.

    Args:
        corpus: the motion.
        frames: frames per window.
        speed: largest factor by which motion is faster or slower than recorded.
        reverse: share of windows that play backwards.
    """

    def __init__(
        self,
        corpus: MotionCorpus,
        frames: int,
        speed: float = 1.25,
        reverse: float = 0.2,
    ) -> None:
        self.corpus, self.frames, self.speed, self.reverse = corpus, frames, speed, reverse
        lengths = corpus.clip_start.diff().double()
        per_subject: dict[str, float] = {}
        for subject, length in zip(corpus.subjects, lengths.tolist(), strict=True):
            per_subject[subject] = per_subject.get(subject, 0.0) + length
        totals = torch.tensor([per_subject[s] for s in corpus.subjects], dtype=torch.float64, device=corpus.device)
        self._weights = lengths * totals.rsqrt()

    def sample(self, count: int, generator: torch.Generator) -> Windows:
        """`count` random windows; the generator is on the corpus's device."""
        corpus, device = self.corpus, self.corpus.device

        def uniform(*size: int) -> Tensor:
            return torch.rand(*size, generator=generator, device=device)

        clip = torch.multinomial(self._weights, count, replacement=True, generator=generator)
        first = corpus.clip_start[clip]
        length = (corpus.clip_start[clip + 1] - first).float()
        low, high = torch.tensor(_RATES).log().tolist()  # rates are uniform in their logarithm
        interval = torch.exp(-(low + (high - low) * uniform(count)))  # seconds between frames
        speed = self.speed ** (2 * uniform(count) - 1)
        step = interval * speed * corpus.fps  # frames of the corpus between frames of the window
        span = step * (self.frames - 1)
        start = uniform(count) * (length - 1 - span).clamp(min=0)

        position = torch.arange(self.frames, device=device).float().expand(count, -1)
        uneven = (uniform(count) < _UNEVEN).float()
        position = position + 0.6 * (uniform(count, self.frames) - 0.5) * uneven[:, None]
        position[:, 0] = 0
        index = start[:, None] + step[:, None] * position
        valid = index <= length[:, None] - 1
        valid[:, 0] = True
        times = interval[:, None] * position

        # Only complete windows play backwards: the same frames in the opposite order.
        backwards = (uniform(count) < self.reverse) & valid.all(1)
        index = torch.where(backwards[:, None], index.flip(1), index)
        times = torch.where(backwards[:, None], times[:, -1:] - times.flip(1), times)

        index = torch.minimum(index, (length - 1)[:, None])
        return Windows(
            joints=_interpolate(corpus.joints, first, index),
            root=_interpolate(corpus.root, first, index),
            times=times,
            valid=valid,
        )


def _interpolate(
    values: Float[Tensor, "n *c"], first: Int[Tensor, " b"], index: Float[Tensor, "b t"]
) -> Float[Tensor, "b t *c"]:
    """Linearly interpolated values at fractional frame indices.

    Within clips that start at `first`.
    """
    low = index.floor()
    share = (index - low).view(*index.shape, *[1] * (values.ndim - 1))
    below = values[first[:, None] + low.long()]
    above = values[first[:, None] + index.ceil().long()]
    return below + (above - below) * share
