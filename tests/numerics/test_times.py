import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.numerics.times import check_intervals, check_rate, check_span, interpolate, median_interval

EVEN = np.arange(120) / 30


def bursts(size):
    """Thirty frames a second that come `size` at a time, a millisecond apart."""
    return EVEN[::size].repeat(size) + np.tile(np.arange(size), len(EVEN) // size) / 1000


@pytest.mark.parametrize("size", [2, 3, 5])
def test_frames_that_come_in_bursts_are_no_faster(size):
    assert median_interval(bursts(size)) == pytest.approx(1 / 30, rel=0.1)


def test_frames_that_a_clip_lacks_do_not_count():
    assert median_interval(np.delete(EVEN, slice(40, 80))) == pytest.approx(1 / 30)
    assert median_interval(np.delete(EVEN[:60], slice(12, 48))) == pytest.approx(1 / 30)
    pieces = np.concatenate([3 * piece + EVEN[:15] for piece in range(5)])
    assert median_interval(pieces) == pytest.approx(1 / 30)
    assert median_interval(np.array([0.0, 0.1, 0.2, 3.0, 3.1, 3.2])) == pytest.approx(0.1)


@pytest.mark.parametrize(
    "times",
    [
        np.append(EVEN, 9e9),
        np.append(np.arange(100_000) / 30, 9e9),
        np.array([0.0, 9e9]),
        EVEN * 1e6,
    ],
    ids=["one late frame", "after an hour", "two frames", "microseconds"],
)
def test_times_that_are_not_of_one_clip(times):
    with pytest.raises(InputError, match="too far apart for one clip; give seconds"):
        check_span(times)


@pytest.mark.parametrize(
    "times",
    [
        np.array([]),
        np.array([1.7e9]),
        np.concatenate([EVEN, EVEN + 12 * 3600]),
        np.append(EVEN, 95_443.7),
        EVEN * 1000,
        np.arange(5000) * 60.0,
    ],
    ids=["none", "one", "two takes", "MPEG-TS restarts", "milliseconds", "time lapse"],
)
def test_gaps_of_hours_are_fine(times):
    check_span(times)


@pytest.mark.parametrize(
    ("times", "rate"),
    [(1000 * EVEN, "0.03"), (EVEN / 60, "1800"), (2.0 * np.arange(5), "0.5")],
    ids=["milliseconds", "minutes", "slow"],
)
def test_rates_that_no_camera_has(times, rate):
    with pytest.raises(InputError, match=f"{rate} frames a second; give seconds"):
        check_intervals(times)


@pytest.mark.parametrize(
    "times",
    [
        EVEN,
        np.arange(9.0),
        np.arange(3000) / 1000,
        bursts(5)[:7],
        np.array([0.0, 0.04, 9.0, 20.0]),
        np.array([0.0, 3.0]),
    ],
    ids=["30", "1", "1000", "burst", "gaps", "two frames"],
)
def test_rates_that_cameras_have(times):
    check_intervals(times)


@pytest.mark.parametrize("rate", [0, 0.5, 1001, np.nan, "30"])
def test_what_is_no_rate(rate):
    with pytest.raises(InputError, match=r"fps is .*; give frames per second, from 1 to 1000"):
        check_rate(rate, "fps")


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_values_at_other_times_are_those_of_numpy(shape):
    rng = np.random.default_rng(0)
    times = np.sort(rng.uniform(0, 1, 20))
    wanted = np.concatenate([rng.uniform(-0.2, 1.2, 50), times])
    values = rng.normal(size=(20, *shape)).astype(np.float32)
    found = interpolate(values, times, wanted)
    expected = np.stack([np.interp(wanted, times, column) for column in values.reshape(20, -1).T], -1)
    assert found.dtype == values.dtype
    np.testing.assert_allclose(found.reshape(len(wanted), -1), expected, atol=1e-6)
    np.testing.assert_array_equal(found[50:], values)


def test_a_single_value_holds_everywhere():
    np.testing.assert_array_equal(interpolate(np.array([[2.0, 3.0]]), np.array([1.0]), np.arange(3.0)), [[2, 3]] * 3)


def test_no_value_lies_between_times_far_apart_or_beside_an_unknown_one():
    values, times = np.array([0.0, 1.0, 2.0, np.nan, 4.0]), np.array([0.0, 1.0, 4.0, 5.0, 6.0])
    found = interpolate(values, times, np.array([0.5, 1.0, 2.0, 4.0, 4.5, 6.0]), longest=2.0)
    np.testing.assert_array_equal(found, [0.5, 1, np.nan, 2, np.nan, 4])


def test_an_instant_met_but_for_rounding_needs_no_neighbour():
    found = interpolate(np.array([1.0, np.nan, 3.0]), np.arange(3.0), np.array([1e-9, 2 - 1e-9]))
    np.testing.assert_array_equal(found, [1, 3])
