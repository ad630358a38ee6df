"""Differences of measures between two groups of trials, with their doubt.

A measure of a trial is off by what the lifter and the detector do to it, and people do not walk twice alike. Both show
in repeated trials: `poselift.kinematics.repeatability` has the standard deviation of one trial of a person who does the
same again. Own repeated trials are joined with it, as so many more trials.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from poselift.core.errors import InputError
from poselift.kinematics.repeatability import FREEDOM, find_repeatability

_Z = 1.959964
"""Quantile of the normal distribution for the 95 % interval of each change."""

RELEVANT_DEGREES, RELEVANT_PERCENT, RELEVANT_SHARE = 5.0, 5.0, 0.1
"""Changes that matter: of angles 5 degrees, which gait laboratories take as the limit of a reasonable error (McGinley
et al., Gait & Posture 2009), of percentages 5 points, and of lengths, times and speeds a tenth."""

Verdict = Literal["changed", "no change larger than", "not shown"]


@dataclass(frozen=True)
class TrialMeasures:
    """The measures of one trial.

    Attributes:
        name: of the trial.
        measures: by name (`poselift.kinematics.measure_numbers`).
        person: whose trial it is; trials of one person are compared with each other.
        walking: whether the measures are those of a gait.
        why: says why they are not; empty for a gait.
    """

    name: str
    measures: Mapping[str, float]
    person: str = ""
    walking: bool = True
    why: str = ""


@dataclass(frozen=True)
class Change:
    """How a measure differs between two groups of trials.

    Attributes:
        measure: its name, which ends with its unit.
        before: mean of the first group.
        after: mean of the second one.
        half: half-width of the 95 % interval of the change.
        trials: number of trials before and after that have the measure.
        verdict: "changed" if the interval does not contain 0; "no change larger than" if all of it is smaller than what
            matters; otherwise "not shown".
    """

    measure: str
    before: float
    after: float
    half: float
    trials: tuple[int, int]
    verdict: Verdict

    @property
    def change(self) -> float:
        """After less before."""
        return self.after - self.before

    @property
    def bound(self) -> float:
        """The largest size of the change within its interval."""
        return abs(self.change) + self.half

    @property
    def clearness(self) -> float:
        """The change over its half-width; above 1 it is shown."""
        return abs(self.change) / self.half if self.half else 0.0


def compare_trials(before: Sequence[TrialMeasures], after: Sequence[TrialMeasures]) -> list[Change]:
    """Each measure's change between two groups of trials, clearest first.

    With several people, the change is the mean over people of each one's own change, and its doubt is at least that
    which their spread shows.

    Args:
        before: trials of one or several people, measured with the same settings.
        after: likewise; the same people.

    Raises:
        InputError: a group is empty, a person has trials in one group alone, walks are mixed with other movements, or
            the groups share no measure.
    """
    groups = before, after
    if not before or not after:
        raise InputError(f"{'the first' if not before else 'the second'} group has no trial; give at least one of each")
    people = [{trial.person for trial in group} for group in groups]
    if alone := sorted(people[0] ^ people[1]):
        raise InputError(
            f"{', '.join(alone) or 'an unnamed person'} has trials in one group alone; each person needs both"
        )
    kinds = {trial.walking for group in groups for trial in group}
    if len(kinds) > 1:
        still = next(trial for group in groups for trial in group if not trial.walking)
        why = still.why or "No whole stride."
        raise InputError(f"{still.name} is no walk, and other trials are; compare the same movement. {why}")
    walking = kinds.pop()
    names = [name for name in before[0].measures if find_repeatability(name, walking) is not None]
    found = [each for name in names if (each := _compare_measure(name, groups, walking)) is not None]
    if not found:
        raise InputError("the two groups share no measure; compare trials of the same skeleton and movement")
    return sorted(found, key=lambda each: -each.clearness)


def _compare_measure(
    name: str, groups: tuple[Sequence[TrialMeasures], Sequence[TrialMeasures]], walking: bool
) -> Change | None:
    """One measure's change; None if a person lacks it in a group."""
    values: list[dict[str, list[float]]] = []
    for group in groups:
        found: dict[str, list[float]] = defaultdict(list)
        for trial in group:
            if name in trial.measures:
                found[trial.person].append(trial.measures[name])
        values.append(found)
    people = sorted(values[0].keys() & values[1].keys())
    if not people:
        return None
    first, second = (np.array([np.mean(own[person]) for person in people]) for own in values)
    spread = find_repeatability(name, walking)
    assert spread is not None
    deviation = spread.of(float(np.mean([first.mean(), second.mean()])))
    squares, freedom = FREEDOM * deviation**2, float(FREEDOM)
    for own in values:
        for person in people:
            squares += float(np.sum((np.array(own[person]) - np.mean(own[person])) ** 2))
            freedom += len(own[person]) - 1
    variance = squares / freedom
    counts = [np.array([len(own[person]) for person in people]) for own in values]
    error = float(np.sqrt(variance * np.sum(1 / counts[0] + 1 / counts[1]))) / len(people)
    half = student(freedom) * error
    changes = second - first
    if len(people) > 1:
        between = float(changes.std(ddof=1)) / np.sqrt(len(people))
        half = max(half, student(float(len(people) - 1)) * between)
    change = float(changes.mean())
    return Change(
        name,
        float(first.mean()),
        float(second.mean()),
        half,
        (int(counts[0].sum()), int(counts[1].sum())),
        _judge(name, float(first.mean()), change, half),
    )


def _judge(name: str, before: float, change: float, half: float) -> Verdict:
    if abs(change) > half:
        return "changed"
    return "no change larger than" if abs(change) + half < relevant_size(name, before) else "not shown"


def relevant_size(name: str, before: float) -> float:
    """The size of a change that matters, in the measure's unit."""
    if name.endswith("_deg"):
        return RELEVANT_DEGREES
    if name.endswith("_percent"):
        return RELEVANT_PERCENT
    return RELEVANT_SHARE * abs(before)


def student(freedom: float) -> float:
    """The quantile of Student's distribution of a 95 % interval.

    By the expansion of Abramowitz and Stegun (26.7.5), which is within 0.3 % from 4 degrees of freedom on; the first
    three are their table's.

    Example:
        >>> round(student(10), 2)
        2.23
    """
    table = {1: 12.706, 2: 4.303, 3: 3.182}
    if freedom in table:
        return table[int(freedom)]
    z, n = _Z, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
