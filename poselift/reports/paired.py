"""The difference between two runs on the same sequences.

A paired bootstrap gives its interval.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import default_rng

from poselift.reports.protocols import PROTOCOLS

_SAMPLES = 10_000
"""Bootstrap samples: the ends of the interval are then steady to a few percent of its width."""
_FEWEST = 5
"""Sequences below which a bootstrap says nothing."""


class PairedDifference(NamedTuple):
    """The headline metric of one method minus that of another.

    Attributes:
        mean: over the sequences that both have, averaged as the protocol does.
        low: lower end of the 95 % interval.
        high: upper end of the 95 % interval.
        sequences: number of them.
    """

    mean: float
    low: float
    high: float
    sequences: int


def paired_difference(
    runs: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> PairedDifference | None:
    """How much larger some runs' headline metric is, by sequence.

    The other runs' metric is the reference.

    The sequences are drawn with replacement, the same ones for both sides (Efron and Tibshirani, "An introduction to
    the bootstrap", 1993, chapter 13: percentile interval). A sequence's value is the mean over the seeds of a side.

    Args:
        runs: contents of `metrics.json`, one for each seed.
        others: the same of the method to subtract.

    Returns:
        None if the runs share fewer than five sequences with a value.
    """
    sides = [[run["sequences"] for run in side] for side in (runs, others)]
    tables = [table for side in sides for table in side]
    names = [name for name in tables[0] if all(table.get(name, {}).get("mean") is not None for table in tables)]
    if len(names) < _FEWEST:
        return None
    first, second = (np.array([[table[name]["mean"] for name in names] for table in side]).mean(0) for side in sides)
    counts = np.array([tables[0][name]["count"] for name in names], float)
    groups = np.array([tables[0][name]["group"] for name in names])
    protocol = PROTOCOLS.get(runs[0]["protocol"])
    if protocol is not None and protocol.average == "frames":
        groups = np.full(len(names), "")
    drawn = default_rng(0).multinomial(len(names), np.full(len(names), 1 / len(names)), _SAMPLES)
    weights = np.concatenate((np.ones((1, len(names))), drawn)) * counts  # first the sequences as they are
    of_groups = []
    for group in dict.fromkeys(groups.tolist()):
        inside = weights[:, groups == group]
        total = inside.sum(1)
        # A group of which no sequence is drawn does not count.
        change = inside @ (first - second)[groups == group]
        of_groups.append(np.divide(change, total, out=np.full(len(total), np.nan), where=total > 0))
    mean, *sampled = np.nanmean(of_groups, 0)
    low, high = np.percentile(sampled, (2.5, 97.5))
    return PairedDifference(float(mean), float(low), float(high), len(names))
