"""People in the dark.

A detector's joints are less exact there, although their scores may be high.
"""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.caution import Caution

_DARK = 100.0
"""Of 255. In the dark the brightest tenth of a person's box is darker: in eight clear clips it has 143 to 210, with 1/8
of the light 58 to 81."""
_BRIGHTEST = 90
"""Percentile of a box that counts: clothes and hair may be black."""
_SHARE = 0.3
"""Share of dark frames, of those that are examined, that triggers the warning."""
_PAUSE = 0.5
"""Seconds between two examined frames."""
_FINE = 64
"""Pixels along a box, at most, that are looked at."""


class Darkness:
    """Notes how bright the boxes of people are."""

    def __init__(self) -> None:
        self._next = -np.inf
        self._looks = self._dark = 0
        self._sum = 0.0

    def note(self, image: UInt8[np.ndarray, "h w 3"], boxes: Iterable[Float[np.ndarray, "4"]], time: float) -> None:
        """Looks at the people of a frame, twice a second.

        Args:
            image: RGB.
            boxes: around the people, pixels.
            time: of the frame, seconds.
        """
        if time < self._next:
            return
        for box in boxes:
            if not np.isfinite(box).all():
                continue
            left, top = np.maximum(box[:2], 0).astype(int).tolist()
            right, bottom = np.maximum(np.ceil(box[2:]), 0).astype(int).tolist()
            step = max(1, (bottom - top) // _FINE, (right - left) // _FINE)
            part = image[top:bottom:step, left:right:step]
            if not part.size:
                continue
            bright = float(np.percentile(part.mean(-1), _BRIGHTEST))
            self._next = time + _PAUSE
            self._looks += 1
            if bright < _DARK:
                self._dark += 1
                self._sum += bright

    def warnings(self) -> list[Caution]:
        """A line, if people are often in the dark."""
        if not self._dark or self._dark < _SHARE * self._looks:
            return []
        share, bright = self._dark / self._looks, self._sum / self._dark
        text = (
            f"people are in the dark in {share:.0%} of the pictures: the brightest tenth around them has {bright:.0f} "
            "of 255, usual pictures have 140; joints are less exact, so add light"
        )
        return [Caution(text, "input")]
