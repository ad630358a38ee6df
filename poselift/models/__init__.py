"""Lifters, the encoding of their input, and their weights.

All take (batch, time, joint, channel) and return (batch, time, joint, 3). A config builds each of them:
`SpatioTemporalLifter(LifterConfig(depth=8))`, or `build_model(config)` for any config.
"""

import importlib
from typing import TYPE_CHECKING, Any

from poselift.models.saved_weights import Weights, load_weights

if TYPE_CHECKING:
    from poselift.models.base import Estimate, Lifter
    from poselift.models.build import MODELS, build_model
    from poselift.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
    from poselift.models.encoding import Encoded, encode
    from poselift.models.joint_tokens import JointTokenConfig, JointTokenTransformer
    from poselift.models.lifter import LifterConfig, SpatioTemporalLifter
    from poselift.models.lifter_files import save_weights
    from poselift.models.martinez import SimpleBaseline, SimpleBaselineConfig
    from poselift.models.mirrored_windows import lift_windows
    from poselift.models.model_config import ModelConfig
    from poselift.models.recurrent import RecurrentConfig, RecurrentLifter
    from poselift.models.seq2seq import BahdanauConfig, BahdanauLifter, LuongConfig, LuongLifter
    from poselift.models.tcn import TemporalConvolution, TemporalConvolutionConfig

_PLACES = {
    "BahdanauConfig": "seq2seq",
    "BahdanauLifter": "seq2seq",
    "Encoded": "encoding",
    "EncoderDecoder": "encoder_decoder",
    "EncoderDecoderConfig": "encoder_decoder",
    "Estimate": "base",
    "JointTokenConfig": "joint_tokens",
    "JointTokenTransformer": "joint_tokens",
    "Lifter": "base",
    "LifterConfig": "lifter",
    "LuongConfig": "seq2seq",
    "LuongLifter": "seq2seq",
    "MODELS": "build",
    "ModelConfig": "model_config",
    "RecurrentConfig": "recurrent",
    "RecurrentLifter": "recurrent",
    "SimpleBaseline": "martinez",
    "SimpleBaselineConfig": "martinez",
    "SpatioTemporalLifter": "lifter",
    "TemporalConvolution": "tcn",
    "TemporalConvolutionConfig": "tcn",
    "build_model": "build",
    "encode": "encoding",
    "lift_windows": "mirrored_windows",
    "save_weights": "lifter_files",
}
"""The module of each name that needs PyTorch, which is imported when the name is asked for."""

__all__ = [
    "MODELS",
    "BahdanauConfig",
    "BahdanauLifter",
    "Encoded",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "Estimate",
    "JointTokenConfig",
    "JointTokenTransformer",
    "Lifter",
    "LifterConfig",
    "LuongConfig",
    "LuongLifter",
    "ModelConfig",
    "RecurrentConfig",
    "RecurrentLifter",
    "SimpleBaseline",
    "SimpleBaselineConfig",
    "SpatioTemporalLifter",
    "TemporalConvolution",
    "TemporalConvolutionConfig",
    "Weights",
    "build_model",
    "encode",
    "lift_windows",
    "load_weights",
    "save_weights",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
