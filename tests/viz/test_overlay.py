import dataclasses

import numpy as np
import pytest

from poselift.skeleton import H36M17
from poselift.viz import OverlayRenderer
from poselift.viz.colors import person_colors
from poselift.viz.overlay import clock_text


def _count(image, color):
    return int((image == color).all(-1).sum())


def _panes(renderer, image, beside=None):
    """The video and the scene, which is square if the width of the scene is not given."""
    beside = beside or renderer.size[1]
    return image[:, :-beside], image[:, -beside:]


@pytest.mark.parametrize("people", [0, 1, 5])
def test_every_frame_has_the_same_size(make_motion, gray, people):
    motions = [make_motion(i + 1, (0.7 * i - 1.4, 0, 5)) for i in range(people)]
    renderer = OverlayRenderer((640, 480), motions)
    width, height = renderer.size
    for time in (0.0, 0.52, 1.96, 7.0):
        composite = renderer.render(gray, time)
        assert composite.shape == (height, width, 3)
        assert composite.dtype == np.uint8
    for pane in _panes(renderer, renderer.render(gray, 0.0)):
        for person in range(1, 6):
            assert (_count(pane, person_colors(person).middle) > 20) == (person <= people)


def test_each_person_has_their_own_threshold(make_motion, gray):
    motions = []
    for person, threshold in ((1, 0.05), (2, 0.2)):
        motion = make_motion(person, (1.4 * person - 2.1, 0, 5))
        weak = np.full(motion.keypoints.scores.shape, 0.1)
        motions.append(
            dataclasses.replace(
                motion, threshold=threshold, keypoints=dataclasses.replace(motion.keypoints, scores=weak)
            )
        )
    video, _ = _panes(renderer := OverlayRenderer((640, 480), motions), renderer.render(gray, 0.2))
    assert [_count(video, person_colors(person).middle) > 20 for person in (1, 2)] == [True, False]


@pytest.mark.parametrize(
    ("image_size", "expected"),
    [((1768, 994), (1920, 722)), ((640, 480), (1120, 480)), ((1080, 1920), (1500, 960)), ((3000, 400), (1920, 228))],
)
def test_size(image_size, expected):
    size = OverlayRenderer(image_size, []).size
    assert size == expected
    assert size[0] % 2 == size[1] % 2 == 0


def test_the_frame_is_not_changed_and_stays_visible(make_motion, gray):
    before = gray.copy()
    video, _ = _panes(renderer := OverlayRenderer((640, 480), [make_motion()]), renderer.render(gray, 0.0))
    np.testing.assert_array_equal(gray, before)
    assert _count(video, (128, 128, 128)) > 0.8 * video.shape[0] * video.shape[1]


@pytest.mark.parametrize(("scale", "beside"), [(1, 480), (3, 766)])
def test_2d_skeletons_lie_where_they_were_detected(make_motion, scale, beside):
    motion = make_motion(person=3)
    keypoints = dataclasses.replace(
        motion.keypoints,
        keypoints=((motion.keypoints.keypoints + 0.5) * scale - 0.5).astype(np.float32),
        image_size=(640 * scale, 480 * scale),
    )
    motion = dataclasses.replace(motion, keypoints=keypoints)
    renderer = OverlayRenderer(keypoints.image_size, [motion])
    image = np.full((480 * scale, 640 * scale, 3), 128, np.uint8)
    video, _ = _panes(renderer, renderer.render(image, 0.2), beside)
    shrink = np.array([video.shape[1], video.shape[0]]) / keypoints.image_size
    for side in ("left", "right"):
        ends = keypoints.keypoints[5][H36M17.indices([f"{side}_knee", f"{side}_ankle"])]
        x, y = ((ends.mean(0) + 0.5) * shrink - 0.5).round().astype(int)
        assert tuple(video[y, x]) == person_colors(3).of_side(side)


def test_lifted_bodies_lie_on_the_picture_above_thin_detections(make_motion, gray):
    motion = make_motion(person=3)
    off = motion.keypoints.keypoints + np.array([12, 0], np.float32)
    motion = dataclasses.replace(motion, keypoints=dataclasses.replace(motion.keypoints, keypoints=off))
    K = np.array([[500.0, 0, 319.5], [0, 500, 239.5], [0, 0, 1]])
    knee_down = [H36M17.indices([f"{side}_knee", f"{side}_ankle"]) for side in ("left", "right")]
    for given, shift in ((K, 12), (None, 0)):
        renderer = OverlayRenderer((640, 480), [motion], K=given)
        video, _ = _panes(renderer, renderer.render(gray, 0.2))
        for side, ends in zip(("left", "right"), knee_down, strict=True):
            x, y = off[5][ends].mean(0).round().astype(int)
            assert tuple(video[y, x - shift]) == person_colors(3).of_side(side)
            white = (video[y - 3 : y + 4, x - 2 : x + 3] > 200).all(-1).any()
            assert white == (given is not None)


def test_motions_in_the_world_frame_show_their_detections(make_motion, gray):
    motion = make_motion()
    world = dataclasses.replace(motion, frame="world")
    with_camera, without = (OverlayRenderer((640, 480), [world], K=K).render(gray, 0.2) for K in (np.eye(3), None))
    np.testing.assert_array_equal(with_camera, without)


def test_people_are_drawn_at_their_own_times(make_motion, gray):
    renderer = OverlayRenderer((640, 480), [make_motion(1), make_motion(2, (1.2, 0, 4), start=1.0)])

    def present(time):
        video, scene = _panes(renderer, renderer.render(gray, time))
        both = [[_count(pane, person_colors(person).middle) > 20 for person in (1, 2)] for pane in (video, scene)]
        assert both[0] == both[1]
        return both[0]

    assert present(0.5) == [True, False]
    assert present(1.5) == [True, True]
    assert present(2.5) == [False, True]
    assert present(1.96 + 0.019) == [True, True]  # within half a frame of the last one
    assert present(1.96 + 0.021) == [False, True]


def test_guessed_limbs_are_fainter_on_the_picture(make_motion, gray):
    """A somersault that the detector lost: its limbs are no findings."""
    motion, K = make_motion(), np.array([[500.0, 0, 320], [0, 500.0, 240], [0, 0, 1]])
    pictures = []
    for unseen in (slice(0), slice(8, 13)):
        points, interpolated = motion.keypoints.keypoints.copy(), np.zeros(50, bool)
        points[unseen], interpolated[unseen] = np.nan, True
        keypoints = dataclasses.replace(motion.keypoints, keypoints=points)
        one = dataclasses.replace(motion, keypoints=keypoints, interpolated=interpolated)
        renderer = OverlayRenderer((640, 480), [one], K=K)
        pictures.append(_panes(renderer, renderer.render(gray, 10 / 25))[0])
    color = person_colors(1).left
    assert _count(pictures[0], color) > 40
    assert _count(pictures[1], color) == 0


def test_another_picture_size_is_refused(gray):
    with pytest.raises(ValueError, match="640 x 480"):
        OverlayRenderer((480, 640), []).render(gray, 0.0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(4.267, "0:04.27"), (59.996, "1:00.00"), (-0.08, "-0:00.08")],
)
def test_the_clock_counts_hundredths_before_and_after_0(seconds, text):
    assert clock_text(seconds) == text
