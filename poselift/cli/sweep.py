"""The jobs of a sweep (-m), named by their differences."""

import re
from collections import Counter
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

_LONGEST = 150
"""Letters of a name: it becomes that of a file, which may have 255 bytes with its ending."""


def in_sweep() -> bool:
    """Whether this is a job of a sweep."""
    return HydraConfig.initialized() and bool(HydraConfig.get().mode == RunMode.MULTIRUN)


def name_in_sweep(name: str) -> str:
    """This job's name: the run's, and the values that differ.

    Seeds do not count, because a table has one row for all of them.
    """
    return make_name(name, list(HydraConfig.get().overrides.task), _fixed_keys())


def _fixed_keys() -> set[str]:
    """The keys to which the command line gives one value.

    Hydra's own sweeper writes the command line beside the jobs; Optuna's has the keys that it searches in its config.
    """
    searched = HydraConfig.get().sweeper.get("params")
    if searched:
        return {line.lstrip("+").partition("=")[0] for line in HydraConfig.get().overrides.task} - set(searched)
    path = Path(HydraConfig.get().sweep.dir) / "multirun.yaml"
    try:
        given = list(OmegaConf.load(path).hydra.overrides.task)
        parsed = OverridesParser.create().parse_overrides(given)
    except (OSError, OmegaConfBaseException, HydraException, AttributeError):
        return set()
    return {each.get_key_element().lstrip("+") for each in parsed if not each.is_sweep_override()}


def make_name(name: str, overrides: list[str], fixed: set[str]) -> str:
    """A run's name with its job's overrides that are not fixed.

    Example:
        >>> make_name("first", ["steps=9", "optimizer.lr=0.001", "model/attention=dot", "seed=2"], {"steps"})
        'first_lr_0.001_attention_dot'
    """
    given = [line.lstrip("+").partition("=") for line in overrides]
    varied = [(key, value) for key, _, value in given if key not in fixed and key not in ("seed", "name")]
    lasts = Counter(re.split(r"[./@]", key)[-1] for key, _ in varied)
    words = [name]
    for key, value in varied:
        last = re.split(r"[./@]", key)[-1]
        words += [last if lasts[last] == 1 else key, value]
    return re.sub(r"[^\w.+-]+", "-", "_".join(words))[:_LONGEST]
