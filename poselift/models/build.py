"""Which config builds which model."""

from collections.abc import Mapping
from typing import Any

from poselift.core.errors import InputError
from poselift.models.base import Lifter
from poselift.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from poselift.models.joint_tokens import JointTokenConfig, JointTokenTransformer
from poselift.models.lifter import LifterConfig, SpatioTemporalLifter
from poselift.models.martinez import SimpleBaseline, SimpleBaselineConfig
from poselift.models.model_config import ModelConfig, config_from_dict
from poselift.models.recurrent import RecurrentConfig, RecurrentLifter
from poselift.models.seq2seq import (
    BahdanauConfig,
    BahdanauLifter,
    LuongConfig,
    LuongLifter,
    PlainSequenceConfig,
    PlainSequenceLifter,
)
from poselift.models.tcn import TemporalConvolution, TemporalConvolutionConfig

MODELS: dict[type[ModelConfig], type[Lifter]] = {
    LifterConfig: SpatioTemporalLifter,
    EncoderDecoderConfig: EncoderDecoder,
    RecurrentConfig: RecurrentLifter,
    PlainSequenceConfig: PlainSequenceLifter,
    BahdanauConfig: BahdanauLifter,
    LuongConfig: LuongLifter,
    SimpleBaselineConfig: SimpleBaseline,
    TemporalConvolutionConfig: TemporalConvolution,
    JointTokenConfig: JointTokenTransformer,
}
"""The model of each config. Your own model: `MODELS[MyConfig] = MyLifter`, in the file that defines both."""


def build_model(config: ModelConfig) -> Lifter:
    """The model that the config describes, with random weights.

    Raises:
        InputError: the config is of no known model, or two of its values do not go together.

    Example:
        >>> type(build_model(RecurrentConfig(cell="gru", dim=8))).__name__
        'RecurrentLifter'
    """
    if type(config) not in MODELS:
        raise InputError(
            f"{type(config).__name__} is not the config of a model; choose a config from poselift.models, or add yours "
            "to poselift.models.MODELS"
        )
    return MODELS[type(config)](config)


def model_from_dict(name: str, config: Mapping[str, Any]) -> Lifter:
    """The model of this class name, from its config as data.

    Raises:
        InputError: there is no such model, or the config does not fit it.
    """
    for kind, model in MODELS.items():
        if model.__name__ == name:
            return model(config_from_dict(kind, config))
    raise InputError(f"unknown model {name!r}; known are {', '.join(model.__name__ for model in MODELS.values())}")
