import numpy as np
import pytest

from poselift.lifting.prepare.gaps import (
    MAX_GAP,
    add_frames_between,
    choose_frames,
    fill_gaps,
    find_segments,
)


def without(frames, fps, *gaps):
    """Seen frames and times of a clip with gaps, from and to a second."""
    times = np.arange(frames) / fps
    seen = np.ones(frames, bool)
    for start, end in gaps:
        seen[(times > start - 1e-6) & (times < end - 1e-6)] = False
    return seen, times


def test_gaps_at_the_ends_are_no_part_of_a_segment():
    seen = np.array([0, 0, 1, 1, 0, 1, 1, 0, 0, 0], bool)
    assert find_segments(seen, np.arange(10) / 10.0, 0.1) == [(2, 7)]


@pytest.mark.parametrize(("gap", "pieces"), [(MAX_GAP - 0.05, 1), (MAX_GAP + 0.05, 2)])
def test_gaps_are_judged_in_seconds(gap, pieces):
    times = np.array([0.0, 0.1, 0.2, 0.2 + gap, 0.3 + gap])
    assert len(find_segments(np.array([1, 1, 0, 1, 1], bool), times, 0.1)) == pieces


def test_frames_that_the_clip_lacks_are_a_gap():
    """As a file of 2D keypoints has that leaves out frames with nobody in them."""
    times = np.array([0.0, 0.1, 0.2, 3.0, 3.1, 3.2])
    assert find_segments(np.ones(6, bool), times, 0.1) == [(0, 3), (3, 6)]
    assert find_segments(np.ones(1, bool), np.zeros(1), 0.0) == [(0, 1)]


def test_all_frames_are_lifted_where_all_are_seen():
    seen, times = without(50, 50)
    assert choose_frames(seen, times).tolist() == list(range(50))
    assert choose_frames(np.ones(1, bool), np.zeros(1)).tolist() == [0]


@pytest.mark.parametrize(("gap", "given"), [(0.1, 0), (0.18, 1), (0.3, 2), (0.5, 4), (0.98, 9)])
def test_gaps_get_a_frame_every_tenth_of_a_second(gap, given):
    seen, times = without(150, 50, (1.0, 1.0 + gap))
    lifted = choose_frames(seen, times)
    assert set(np.flatnonzero(seen)) <= set(lifted)
    assert (~seen[lifted]).sum() == given
    inside = times[lifted[(times[lifted] > 0.97) & (times[lifted] < 1.01 + gap)]]
    if given:
        np.testing.assert_allclose(np.diff(inside), 0.1, atol=0.03)


def moving(times):
    """Two joints on smooth paths, and their scores."""
    pixels = np.stack([np.stack([100 * times, 50 * times**2], -1), np.stack([300 - 40 * times, 0 * times], -1)], 1)
    return pixels, np.full(pixels.shape[:2], [0.9, 0.5])


@pytest.mark.parametrize("fps", [25, 50, 60])
@pytest.mark.parametrize("every", [2, 4])
def test_short_gaps_get_keypoints_on_a_curve(fps, every):
    times = np.arange(2 * fps + 1) / fps
    true, scores = moving(times)
    seen = np.arange(len(times)) % every == 0
    pixels, filled_scores = fill_gaps(
        np.where(seen[:, None, None], true, np.nan), np.where(seen[:, None], scores, 0), times
    )
    inside = slice(None, np.flatnonzero(seen)[-1] + 1)
    np.testing.assert_allclose(pixels[inside], true[inside], atol=0.5)
    np.testing.assert_array_equal(pixels[seen], true[seen])
    np.testing.assert_array_equal(filled_scores[inside], scores[inside])


def test_long_gaps_ends_and_frames_with_keypoints_stay_as_they_are():
    seen, times = without(100, 50, (0.0, 0.1), (0.5, 1.0), (1.9, 2.0))
    pixels, scores = moving(times)
    pixels[~seen], scores[~seen] = np.nan, 0
    pixels[70:75, 1], scores[70:75, 1] = np.nan, 0  # one joint hidden, the other seen
    filled, filled_scores = fill_gaps(pixels, scores, times)
    np.testing.assert_array_equal(filled, pixels)
    np.testing.assert_array_equal(filled_scores, scores)


def test_a_filled_joint_has_the_lower_score_of_its_neighbours():
    times = np.arange(9) / 50
    pixels, scores = moving(times)
    scores[:4], scores[4:6] = 0.4, 0
    pixels[4:6] = np.nan
    scores[:, 1], pixels[:, 1] = 0, np.nan  # never seen
    filled, filled_scores = fill_gaps(pixels, scores, times)
    np.testing.assert_allclose(filled_scores[4:6], [[0.4, 0], [0.4, 0]])
    assert np.isnan(filled[:, 1]).all()


@pytest.mark.parametrize(("fps", "parts"), [(25, 1), (15, 2), (10, 2), (4, 5)])
def test_a_slow_clip_gets_twenty_frames_a_second(fps, parts):
    times = np.arange(10) / fps
    true, scores = moving(times)
    pixels, between_scores, dense, given = add_frames_between(true, scores, times)
    assert given.tolist() == [k % parts == 0 for k in range(9 * parts + 1)]
    np.testing.assert_array_equal(dense[given], times)
    np.testing.assert_allclose(np.diff(dense), 1 / fps / parts, atol=1e-9)
    np.testing.assert_array_equal(pixels[given], true)
    np.testing.assert_allclose(pixels, moving(dense)[0], atol=1)
    np.testing.assert_array_equal(between_scores, scores[:1].repeat(len(dense), 0))


def test_no_frame_is_made_from_empty_ones():
    times = np.arange(6) / 10
    pixels, scores = moving(times)
    pixels[1:5], scores[1:5] = np.nan, 0
    assert add_frames_between(pixels, scores, times)[3].all()
    for frames in (0, 1):
        kept = add_frames_between(pixels[:frames], scores[:frames], times[:frames])
        assert [len(part) for part in kept] == [frames] * 4
