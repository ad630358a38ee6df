import pytest

from poselift.lifting.clips.clip_warnings import find_odd_rate


@pytest.mark.parametrize(("fps", "warned"), [(5, True), (7, False), (60, False), (120, False), (240, True)])
def test_a_frame_rate_that_was_not_measured_is_named(fps, warned):
    warnings = find_odd_rate(1 / fps)
    assert [f"{fps} frames per second; lifters are made for 7 to 120" in text for text in warnings] == [True] * warned
    assert find_odd_rate(0.0) == []
