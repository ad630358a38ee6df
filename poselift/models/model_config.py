"""The arguments that build a model: one frozen dataclass for each model.

A config checks its values when it is made, so Hydra, Python and the JSON of saved weights raise the same errors.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeVar

from poselift.core.annotations import check_value
from poselift.core.errors import InputError
from poselift.nn.attention import attention_spec
from poselift.skeleton import CMU28, H36M17

AttentionSpec = Mapping[str, Any] | str
"""An attention mechanism by its name, or a mapping of its name and options (`poselift.nn.attention.build_attention`).

A config keeps the mapping with every option.
"""

_LARGEST = 1 << 14
"""Largest number in a config: width, heads, frames."""
DEEPEST = 128
"""Largest number of blocks, which are built one by one."""

Size = Annotated[int, 1, _LARGEST]
"""A width, or a number of heads or frames; the numbers are the smallest and the largest value."""
Depth = Annotated[int, 0, DEEPEST]
"""A number of blocks."""


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """Base of the configs.

    Attributes:
        skeleton_in: name of the input skeleton.
        skeleton_out: name of the output skeleton; its first joint is the root.

    Raises:
        InputError: a value is of the wrong kind or is not among the choices.
    """

    skeleton_in: str = CMU28.name
    skeleton_out: str = H36M17.name

    # Users give these values: `__post_init__` checks them, also in tests, where jaxtyping would come first.
    __no_type_check__ = True

    def __post_init__(self) -> None:
        """Checks all values, and completes attention mechanisms.

        Whole numbers become floats where needed.
        """
        for field in fields(self):
            object.__setattr__(self, field.name, _check(field.name, field.type, getattr(self, field.name)))


Config = TypeVar("Config", bound=ModelConfig)


def config_from_dict(kind: type[Config], values: Mapping[str, Any]) -> Config:
    """The config that `dataclasses.asdict` turned into these values.

    Args:
        kind: class of the config.
        values: all fields by name.

    Raises:
        InputError: a key is unknown or missing, or a value is wrong.
    """
    known = [field.name for field in fields(kind)]
    if unknown := [str(key) for key in values if key not in known]:
        raise InputError(f"unknown key {unknown[0]!r} in the config; remove it; known are {', '.join(known)}")
    if missing := [key for key in known if key not in values]:
        raise InputError(f"key {missing[0]!r} is missing in the config; add it")
    return kind(**values)


def _check(key: str, kind: Any, value: Any) -> Any:
    """The value as its field needs it.

    Raises InputError if it does not fit.
    """
    if kind == AttentionSpec:
        if not isinstance(value, str | Mapping):
            raise InputError(f"{key}={value} must be the name of an attention mechanism, or its name and options")
        spec = attention_spec(value)
        for option, given in spec.items():
            if isinstance(given, int | float) and not abs(given) <= _LARGEST:
                raise InputError(f"{key}.{option}={given} must be a number up to {_LARGEST}")
        return spec
    return check_value(key, Annotated[kind, -_LARGEST, _LARGEST] if kind in (int, float) else kind, value)
