import numpy as np

from poselift.keypoints.people import NamedDetections, NamedTracker
from poselift.skeleton import COCO17


def frame(*people, seen=True):
    keypoints = np.full((len(people), 17, 2), np.nan)
    keypoints[:] = np.array(people, float).reshape(-1, 1, 1)
    scores = np.full((len(people), 17), 0.01 if seen else 0.0)
    return NamedDetections(np.zeros((len(people), 4)), np.zeros(len(people)), keypoints, scores, COCO17, tuple(people))


def test_everybody_is_kept_whatever_their_scores_and_how_short_they_are_seen():
    tracks = NamedTracker((640, 480))
    assert tracks.update(frame(5), 0.0) == [5]
    assert tracks.update(frame(), 0.1) == []
    assert tracks.update(frame(2, 5), 0.2) == [2, 5]
    assert tracks.update(frame(9, seen=False), 0.3) == [9]
    two, five = tracks.tracks()
    assert (two.person, five.person) == (2, 5)
    np.testing.assert_array_equal(two.timestamps, [0.2])
    np.testing.assert_array_equal(five.timestamps, [0.0, 0.1, 0.2])
    assert five.seen.tolist() == [True, False, True]
    assert (five.keypoints[2] == 5).all()
    assert (five.scores[1] == 0).all()
    assert five.image_size == (640, 480)
