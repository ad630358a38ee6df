"""Score functions by name, for mechanisms that work with any of them."""

from poselift.nn.attention.activated_general import ActivatedGeneralAttention
from poselift.nn.attention.additive import AdditiveAttention
from poselift.nn.attention.biased_general import BiasedGeneralAttention
from poselift.nn.attention.deep import DeepAttention
from poselift.nn.attention.dot import DotAttention
from poselift.nn.attention.feature import FeatureAttention
from poselift.nn.attention.general import GeneralAttention
from poselift.nn.attention.kernel import KernelAttention
from poselift.nn.attention.location import LocationAttention
from poselift.nn.attention.pairwise import PairwiseAttention
from poselift.nn.attention.scaled_dot import ScaledDotAttention
from poselift.nn.attention.similarity import SimilarityAttention

SCORES: dict[str, type[PairwiseAttention]] = {
    "similarity": SimilarityAttention,
    "dot": DotAttention,
    "scaled_dot": ScaledDotAttention,
    "general": GeneralAttention,
    "biased_general": BiasedGeneralAttention,
    "activated_general": ActivatedGeneralAttention,
    "kernel": KernelAttention,
    "additive": AdditiveAttention,
    "deep": DeepAttention,
    "location": LocationAttention,
    "feature": FeatureAttention,
}
"""Mechanisms that differ only in their score function."""
