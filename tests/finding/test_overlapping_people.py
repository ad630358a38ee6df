from pathlib import Path

import numpy as np
import pytest

from poselift.detection import build_detector
from poselift.finding import VideoClip
from poselift.finding.crop_detections import look_at_places
from poselift.finding.finder import Finder
from poselift.finding.followed_person import Place
from poselift.finding.overlapping_people import (
    Confusions,
    draw_silhouette,
    find_claimed_joints,
    find_doubtful_joints,
    paint_out_others,
)
from poselift.finding.qualities import Pace
from poselift.skeleton import COCO17
from poselift.structures import Detections
from poselift.video import Frame

pytestmark = pytest.mark.many_calls

CLIP = Path(__file__).parents[3] / "shared" / "cases" / "overlap_cam03.mp4"
X = [50, 52, 48, 55, 45, 65, 35, 72, 28, 75, 25, 60, 40, 62, 38, 63, 37]
Y = [10, 7, 7, 9, 9, 30, 30, 55, 55, 78, 78, 85, 85, 130, 130, 175, 175]
BODY = np.stack([X, Y], -1).astype(float)
"""Somebody who stands upright, 100 x 185 pixels."""


def place(points, score=0.8):
    return Place(np.concatenate([points.min(0), points.max(0)]), 0.0, points, np.full(17, score))


def detections(*poses, scores=None):
    poses = np.array(poses).reshape(-1, 17, 2)
    scores = np.full(poses.shape[:2], 0.8) if scores is None else np.array(scores)
    return Detections(np.concatenate([poses.min(1), poses.max(1)], -1), np.full(len(poses), 0.8), poses, scores, COCO17)


@pytest.mark.parametrize("in_front", [True, False])
def test_the_body_in_front_keeps_what_the_two_share(in_front):
    frame = np.full((300, 400, 3), 200, np.uint8)
    own, other = place(BODY + [150, 50], 0.8 if in_front else 0.4), place(BODY + [170, 50], 0.6)
    part, corner = paint_out_others(frame, own, [other], COCO17)
    painted = np.full((300, 400), False)
    low = corner.astype(int)
    painted[low[1] : low[1] + part.shape[0], low[0] : low[0] + part.shape[1]] = (part == 128).all(-1)
    bodies = [draw_silhouette(one.points, COCO17, frame.shape) > 0 for one in (own, other)]
    assert (painted == (bodies[1] & ~bodies[0] if in_front else bodies[1])).all()
    assert (frame == 200).all(), "the picture itself is kept"


def test_of_two_who_meet_the_surer_one_keeps_the_joint():
    one, other = BODY.copy(), BODY + [90, 0]
    other[9] = one[10] + 2
    scores = np.full((2, 17), 0.8)
    scores[0, 10] = 0.3
    found = detections(one, other, scores=scores)
    lost, doubtful = find_claimed_joints(found, [one, other])
    assert np.argwhere(lost).tolist() == [[0, 10]]
    assert not doubtful.any()
    found.box_scores[1] = 0.6
    assert np.argwhere(find_claimed_joints(found, [one, other])[1]).tolist() == [[1, 9]], "who stands behind is doubted"
    lost, _ = find_claimed_joints(detections(one, other), [None, other])
    assert np.argwhere(lost).tolist() == [[0, 10]], "a newcomer gives way"


@pytest.mark.parametrize(
    ("score", "behind", "jumped", "doubtful"),
    [
        (0.5, True, False, True),
        (0.5, False, True, True),
        (0.8, True, True, True),
        (0.8, True, False, False),
        (0.5, False, False, False),
        (0.8, False, True, False),
    ],
)
def test_two_of_three_signs_make_a_joint_doubtful(score, behind, jumped, doubtful):
    one, other = BODY.copy(), BODY + [90, 0]
    other[9] = one[10] + 10
    scores = np.full((2, 17), 0.8)
    scores[0, 10] = score
    found = detections(one, other, scores=scores)
    found.box_scores[0 if behind else 1] = 0.6
    expected = one.copy()
    expected[10] += [-20, 0] if jumped else [-2, 0]
    signs = find_doubtful_joints(found, [expected, other], [])
    assert np.argwhere(signs).tolist() == ([[0, 10]] if doubtful else [])


@pytest.mark.parametrize(("score", "doubtful"), [(0.5, [[0, 10]]), (0.8, [])])
def test_a_joint_may_be_that_of_somebody_who_is_expected_and_not_seen(score, doubtful):
    one, hidden = BODY.copy(), BODY + [90, 0]
    one[10] = hidden[9] + [0, 10]
    scores = np.full((1, 17), 0.8)
    scores[0, 10] = score
    signs = find_doubtful_joints(detections(one, scores=scores), [BODY], [place(hidden)])
    assert np.argwhere(signs).tolist() == doubtful


@pytest.mark.parametrize("shifts", [(60, 0), (20, 60)])
def test_of_two_crop_detections_beside_somebody_the_one_that_fits_better_counts(shifts):
    found = iter(shifts)

    class Detector(Magnet):
        def look(self, frame, boxes, angles, quick=False):
            return detections(BODY - BODY.min(0) + boxes[0, :2] + [next(found), 0])

    own, other = place(BODY + [100, 50]), place(BODY + [130, 50])
    found, _ = look_at_places(Detector(None), np.zeros((300, 400, 3), np.uint8), [own], [], 0.0, others=[other])
    np.testing.assert_allclose(found.keypoints[0], own.points + [min(shifts), 0])


def test_confusions_are_told_in_spans():
    confusions = Confusions()
    assert confusions.warnings() == []
    for time in (1.0, 1.1, 1.2, 3.0):
        confusions.person(time)
    (line,) = confusions.warnings()
    assert line.endswith("1.00 to 1.20 s, 3.00 s")
    for second in range(10, 20):
        confusions.person(float(second))
    assert confusions.warnings()[0].endswith("and 7 more times")


class Magnet:
    """A detector whose crops show the person with most pixels in sight, whoever was expected there.

    Pictures tell it what it needs: red and green are the place of a pixel, blue is 4 x frame + person.
    """

    name, skeleton, weights = "magnet", COCO17, {}

    def __init__(self, poses):
        self.poses = poses  # of one frame, from back to front

    def frames(self, count):
        y, x = np.mgrid[:400, :800]
        for index in range(count):
            image = np.stack([x // 4, y // 4, np.full_like(x, 4 * index)], -1).astype(np.uint8)
            for number, pose in enumerate(self.poses(index), 1):
                image[draw_silhouette(pose, COCO17, image.shape) > 0, 2] = 4 * index + number
            yield Frame(image, index / 30, index)

    def detect(self, frames):
        raise NotImplementedError

    def search(self, frame, how):
        return detections(*self.poses(int(frame[0, 0, 2]) // 4)[: 2 if 0 in how.turns else 0])

    def look(self, frame, boxes, angles, quick=False):
        found, scores = [], []
        clear = (frame[..., 0] != 128) | (frame[..., 1] != 128)
        for box in boxes:
            row, column = np.argwhere(clear)[0]
            low = np.array([int(frame[row, column, 0]) * 4 - column, int(frame[row, column, 1]) * 4 - row])
            x0, y0, x1, y1 = np.clip(box, 0, None).astype(int)
            seen = np.where(clear, frame[..., 2] % 4, 0)[y0:y1, x0:x1]
            counts = np.bincount(seen.ravel(), minlength=3)[1:3]
            best = int(counts.argmax())
            poses = self.poses(int(frame[row, column, 2]) // 4)
            found.append(poses[best] - low if best < len(poses) else BODY)
            scores.append(np.full(17, 0.8 if counts[best] > 300 else 0.05))
        result = detections(*found, scores=np.array(scores).reshape(-1, 17))
        return Detections(result.boxes, result.scores.mean(-1), result.keypoints, result.scores, COCO17)


def crossing(index):
    return [BODY * 1.2 + [300 - 6 * index, 60], BODY * 1.6 + [60 + 6 * index, 40]]


@pytest.mark.slow
def test_a_crop_detection_does_not_slide_to_somebody_in_front():
    detector = Magnet(crossing)
    finder = Finder(detector, Pace(30.0, 1, 6.0))
    seen = [found for found, _ in finder.find(detector.frames(32))]
    own = []
    for index, found in enumerate(seen):
        places = np.array([pose.mean(0) for pose in crossing(index)])
        apart = np.linalg.norm(np.nanmean(found.keypoints, 1)[:, None] - places, axis=-1)
        own.append((apart < 15).any(0) if len(found) else np.zeros(2, bool))
    shares = np.mean(own, axis=0)
    assert shares[1] == 1.0, "in front"
    assert shares[0] > 0.8, "behind, who is hidden for a few frames"


@pytest.mark.slow
@pytest.mark.skipif(not CLIP.exists(), reason="the cases are not beside this checkout")
def test_two_people_who_overlap_keep_their_own_limbs():
    clip = VideoClip(CLIP, build_detector("movenet"))
    tracker = clip.tracker()
    ran = 0
    for found, time in clip.people():
        tracker.update(found, time)
        ran += found is not None
    tracks = tracker.tracks()
    assert len(tracks) == 2
    assert all(track.seen.sum() >= 0.95 * ran for track in tracks)
    woman, man = sorted(tracks, key=lambda track: np.ptp(track.keypoints[track.seen][0], axis=0)[1])
    for track, wide in ((woman, 0.45), (man, 0.65)):
        points = np.where(track.scores[..., None] >= 0.2, track.keypoints, np.nan)[track.seen]
        hips = points[:, COCO17.indices(["left_hip", "right_hip"])].mean(1)
        reach = np.abs(points[:, :, 0] - hips[:, None, 0]) / np.nanmedian(np.ptp(points[:10, :, 1], axis=1))
        assert np.nanmax(reach) < wide
