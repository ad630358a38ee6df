"""The shift between videos by sound: both have the same clap."""

import os

import av
import numpy as np
from jaxtyping import Float
from numpy import fft

from poselift.core.errors import InputError

_RATE = 8000
"""Samples a second that are listened to."""

_HOP = 0.001
"""Seconds from one value of the envelope to the next."""

_SMOOTH = 0.002
"""Standard deviation of the Gaussian over the envelope, seconds: echoes differ from place to place."""

_AROUND = 0.05
"""Seconds around the best shift in which no other shift counts as another one."""

_LEAST = 1.5
"""Least height of the best shift's peak over the next one's, for a shift that can be trusted."""

_WINDOW = 20.0
"""Seconds of each part of a long recording whose own shift tells the drift of the clock."""


class Sound:
    """The envelope of a video's sound.

    Attributes:
        start: seconds of the first value, on the clock of the video's pictures.
        onsets: rise of the logarithm of the loudness, for each `_HOP`.
    """

    def __init__(self, start: float, onsets: Float[np.ndarray, " n"]) -> None:
        self.start, self.onsets = start, onsets


def read_sound(path: str | os.PathLike[str]) -> Sound | None:
    """A video's sound; None without any, or if silent.

    Args:
        path: the video.

    Raises:
        InputError: the file cannot be opened.
    """
    try:
        with av.open(os.fspath(path)) as container:
            if not container.streams.audio:
                return None
            stream = container.streams.audio[0]
            resampler = av.AudioResampler(format="flt", layout="mono", rate=_RATE)
            parts, start = [], None
            for frame in container.decode(stream):
                if start is None:
                    known = frame.pts is not None and frame.time_base is not None
                    start = float(frame.pts * frame.time_base) if known else 0.0  # type: ignore[operator]
                parts += [piece.to_ndarray()[0] for piece in resampler.resample(frame)]
            parts += [piece.to_ndarray()[0] for piece in resampler.resample(None)]
        pictures = _first_picture(path)
    except (av.FFmpegError, OSError) as error:
        raise InputError(f"{path}: its sound cannot be read ({error}); give --offsets") from error
    samples = np.concatenate(parts).astype(np.float64) if parts else np.zeros(0)
    if len(samples) < _RATE // 2 or np.abs(samples).max() < 1e-4:
        return None
    return Sound((start or 0.0) - pictures, _find_onsets(samples))


def _first_picture(path: str | os.PathLike[str]) -> float:
    """Seconds of the first picture, where the pictures' clock starts."""
    with av.open(os.fspath(path)) as container:
        for packet in container.demux(video=0) if container.streams.video else ():
            if packet.pts is not None:
                return float(packet.pts * packet.time_base)
    return 0.0


def _find_onsets(samples: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
    """The rise of the loudness' logarithm. It does not depend on how far the sound is, and echoes only decay."""
    size = round(_HOP * _RATE)
    count = len(samples) // size
    energy = (samples[: count * size].reshape(count, size) ** 2).mean(1)
    floor = max(float(np.median(energy)), 1e-3 * float(energy.max()), 1e-12)
    radius = round(3 * _SMOOTH / _HOP)
    kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) * _HOP / _SMOOTH) ** 2)
    loud = np.log1p(np.convolve(energy, kernel / kernel.sum(), mode="same") / floor)
    return np.maximum(np.diff(loud, prepend=loud[:1]), 0.0)


def shift_by_sound(first: Sound, other: Sound) -> tuple[float, float, float] | None:
    """The other clock's offset, drift and doubt, or None.

    The offset's standard deviation; None if the sounds differ. Cross-correlates the onsets of both; a parabola through
    the peak gives fractions of `_HOP`. Long recordings are also compared in parts, whose shifts give the drift.

    Args:
        first: of the first video.
        other: of the other one.

    Returns:
        Offset in seconds, drift in seconds a second, spread in seconds: a time x of the other video is
        (1 + drift) x + offset of the first.
    """
    whole = _best_shift(first.onsets, other.onsets)
    if whole is None:
        return None
    offset = whole * _HOP + first.start - other.start
    size, begin = round(_WINDOW / _HOP), 0
    places, shifts = [], []
    while begin + size <= len(other.onsets):
        low = max(0, begin + round(whole) - 500)
        part = _best_shift(first.onsets[low : begin + round(whole) + size + 500], other.onsets[begin : begin + size])
        if part is not None:
            shift = (part + low - begin) * _HOP + first.start - other.start
            if abs(shift - offset) < 0.2:
                places.append((begin + size / 2) * _HOP + other.start)
                shifts.append(shift)
        begin += size
    drift = 0.0
    if len(places) >= 3:
        slope = np.array(
            [(shifts[b] - shifts[a]) / (places[b] - places[a]) for a in range(len(places)) for b in range(a)]
        )
        drift = float(np.median(slope))
        offset = float(np.median(np.array(shifts) - drift * np.array(places)))
    # Sound takes 3 ms for each metre, so two phones hear one clap at two times.
    return offset, drift, 0.008


def _best_shift(first: Float[np.ndarray, " n"], other: Float[np.ndarray, " m"]) -> float | None:
    """The lag of `other` in `first`, in hops, or None."""
    size = 1 << (len(first) + len(other)).bit_length()
    a, b = first - first.mean(), other - other.mean()
    if not a.any() or not b.any():
        return None
    product = fft.irfft(fft.rfft(a, size) * np.conj(fft.rfft(b, size)), size)
    lags = np.arange(size)
    lags[lags > size // 2] -= size
    best = int(product.argmax())
    apart = np.abs(lags - lags[best]) > _AROUND / _HOP
    if product[best] < _LEAST * max(product[apart].max(initial=0.0), 1e-12):
        return None
    left, middle, right = product[best - 1], product[best], product[(best + 1) % size]
    bend = left - 2 * middle + right
    return float(lags[best] + (0.5 * (left - right) / bend if bend < 0 else 0.0))
