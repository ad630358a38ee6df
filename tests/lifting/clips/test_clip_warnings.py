from dataclasses import replace

import numpy as np
import pytest

from poselift.lifting.clips.clip_warnings import odd_rate, rare_people
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D


def test_a_warning_about_hundreds_of_people_stays_short():
    keypoints = Keypoints2D(np.ones((1, 17, 2)), np.ones((1, 17)), np.zeros(1), COCO17, (64, 48))
    [told] = rare_people([replace(keypoints, person=person) for person in range(1, 141)], 100)
    assert told.endswith("person 9 (1%), person 10 (1%), and 130 more")


@pytest.mark.parametrize(("fps", "warned"), [(5, True), (7, False), (60, False), (120, False), (240, True)])
def test_a_frame_rate_that_was_not_measured_is_named(fps, warned):
    warnings = odd_rate(1 / fps)
    assert [f"{fps} frames per second; lifters are made for 7 to 120" in text for text in warnings] == [True] * warned
    assert odd_rate(0.0) == []
