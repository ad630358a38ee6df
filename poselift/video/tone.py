"""Brightness of high dynamic range (HDR) pictures, brought into the usual range."""

import numpy as np
from jaxtyping import Float, UInt8

PQ, HLG = 16, 18
"""Numbers of the two transfer functions of HDR in ISO/IEC 23091-2: perceptual quantizer, and hybrid log-gamma, which
phones record."""

_WHITE, _PEAK = 203.0, 1000.0
"""Luminance in cd/m2 of white paper in HDR (ITU-R BT.2408), and the largest one of HLG's usual screen."""
_KNEE = 0.7
"""Share of white from which on luminance is compressed: highlights fade, faces and clothes keep their contrast."""


def to_usual(transfer: int) -> UInt8[np.ndarray, " 256"] | None:
    """The usual value of each value of an HDR picture.

    SMPTE ST 2084 gives the luminance of PQ, ITU-R BT.2100 that of HLG on a screen of 1000 cd/m2, here for each colour
    alone. Colours keep their primaries (BT.2020), so that they look paler than they were.

    Args:
        transfer: number of the transfer function.

    Returns:
        A table of 256 values; None for pictures that are not HDR.

    Example:
        >>> to_usual(PQ)[[0, 148, 192, 255]].tolist(), to_usual(HLG)[[0, 64, 128, 191, 255]].tolist()
        ([0, 243, 255, 255], [0, 72, 144, 243, 255])
    """
    luminance = {PQ: _luminance_of_pq, HLG: _luminance_of_hlg}.get(transfer)
    if luminance is None:
        return None
    light = luminance(np.arange(256) / 255) / _WHITE
    beyond = np.maximum(light - _KNEE, 0) / (1 - _KNEE)
    compressed = np.minimum(light, _KNEE) + (1 - _KNEE) * (1 - np.exp(-beyond))
    return np.clip(255 * compressed ** (1 / 2.4), 0, 255).round().astype(np.uint8)


def _luminance_of_pq(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """cd/m2 of values from 0 to 1 (SMPTE ST 2084)."""
    m1, m2, c1, c2, c3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
    power = values ** (1 / m2)
    return np.asarray(10000 * (np.maximum(power - c1, 0) / (c2 - c3 * power)) ** (1 / m1))


def _luminance_of_hlg(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Luminance of HLG, cd/m2, from values of 0 to 1.

    It is the inverse of HLG's camera curve, then its screen's gamma of 1.2.
    """
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    scene = np.where(values <= 0.5, values**2 / 3, (np.exp((values - c) / a) + b) / 12)
    return np.asarray(_PEAK * scene**1.2)
