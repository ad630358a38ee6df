import numpy as np
import pytest

from poselift.camera_path.camera_path import CameraPath, ShotPath
from poselift.camera_path.found_camera import FoundCamera
from poselift.camera_path.leaving_people import without_cut_off
from poselift.keypoints.in_memory import TrackClip
from poselift.lifting.request import LiftRequest
from poselift.lifting.run import lift_clip
from poselift.models import load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

SIZE = (640, 360)
BODY = np.random.default_rng(0).uniform([-40, 60], [40, 300], (17, 2))


def walker(middles: np.ndarray, rate: float = 30) -> Keypoints2D:
    """Somebody whose middle goes along these columns, as a detector shows it: what is beyond the edge is made up."""
    points = BODY[None] + np.stack([middles, np.zeros_like(middles)], -1)[:, None]
    made_up = np.random.default_rng(1).uniform([-15, 0], [15, 0], points.shape)
    beyond = (points[..., 0] < 0) | (points[..., 0] > SIZE[0] - 1)
    points = np.where(beyond[..., None], np.clip(points + made_up, 1, np.array(SIZE) - 2), points)
    return Keypoints2D(points, np.full(points.shape[:2], 0.6), np.arange(len(points)) / rate, COCO17, SIZE)


def last_in_sight(middles: np.ndarray) -> int:
    """The last frame in which the picture shows over 70 percent of the joints."""
    columns = BODY[None, :, 0] + middles[:, None]
    return int(np.flatnonzero(((columns < 0) | (columns > SIZE[0] - 1)).mean(-1) < 0.3)[-1])


@pytest.mark.parametrize("rate", [30, 7.5])
def test_who_leaves_is_left_out_from_a_third_on(rate):
    middles = np.arange(500, 670, 180 / rate)
    track = walker(middles, rate)
    kept = without_cut_off(track, 0.3)
    assert abs(len(kept) - 1 - last_in_sight(middles)) <= 1
    assert len(kept) < len(track)
    np.testing.assert_array_equal(kept.keypoints, track.keypoints[: len(kept)])


def taken_over() -> Keypoints2D:
    """Somebody who leaves, and of whom a detector then finds a few joints on somebody else."""
    track = walker(np.concatenate([np.arange(500, 660, 6.0), np.full(12, 320.0)]))
    scores = track.scores.copy()
    scores[-12:, 4:] = 0.1
    return Keypoints2D(track.keypoints, scores, track.timestamps, COCO17, SIZE)


def test_who_left_is_not_back_by_a_few_joints_of_somebody_else():
    leaving = walker(np.arange(500, 660, 6.0))
    assert len(without_cut_off(taken_over(), 0.3)) == len(without_cut_off(leaving, 0.3)) < len(leaving)


def test_who_comes_is_left_out_until_a_third_is_in():
    middles = np.arange(500, 640, 6.0)
    track, leaving = walker(middles[::-1]), walker(middles)
    kept = without_cut_off(track, 0.3)
    assert len(kept) == len(without_cut_off(leaving, 0.3))
    assert kept.timestamps[-1] == track.timestamps[-1]


@pytest.mark.parametrize(
    "middles",
    [
        np.full(60, 300.0),
        np.concatenate([np.arange(500, 625, 6.0), np.full(60, 625.0)]),  # stays at the edge, cut off
        np.concatenate([np.arange(500, 625, 6.0), np.arange(625, 500, -6.0)]),  # comes back
        np.full(60, 640.0),  # half of the body is in the picture from the first frame to the last
    ],
    ids=["in the middle", "stays at the edge", "comes back", "half of the body"],
)
def test_others_stay(middles):
    track = walker(middles)
    assert len(without_cut_off(track, 0.3)) == len(track)


def test_legs_below_the_picture_leave_nobody_out():
    track = walker(np.full(60, 300.0))
    down = track.keypoints + np.stack([np.zeros(60), np.linspace(0, 200, 60)], -1)[:, None]
    kept = without_cut_off(Keypoints2D(down, track.scores, track.timestamps, COCO17, SIZE), 0.3)
    assert len(kept) == 60


def test_a_person_of_whom_nothing_scores_enough_stays():
    track = walker(np.arange(500, 640, 6.0))
    unseen = Keypoints2D(track.keypoints, np.full(track.scores.shape, 0.1), track.timestamps, COCO17, SIZE)
    assert len(without_cut_off(unseen, 0.3)) == len(track)


class Turning(TrackClip):
    """Keypoints of a camera that turns by ten degrees."""

    kind = "turning"

    def find_camera(self, span, tracks, lens, mode):
        count = len(self._times)
        shot = ShotPath(0, count, self.kind, False, 10.0, 1.0, 0.1)
        still = np.tile(np.eye(3), (count, 1, 1))
        path = CameraPath(
            self._times, still, np.ones(count), np.zeros((count, 3)), np.ones(count), np.ones(count, bool), (shot,)
        )
        return FoundCamera(mode, path if self.kind == "turning" else None)


class Still(Turning):
    kind = "still"


class CutAfter(Turning):
    """A still shot, then one that turns, in which nobody is seen."""

    def find_camera(self, span, tracks, lens, mode):
        times = np.append(self._times, self._times[-1] + np.arange(1, 4) / 30)
        count, own = len(times), len(self._times)
        shots = (ShotPath(0, own, "still", False, 0.0, 1.0, 0.0), ShotPath(own, count, "turning", False, 9.0, 1.0, 0.0))
        one = np.ones(count)
        still = np.tile(np.eye(3), (count, 1, 1))
        return FoundCamera(mode, CameraPath(times, still, one, np.zeros((count, 3)), one, one > 0, shots))


@pytest.mark.parametrize("clip", [Turning, Still])
def test_only_a_camera_that_moves_leaves_frames_out(clip):
    track = walker(np.arange(500, 640, 6.0))
    found = lift_clip(clip([track]), load_weights("tiny"), LiftRequest(world=True))
    (person,) = found.people
    told = [text for text in found.warnings if "are left out, where a side edge" in text]
    kept = without_cut_off(track, 0.3)
    assert len(person) == (len(kept) if clip is Turning else len(track))
    assert len(told) == (clip is Turning)
    if told:
        seconds = (len(track) - len(kept)) / 30
        assert told[0].startswith(f"person {track.person}: {seconds:.2f} s are left out")
        assert told[0].person == track.person


def test_a_still_shot_of_a_clip_with_cuts_leaves_nobody_out():
    track = walker(np.arange(500, 640, 6.0))
    found = lift_clip(CutAfter([track]), load_weights("tiny"), LiftRequest(world=True))
    assert len(found.people[0]) == len(track)
