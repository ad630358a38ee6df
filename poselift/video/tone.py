"""Brightness of high dynamic range (HDR) pictures, brought into the usual range."""

import numpy as np
from jaxtyping import UInt8

PQ = 16
"""Number of the transfer function "perceptual quantizer" in ISO/IEC 23091-2. The other one of HDR, hybrid log-gamma
(18), looks right without a conversion."""

_WHITE, _PEAK = 203.0, 1000.0
"""Luminance in cd/m2 of white paper in HDR (ITU-R BT.2408), and the one that becomes the brightest value."""


def pq_to_usual() -> UInt8[np.ndarray, " 256"]:
    """The usual value of each of PQ's 256 values.

    SMPTE ST 2084 gives the luminance. Reinhard et al. (Photographic tone reproduction for digital images, 2002,
    equation 4) compress it. Colours keep their primaries (BT.2020), so that they look paler than they were.

    Example:
        >>> pq_to_usual()[[0, 148, 192, 255]].tolist()
        [0, 194, 255, 255]
    """
    m1, m2, c1, c2, c3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
    power = (np.arange(256) / 255) ** (1 / m2)
    luminance = 10000 * (np.maximum(power - c1, 0) / (c2 - c3 * power)) ** (1 / m1) / _WHITE
    compressed = luminance * (1 + luminance / (_PEAK / _WHITE) ** 2) / (1 + luminance)
    return np.clip(255 * compressed ** (1 / 2.4), 0, 255).round().astype(np.uint8)
