"""Lifters, the encoding of their input, and their weights.

All take (batch, time, joint, channel) and return (batch, time, joint, 3). A config builds each of them:
`SpatioTemporalLifter(LifterConfig(depth=8))`, or `build_model(config)` for any config.
"""

from typing import TYPE_CHECKING

from poselift.core.on_demand import names_on_demand
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
    from poselift.models.seq2seq import (
        BahdanauConfig,
        BahdanauLifter,
        LuongConfig,
        LuongLifter,
        PlainSequenceConfig,
        PlainSequenceLifter,
    )
    from poselift.models.tcn import TemporalConvolution, TemporalConvolutionConfig

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
    "PlainSequenceConfig",
    "PlainSequenceLifter",
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


_HOMES = {
    "Encoded": "encoding",
    "Estimate": "base",
    "encode": "encoding",
    "lift_windows": "mirrored_windows",
    "save_weights": "lifter_files",
}
"""The module of each name that `build` does not know."""

if not TYPE_CHECKING:  # PyTorch is imported with these
    __getattr__ = names_on_demand(__name__, dict.fromkeys(set(__all__) - set(globals()), "build") | _HOMES)
