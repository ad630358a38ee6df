"""Lifters, the encoding of their input, and their weights: (batch, time, joint, channel) to (batch, time, joint, 3)."""

from poselift.models.base import Estimate, Lifter
from poselift.models.encoder_decoder import EncoderDecoder
from poselift.models.encoding import Encoded, encode
from poselift.models.joint_tokens import JointTokenTransformer
from poselift.models.lifter import SpatioTemporalLifter
from poselift.models.martinez import SimpleBaseline
from poselift.models.recurrent import RecurrentLifter
from poselift.models.seq2seq import BahdanauLifter, LuongLifter
from poselift.models.sequence import estimate_sequence, lift_sequence
from poselift.models.tcn import TemporalConvolution
from poselift.models.weights import MODELS, Weights, load_weights, save_weights

__all__ = [
    "MODELS",
    "BahdanauLifter",
    "Encoded",
    "EncoderDecoder",
    "Estimate",
    "JointTokenTransformer",
    "Lifter",
    "LuongLifter",
    "RecurrentLifter",
    "SimpleBaseline",
    "SpatioTemporalLifter",
    "TemporalConvolution",
    "Weights",
    "encode",
    "estimate_sequence",
    "lift_sequence",
    "load_weights",
    "save_weights",
]
