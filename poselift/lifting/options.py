"""How keypoints become motion; every command takes its defaults from here."""

from dataclasses import dataclass

from poselift.core.annotations import Count, check_call
from poselift.core.errors import InputError
from poselift.structures import THRESHOLD


@dataclass(frozen=True)
class LiftOptions:
    """Settings of `poselift.lifting.lift`.

    Attributes:
        threshold: keypoints with a lower score are not used.
        flip: average with the mirrored keypoints.
        refine: move joints towards the rays of their keypoints (reprojection refinement), and standing feet to one
            height (level feet).
        constant_bones: give each bone one length over the whole clip.
        window: frames in a window; None for that of the weights.
        every_frame: lift frames of long gaps too, also before the first and after the last keypoint. Evaluation sets
            it, because every frame of a benchmark counts; videos leave such frames empty.

    Raises:
        InputError: a value makes no sense.

    Example:
        >>> LiftOptions(flip=False).refine
        True
    """

    threshold: float = THRESHOLD
    flip: bool = True
    refine: bool = True
    constant_bones: bool = True
    window: Count | None = None
    every_frame: bool = False

    def __post_init__(self) -> None:
        """Checks the values."""
        check_call("", type(self), vars(self))
        if not 0 <= self.threshold <= 1:
            raise InputError(f"threshold={self.threshold} is not a score; give a number from 0 to 1")
