"""How exactly the sound tells when each of two phones was started.

    python -m benchmarks.phone_sound [--seconds 8] [--seed 0]

Writes pairs of videos with one made sound (bursts of noise, as of steps and words, and one clap), each phone with its
own start, echo, loudness, noise and codec (AAC at 44.1 and 48 kHz), and with pictures at 29.97 and 60 frames a second.
The other phone starts 0.7 s earlier to 0.7 s later than the first one. `error` is that of the shift that
`poselift multiview` takes, ms; `said` its standard deviation.
"""

import tempfile
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from jaxtyping import Float

from benchmarks.command import command_line, print_table
from poselift.several_views.sound import read_sound, shift_by_sound

_RATE = 48000
_BEFORE = 1.0
"""Seconds of the made sound before the first phone starts."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    title = f"{options.seconds:g} s, seed {options.seed}"
    print_table(("started later by, s", "error, ms", "said, ms"), _rows(options.seconds, options.seed), title)


def _rows(seconds: float, seed: int) -> Iterator[list[str]]:
    sound = make_sound(seconds + 2 * _BEFORE, seed)
    with tempfile.TemporaryDirectory() as folder:
        first, other = Path(folder) / "first.mp4", Path(folder) / "other.mp4"
        write_phone(first, sound[round(_BEFORE * _RATE) :], seconds, Fraction(60), _RATE, seed + 1)
        for late in (-0.7, -0.31, -0.004, 0.0, 0.123, 0.45, 0.7):
            write_phone(
                other, sound[round((_BEFORE + late) * _RATE) :], seconds, Fraction(30000, 1001), 44100, seed + 2
            )
            a, b = read_sound(first), read_sound(other)
            shift = None if a is None or b is None else shift_by_sound(a, b)
            if shift is None:
                yield [f"{late:+.3f}", "not found", "-"]
            else:
                yield [f"{late:+.3f}", f"{1000 * (shift[0] - late):.1f}", f"{1000 * shift[2]:.0f}"]


def make_sound(seconds: float, seed: int) -> Float[np.ndarray, " n"]:
    """Bursts of noise at random times and one clap in the middle, 48,000 samples a second."""
    random = np.random.default_rng(seed)
    samples = 0.004 * random.normal(size=round(seconds * _RATE))
    places = [*random.uniform(0.1, seconds - 0.3, round(1.5 * seconds)), 0.5 * seconds]
    loudness = [*random.uniform(0.03, 0.12, len(places) - 1), 0.5]
    for place, loud in zip(places, loudness, strict=True):
        burst = loud * random.normal(size=_RATE // 10) * np.exp(-np.arange(_RATE // 10) / (0.02 * _RATE))
        first = round(place * _RATE)
        samples[first : first + len(burst)] += burst[: len(samples) - first]
    return samples


def write_phone(
    path: Path,
    sound: Float[np.ndarray, " n"],
    seconds: float,
    fps: Fraction,
    rate: int,
    seed: int,
    size: tuple[int, int] = (64, 64),
    frames: Sequence[np.ndarray] | None = None,
) -> None:
    """A video with the sound as one phone records it, and plain pictures or given ones.

    Args:
        path: of the video.
        sound: 48,000 samples a second from the start of the video on.
        seconds: of the video.
        fps: frames a second.
        rate: samples a second in the file.
        seed: of the phone's echo, loudness and noise.
        size: of the pictures, pixels.
        frames: the pictures, RGB; plain ones if None.
    """
    random = np.random.default_rng(seed)
    own = sound[: round(seconds * _RATE)] * random.uniform(0.3, 0.9)
    for _ in range(3):
        delay = random.integers(200, 3000)
        own[delay:] += random.uniform(0.1, 0.3) * own[:-delay].copy()
    own = own + 0.003 * random.normal(size=len(own))
    own = np.interp(np.arange(round(seconds * rate)) / rate, np.arange(len(own)) / _RATE, own)
    with av.open(path, "w") as container:
        pictures, track = container.add_stream("mpeg4", rate=fps), container.add_stream("aac", rate=rate)
        pictures.width, pictures.height = size
        track.layout = "mono"
        pictures.codec_context.qmax = 3  # hardly any loss
        plain = np.full((size[1], size[0], 3), 90, np.uint8)
        for index in range(int(seconds * fps) if frames is None else len(frames)):
            shown = av.VideoFrame.from_ndarray(plain if frames is None else frames[index], format="rgb24")
            shown.pts, shown.time_base = index, 1 / fps
            container.mux(pictures.encode(shown))
        container.mux(pictures.encode(None))
        for begin in range(0, len(own), 1024):
            frame = av.AudioFrame.from_ndarray(own[None, begin : begin + 1024].astype(np.float32), "fltp", "mono")
            frame.sample_rate, frame.pts, frame.time_base = rate, begin, Fraction(1, rate)
            container.mux(track.encode(frame))
        container.mux(track.encode(None))


if __name__ == "__main__":
    main()
