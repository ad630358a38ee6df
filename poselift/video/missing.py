"""Frames missing from a video of steady rate, by its timestamps."""

import statistics
from collections import Counter

_LEAST = 8
"""Fewest steps between frames that show a steady rate."""
_ODD = 10
"""One step in so many may differ from the usual one; in a video of variable rate, more do."""
_EVEN, _TICK = 0.1, 1.1e-3
"""How far a step may be from the usual one: its share, or seconds, as some containers count in milliseconds."""
_UNIT = 1e-4
"""Seconds to which steps are rounded, so that few different ones are kept of any length of video."""


class MissingFrames:
    """Notes the timestamps of a video, and tells where frames are missing."""

    def __init__(self) -> None:
        self._before: float | None = None
        self._steps: Counter[int] = Counter()
        self._first: dict[int, float] = {}

    def note(self, seconds: float) -> None:
        """Notes the time of the next frame."""
        if self._before is not None:
            step = round((seconds - self._before) / _UNIT)
            self._steps[step] += 1
            self._first.setdefault(step, self._before)
        self._before = seconds

    def line(self) -> str:
        """What is missing, if anything is and the rate is steady."""
        total = self._steps.total()
        if total < _LEAST:
            return ""
        median = statistics.median_low(self._steps.elements())
        if not median:  # most timestamps differ by a tick of the container only
            return ""
        odd = [step for step in self._steps if abs(step - median) > max(_EVEN * median, _TICK / _UNIT)]
        missing = {step: self._steps[step] * (round(step / median) - 1) for step in odd if step > 1.5 * median}
        if not missing or sum(self._steps[step] for step in odd) > max(1, total // _ODD):
            return ""
        count, places = sum(missing.values()), sum(self._steps[step] for step in missing)
        frames = "1 frame is" if count == 1 else f"{count} frames are"
        first = min(self._first[step] for step in missing)
        where = f"after {first:.2f} s" if places == 1 else f"{places} times, first after {first:.2f} s"
        return f"{frames} missing: the timestamps jump {where}"
