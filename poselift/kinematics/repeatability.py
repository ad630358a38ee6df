"""Standard deviation of one trial's measures when a person does the same again."""

from dataclasses import dataclass

from poselift.skeleton.skeleton import strip_side

FREEDOM = 10
"""Degrees of freedom for which the standard deviations below stand, beside a person's own repeated trials."""


@dataclass(frozen=True)
class Repeatability:
    """Standard deviation of one trial.

    Attributes:
        deviation: in the unit of the measure, or as a share of it.
        share: whether it is a share.
    """

    deviation: float
    share: bool

    def of(self, value: float) -> float:
        """For a measure of this value, in its unit."""
        return self.deviation * abs(value) if self.share else self.deviation


def find_repeatability(name: str, walking: bool) -> Repeatability | None:
    """Of a measure by its name (`poselift.kinematics.measure_numbers`); None if it was never measured.

    Args:
        name: with or without its side.
        walking: whether it is of a gait.
    """
    kind = strip_side(name)
    deviation = (WALKING if walking else OTHERS).get(kind)
    if deviation is None:
        return None
    return Repeatability(deviation, not (kind.endswith(("_deg", "_percent")) or kind == "step_width_m"))


WALKING: dict[str, float] = {}
"""Of walks: children and CMU's people, filmed by cameras of different places (benchmarks/repeatability.py)."""

OTHERS: dict[str, float] = {}
"""Of other movements: a real person who repeats eleven actions, filmed by one camera (benchmarks/repeatability.py)."""
