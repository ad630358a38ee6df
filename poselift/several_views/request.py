"""The request of a run over several videos. Beyond what each video is lifted with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from poselift.core.errors import InputError
from poselift.core.safe_parsing import real_number

_FARTHEST = 3600.0
"""Seconds that two videos may start apart."""


@dataclass(frozen=True)
class ViewsRequest:
    """How several videos become one recording.

    Attributes:
        offsets: seconds by which each video after the first one started later than the first; found if None.
        fov: field of view of each camera, degrees, or one for all; assumed if None.
        intrinsics: fx, fy, cx, cy of each camera, pixels, or one for all.
        calibration: files of a calibration; the cameras are found from people if empty.
        own_world: whether the result lies in the calibration's world instead of one with Y up from the ground.

    Raises:
        InputError: a value makes no sense.
    """

    offsets: tuple[float, ...] | None = None
    fov: tuple[float, ...] | None = None
    intrinsics: tuple[tuple[float, float, float, float], ...] | None = None
    calibration: tuple[Path, ...] = ()
    own_world: bool = False

    def __post_init__(self) -> None:
        """Checks what does not depend on the videos."""
        for offset in self.offsets or ():
            number = real_number(offset)
            if number is None or not abs(number) <= _FARTHEST:
                raise InputError(f"an offset is {offset!r:.40}; give seconds, such as 0.42,-1.3")
        if self.calibration and (self.fov or self.intrinsics):
            raise InputError("a calibration and --fov or --intrinsics are both given; the calibration has the lenses")
        if self.own_world and not self.calibration:
            raise InputError("there is no calibration whose world could be taken; give --calibration FILE too")

    def starts(self, count: int) -> list[float] | None:
        """Each video's offset, 0 for the first; None to find them.

        Raises:
            InputError: there is another number of offsets.
        """
        if self.offsets is None:
            return None
        given = list(self.offsets)
        if len(given) == count - 1:
            given = [0.0, *given]
        if len(given) != count or given[0] != 0:
            raise InputError(
                f"{len(self.offsets)} offsets are given for {count} videos; give one for each video after the first"
            )
        return given


def one_each(values: "Sequence[object] | None", count: int, name: str) -> list:
    """One value for each video.

    The given ones, or the same for all.

    Raises:
        InputError: there is another number of values.
    """
    if values is None:
        return [None] * count
    if len(values) == 1:
        return list(values) * count
    if len(values) != count:
        raise InputError(f"{len(values)} values of {name} are given for {count} videos; give one, or one for each")
    return list(values)
