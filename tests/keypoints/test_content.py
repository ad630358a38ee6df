from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import KeypointFile, Observation
from poselift.keypoints.content import frames_by_time
from poselift.skeleton import COCO17


def observation(points, person=None, **more):
    return Observation(points[:, :2], points[:, 2], person, **more)


def file_of(frames, kind="coco"):
    return KeypointFile(Path("clip.json"), kind, COCO17, frames)


def detect(file, size):
    return file.detections(file.fit(size))


def test_what_is_not_found_or_not_finite_is_unseen(body):
    points = body()
    points[1, 2], points[2, 0], points[3, 2] = 0, np.nan, 2.5
    found = detect(file_of({4: [observation(points)]}), (640, 480))[4]
    assert np.isnan(found.keypoints[0, [1, 2]]).all()
    np.testing.assert_array_equal(found.scores[0, :4], [points[0, 2], 0, 0, 1])
    seen = np.delete(points, [1, 2], 0)
    np.testing.assert_array_equal(found.boxes[0], [*seen[:, :2].min(0), *seen[:, :2].max(0)])
    assert found.box_scores[0] == pytest.approx(seen[:, 2].clip(0, 1).mean())


@pytest.mark.parametrize("score", [0.0, 0.5])
def test_infinite_coordinates_are_refused(body, score):
    points = body()
    points[3] = np.inf, 5, score
    with pytest.raises(InputError, match=r"clip\.json: a coordinate in frame 2 is infinite; leave undetected joints"):
        file_of({1: [observation(body())], 2: [observation(points)]}).drop_unseen_people()


def test_shapes_that_do_not_fit_are_refused(body):
    with pytest.raises(InputError, match=r"points and scores are \(17, 2\) and \(16,\); give arrays of"):
        Observation.__post_init__(SimpleNamespace(points=np.ones((17, 2)), scores=np.ones(16)))
    with pytest.raises(InputError, match="somebody in frame 2 has 26 joints, but coco17 has 17; write the file again"):
        file_of({2: [observation(body()), observation(body(26))]})


def test_numbers_of_people(body):
    a, b = body(17, 1), body(17, 2)
    assert file_of({0: [observation(a, "7")], 1: [observation(b, "2")]}).people == {"7": 7, "2": 2}
    assert file_of({3: [observation(a, "x")], 1: [observation(b, "y")]}).people == {"y": 1, "x": 2}
    assert file_of({0: [observation(a, "0"), observation(b, "1")]}).people == {"0": 1, "1": 2}
    assert file_of({0: [observation(a, "01"), observation(b, "1")]}).people == {"01": 1, "1": 2}
    for large in ("3000000000", "9" * 5000):
        assert file_of({0: [observation(a, large), observation(b, "7")]}).people == {large: 1, "7": 2}
    assert file_of({0: [observation(a, "999999999")]}).people == {"999999999": 999_999_999}
    assert file_of({0: [observation(a, "7"), observation(b)]}).people is None
    assert file_of({0: [observation(a, "7"), observation(b, "7")]}).people is None


def test_what_cannot_be_pixels_of_the_picture(body):
    points = body()
    normal = points / [640, 480, 1]
    with pytest.raises(InputError, match=r"clip\.json: coordinates lie between .* and are not pixels"):
        detect(file_of({0: [observation(normal)]}), (640, 480))
    with pytest.raises(InputError, match="most points lie outside a picture of 64 x 48"):
        detect(file_of({0: [observation(points)]}), (64, 48))
    away = points.copy()
    away[3, 0] = 1e30
    with pytest.raises(InputError, match=r"a point is 1e\+30 pixels away; leave undetected joints empty"):
        detect(file_of({0: [observation(points)], 1: [observation(away)]}), (640, 480))
    away[3, 0] = 6000  # of somebody who is half out of the picture
    assert len(detect(file_of({0: [observation(points)], 1: [observation(away)]}), (640, 480))[1]) == 1
    assert len(detect(file_of({0: []}), (64, 48))[0]) == 0


def test_frames_of_people_with_times_of_their_own(body):
    there, gone = observation(body(), "a"), observation(body() * 0, "b")
    frames, times = frames_by_time(
        {"a": (np.array([0.1, 0.3]), [there, there]), "b": (np.array([0.2, 0.3 + 1e-9]), [gone, there])}
    )
    assert times == {0: 0.1, 1: 0.2, 2: 0.3}
    assert {number: len(observations) for number, observations in frames.items()} == {0: 1, 1: 0, 2: 2}
