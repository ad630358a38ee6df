import numpy as np

from poselift.tracking.stitching import stitch
from poselift.tracking.track import Track


def fragment(scenes, start, stop, speed, x=200.0):
    track = Track()
    for frame in range(start, stop):
        track.add(frame, frame / 30, scenes.walker(x + speed * frame / 30, frame / 30), np.ones(17))
    return track


def test_fragments_of_one_walk_are_joined_in_order(scenes):
    parts = [fragment(scenes, a, b, 60) for a, b in ((100, 130), (0, 30), (60, 80))]
    whole = stitch(parts)
    assert len(whole) == 1
    assert whole[0].frames == [*range(30), *range(60, 80), *range(100, 130)]
    assert len(parts[1].frames) == 30  # left as it was


def test_people_at_the_same_time_are_two(scenes):
    assert len(stitch([fragment(scenes, 0, 30, 0), fragment(scenes, 29, 60, 0)])) == 2


def test_more_than_four_seconds_apart_are_two(scenes):
    assert len(stitch([fragment(scenes, 0, 30, 0), fragment(scenes, 145, 170, 0)])) == 1
    assert len(stitch([fragment(scenes, 0, 30, 0), fragment(scenes, 155, 180, 0)])) == 2


def test_of_two_that_may_follow_the_nearer_does(scenes):
    first, near, far = fragment(scenes, 0, 30, 0), fragment(scenes, 45, 80, 0), fragment(scenes, 45, 80, 0, x=290.0)
    joined = stitch([first, far, near])
    assert [track.frames[0] for track in joined] == [0, 45]
    assert abs(joined[0].keypoints[-1][0, 0] - 200) < 30


def test_one_who_ran_off_is_not_one_who_comes_from_elsewhere(scenes):
    ran_right = fragment(scenes, 0, 30, 500)
    came_back = fragment(scenes, 40, 70, 500, x=200.0 - 500 * 40 / 30 + 100)
    assert len(stitch([ran_right, came_back])) == 2


def test_where_somebody_comes_from_counts(scenes):
    standing = fragment(scenes, 0, 30, 0)
    left_to_right, right_to_left = (
        fragment(scenes, 45, 75, 500, x=400.0 - 750),
        fragment(scenes, 45, 75, -500, x=400.0 + 750),
    )
    assert len(stitch([standing, left_to_right])) == 1
    assert len(stitch([standing, right_to_left])) == 2


def test_who_is_guessed_before_a_loss_keeps_the_number(scenes):
    """Lost for 0.9 s: the last detections slide away to something else, with low scores."""
    seen, again = fragment(scenes, 0, 60, 60), fragment(scenes, 92, 130, 60)
    for frame in range(60, 65):
        guess = scenes.walker(200 + 60 * frame / 30 + 70 * (frame - 59), frame / 30)
        seen.add(frame, frame / 30, guess, np.full(17, 0.3))
    whole = stitch([seen, again])
    assert len(whole) == 1
    assert whole[0].frames == [*range(65), *range(92, 130)]
