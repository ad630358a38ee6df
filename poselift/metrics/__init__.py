"""Metrics of 3D and 2D poses: `functional` has them as pure functions, the classes here add up over batches.

The classes are torchmetrics metrics: their sums and counts are float64, are added over processes, and give NaN
while nothing counted. Metres (or pixels in 2D) in; millimetres, degrees or percent out, as each says.
"""

from poselift.metrics.angles import MJAE
from poselift.metrics.bones import BoneLengthError, BoneLengthVariation
from poselift.metrics.groups import PerGroup
from poselift.metrics.likelihood import CalibrationError, GaussianNLL, LaplaceNLL
from poselift.metrics.motion import MPJVE, AccelerationError, Jitter
from poselift.metrics.oks import OKS, OKSAP
from poselift.metrics.pck import PCK, PDJ, PCKh
from poselift.metrics.pck3d import AUC3D, PCK3D
from poselift.metrics.pcp import PCP
from poselift.metrics.position import EPE, MPJPE, MRPE, NMPJPE, PMPJPE
from poselift.metrics.trajectory import TrajectoryError

__all__ = [
    "AUC3D",
    "EPE",
    "MJAE",
    "MPJPE",
    "MPJVE",
    "MRPE",
    "NMPJPE",
    "OKS",
    "OKSAP",
    "PCK",
    "PCK3D",
    "PCP",
    "PDJ",
    "PMPJPE",
    "AccelerationError",
    "BoneLengthError",
    "BoneLengthVariation",
    "CalibrationError",
    "GaussianNLL",
    "Jitter",
    "LaplaceNLL",
    "PCKh",
    "PerGroup",
    "TrajectoryError",
]
