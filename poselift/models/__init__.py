"""Lifters, the encoding of their input, and their weights: (batch, time, joint, channel) to (batch, time, joint, 3)."""

from poselift.models.encoding import Encoded, encode
from poselift.models.lifter import SpatioTemporalLifter
from poselift.models.sequence import lift_sequence
from poselift.models.weights import MODELS, Weights, load_weights, save_weights

__all__ = [
    "MODELS",
    "Encoded",
    "SpatioTemporalLifter",
    "Weights",
    "encode",
    "lift_sequence",
    "load_weights",
    "save_weights",
]
