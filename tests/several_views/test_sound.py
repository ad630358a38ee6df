from fractions import Fraction

import numpy as np
import pytest

from benchmarks.phone_sound import make_sound, write_phone
from poselift.several_views.sound import Sound, _find_onsets, read_sound, shift_by_sound
from poselift.video import VideoWriter


def talk(seconds, seed=0):
    """Bursts of noise at random times, 8000 samples a second."""
    random = np.random.default_rng(seed)
    samples = 0.01 * random.normal(size=int(8000 * seconds))
    for start in random.uniform(0.2, seconds - 0.2, int(2 * seconds)):
        first = int(8000 * start)
        samples[first : first + 400] += random.normal(size=400) * np.exp(-np.arange(400) / 120) * random.uniform(0.3, 1)
    return samples


def heard(samples, delay, seed, gain=1.0):
    """The sound of a recorder that started so many seconds later, with noise and an echo of its own."""
    random = np.random.default_rng(seed)
    own = samples[round(8000 * delay) :].copy() * gain
    own[240:] += 0.4 * own[:-240]
    return Sound(0.0, _find_onsets(own + 0.01 * random.normal(size=len(own))))


@pytest.mark.parametrize("delay", [0.0, 0.4321, 0.0055])
def test_the_shift_is_found(delay):
    samples = talk(8.0)
    offset, drift, spread = shift_by_sound(heard(samples, 0.0, 1), heard(samples, delay, 2, 0.3))
    assert offset == pytest.approx(delay, abs=0.002)
    assert drift == 0.0
    assert 0 < spread < 0.02


def test_the_drift_of_a_long_take_is_found():
    samples, drift = talk(120.0), 2e-4
    place = np.arange(int(len(samples) / (1 + drift))) * (1 + drift)
    other = np.interp(place, np.arange(len(samples)), samples)
    offset, found, _ = shift_by_sound(heard(samples, 0.0, 1), heard(other, 0.0, 2))
    assert found == pytest.approx(drift, rel=0.2)
    assert offset == pytest.approx(0.0, abs=0.003)


def test_other_sound_gives_no_shift():
    assert shift_by_sound(heard(talk(8.0), 0.0, 1), heard(talk(8.0, seed=5), 0.0, 2)) is None


@pytest.mark.parametrize("late", [-0.7, 0.41])
def test_the_sound_of_videos_of_other_rates(tmp_path, late):
    sound, first, other = make_sound(6.0, 0), tmp_path / "first.mp4", tmp_path / "other.mp4"
    write_phone(first, sound[48000:], 4.0, Fraction(60), 48000, 1)
    write_phone(other, sound[round(48000 * (1 + late)) :], 4.0, Fraction(30000, 1001), 44100, 2)
    offset, drift, _ = shift_by_sound(read_sound(first), read_sound(other))
    assert offset == pytest.approx(late, abs=0.003)
    assert drift == 0.0


def test_a_video_without_sound(tmp_path):
    with VideoWriter(tmp_path / "silent.mp4", 64, 64) as writer:
        writer.write(np.zeros((64, 64, 3), np.uint8), 0.0)
    assert read_sound(tmp_path / "silent.mp4") is None
