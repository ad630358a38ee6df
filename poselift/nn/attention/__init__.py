"""Attention mechanisms, one in each file, behind the interface `poselift.nn.attention.mechanism.Attention`.

Every layer takes one `AttentionContext`. `ATTENTION` has the mechanisms by name. `build_attention` builds the layers of
a model from a name and options: `{"name": "general", "distribution": "sparsemax"}`.
"""

import inspect
from collections.abc import Mapping
from typing import Any

from poselift.core.annotations import check_value
from poselift.core.choices import choose
from poselift.core.errors import InputError
from poselift.nn.attention.adaptive_span import AdaptiveSpanAttention
from poselift.nn.attention.co_attention import CoAttention
from poselift.nn.attention.compositional import CompositionalAttention
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.fastformer import FastformerAttention
from poselift.nn.attention.fixed import FixedAttention
from poselift.nn.attention.fnet import FNetAttention
from poselift.nn.attention.hard import HardAttention
from poselift.nn.attention.hierarchical import HierarchicalAttention
from poselift.nn.attention.linformer import LinformerAttention
from poselift.nn.attention.local import LocalAttention
from poselift.nn.attention.local_monotonic import LocalMonotonicAttention
from poselift.nn.attention.local_predictive import LocalPredictiveAttention
from poselift.nn.attention.longformer import LongformerAttention
from poselift.nn.attention.lsh import LSHAttention
from poselift.nn.attention.mechanism import Attention
from poselift.nn.attention.multi_dimensional import MultiDimensionalAttention
from poselift.nn.attention.multi_representational import MultiRepresentationalAttention
from poselift.nn.attention.performer import PerformerAttention
from poselift.nn.attention.scaled_dot import ScaledDotAttention
from poselift.nn.attention.scores import SCORES
from poselift.nn.attention.shared import SharedAttention
from poselift.nn.attention.strided import StridedAttention
from poselift.nn.attention.transformer_xl import TransformerXLAttention

__all__ = [
    "ATTENTION",
    "Attention",
    "AttentionContext",
    "ScaledDotAttention",
    "attention_spec",
    "build_attention",
    "takes_rotation",
]

ATTENTION: dict[str, type[Attention]] = {
    **SCORES,
    "compositional": CompositionalAttention,
    "local_monotonic": LocalMonotonicAttention,
    "local_predictive": LocalPredictiveAttention,
    "hard": HardAttention,
    "co_attention": CoAttention,
    "multi_dimensional": MultiDimensionalAttention,
    "multi_representational": MultiRepresentationalAttention,
    "hierarchical": HierarchicalAttention,
    "local": LocalAttention,
    "strided": StridedAttention,
    "fixed": FixedAttention,
    "adaptive_span": AdaptiveSpanAttention,
    "longformer": LongformerAttention,
    "transformer_xl": TransformerXLAttention,
    "lsh": LSHAttention,
    "shared": SharedAttention,
    "linformer": LinformerAttention,
    "performer": PerformerAttention,
    "fnet": FNetAttention,
    "fastformer": FastformerAttention,
}
"""The mechanisms by name."""


def build_attention(
    spec: Mapping[str, Any] | str, dim: int, heads: int, depth: int, *, causal: bool = False, cross: bool = False
) -> list[Attention]:
    """Attention modules of a model, one for each layer.

    Example:
        >>> import torch
        >>> first, second = build_attention({"name": "general", "distribution": "sparsemax"}, dim=8, heads=2, depth=2)
        >>> tokens = torch.zeros(1, 5, 8)  # one sequence of five tokens
        >>> second(AttentionContext(tokens)).shape
        torch.Size([1, 5, 8])

    Args:
        spec: a name of `ATTENTION`, or a mapping of `name` and options.
        dim: width of the tokens.
        heads: number of heads.
        depth: number of layers.
        causal: a token sees only itself and earlier tokens.
        cross: queries come from the tokens, keys and values from a memory.

    Raises:
        InputError: no mechanism or option has this name, or the mechanism refuses an option.
    """
    options = attention_spec(spec)
    mechanism = ATTENTION[options.pop("name")]
    return list(mechanism.layers(depth, dim, heads, **options, causal=causal, cross=cross))


def attention_spec(spec: Mapping[str, Any] | str) -> dict[str, Any]:
    """The spec with all its options.

    For configs that outlive a change of defaults.

    Example:
        >>> attention_spec("local")
        {'name': 'local', 'block': 8, 'reach': 8}

    Args:
        spec: as in `build_attention`.

    Raises:
        InputError: no mechanism or option has this name, or an option is of the wrong kind.
    """
    given = {"name": spec} if isinstance(spec, str) else dict(spec)
    if "name" not in given:
        raise InputError(f"attention has the options {given} but no name; add name, one of {', '.join(ATTENTION)}")
    name = given.pop("name")
    known = _options(choose("attention", str(name), ATTENTION))
    for option, value in given.items():
        kind = choose(f"option of attention {name}", option, known).annotation
        given[option] = check_value(f"attention {name}: {option}", kind, value)
    options = {**{option: parameter.default for option, parameter in known.items()}, **given}
    # JSON knows no tuples.
    return {"name": name} | {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}


def takes_rotation(spec: Mapping[str, Any] | str) -> bool:
    """Whether the rotary position code enters the scores of the mechanism.

    Example:
        >>> takes_rotation("local_predictive"), takes_rotation({"name": "local_predictive", "score": "additive"})
        (True, False)

    Args:
        spec: as in `build_attention`.

    Raises:
        InputError: as in `attention_spec`.
    """
    options = attention_spec(spec)
    if "score" not in options:
        return ATTENTION[options["name"]].takes_rotation
    # A mechanism over a score function takes what turns its scores.
    score = choose("score function", options["score"], SCORES)
    return score.takes_rotation and score.turned_scores


def _options(mechanism: type[Attention]) -> dict[str, inspect.Parameter]:
    """Options of a mechanism and of its base classes."""
    found: dict[str, inspect.Parameter] = {}
    for base in mechanism.__mro__:
        if "__init__" not in vars(base):
            continue
        parameters = inspect.signature(vars(base)["__init__"]).parameters.values()
        for parameter in parameters:
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in ("causal", "cross"):
                found.setdefault(parameter.name, parameter)
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            break
    return found
