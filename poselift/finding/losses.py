"""People lost although nothing hid them inside the picture."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from poselift.core.caution import Caution
from poselift.finding.followed_person import Followed

_KNOWN = 0.5
"""Seconds for which somebody was followed, at least, to be missed."""
_EDGE = 0.1
"""Distance from the picture's edge within which people leave it, as a share of their size."""
_AGAIN = 4.0
"""Seconds within which somebody near the place is the one who was lost; longer gaps get no number back either."""
_BRIEF = 0.25
"""Seconds that nobody misses: such gaps are interpolated."""
_NAMED, _REMEMBERED = 5, 1000
"""Losses that a warning names, and that are kept; streams have no end."""


@dataclass
class _Loss:
    """Where and when somebody was lost, and when seen again. Times are in seconds, None if never."""

    box: Float[np.ndarray, "4"]
    last: float
    again: float | None = None


@dataclass
class Losses:
    """The people who were lost in the middle of the picture.

    Attributes:
        picture: its (width, height), pixels.
    """

    picture: tuple[int, int] = (0, 0)
    _all: list[_Loss] = field(default_factory=list)

    def lose(self, person: Followed, time: float) -> None:
        """Somebody is no longer followed from a time on, in seconds."""
        box = person.expected_box(time)
        near = _EDGE * person.size
        inside = (box[:2] > near).all() and (box[2:] < np.array(self.picture) - near).all()
        if inside and person.is_person and person.time - person.begun >= _KNOWN:
            self._all.append(_Loss(person.box, person.time))
            del self._all[:-_REMEMBERED]

    def find(self, person: Followed, time: float) -> None:
        """Somebody is followed from a time on, in seconds."""
        for loss in reversed(self._all):
            far = np.abs(person.box - loss.box).max() / max(1.0, float((loss.box[2:] - loss.box[:2]).max()))
            if loss.again is None and time - loss.last <= _AGAIN and far <= 1 + time - loss.last:
                loss.again = time
                return

    def warnings(self) -> list[Caution]:
        """A line, if somebody was lost."""
        gaps = [loss for loss in self._all if loss.again is None or loss.again - loss.last > _BRIEF]
        if not gaps:
            return []
        shown = [
            f"from {loss.last:.2f} s" + ("" if loss.again is None else f" to {loss.again:.2f} s")
            for loss in gaps[:_NAMED]
        ]
        more = f" and {len(gaps) - _NAMED} more times" if len(gaps) > _NAMED else ""
        text = f"somebody in the middle of the picture is not recognised: {', '.join(shown)}{more}"
        return [Caution(text, "missing")]
