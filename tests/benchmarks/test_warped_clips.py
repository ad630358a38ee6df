"""Clips as a virtual camera sees them."""

import cv2
import numpy as np
import pytest

from benchmarks.warped_clips import MOVES, Move, Warp
from poselift.geometry.camera import camera_for
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from poselift.video import Frame

SIZE = (320, 180)
PLACES = np.array([[70.0, 40.0], [160.0, 90.0], [250.0, 150.0]])


def warp_of(move: Move) -> Warp:
    return Warp(move, camera_for(SIZE), end=1.0)


def track_at(places: np.ndarray, time: float) -> Keypoints2D:
    pixels = np.full((1, len(COCO17), 2), np.nan)
    pixels[0, : len(places)] = places
    return Keypoints2D(pixels, np.where(np.isfinite(pixels[..., 0]), 0.9, 0.0), np.array([time]), COCO17, SIZE)


@pytest.mark.parametrize("name", ["pan 5", "pan 5, zoom", "pan 40, readout 90 ms"])
def test_pictures_and_keypoints_are_warped_alike(name: str):
    warp = warp_of(MOVES[name])
    for place in PLACES:
        image = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
        cv2.circle(image, (int(place[0]), int(place[1])), 4, (255, 255, 255), -1)
        seen = warp.picture(Frame(image, 0.45, 0)).image[..., 0].astype(float)
        rows, columns = np.indices(seen.shape)
        middle = np.array([(seen * columns).sum(), (seen * rows).sum()]) / seen.sum()
        assert warp.keypoints(track_at(place[None], 0.45)).keypoints[0, 0] == pytest.approx(middle, abs=0.5)


@pytest.mark.parametrize("name", ["pan 5, zoom", "pan 40, readout 90 ms"])
def test_pictures_from_a_larger_video_show_the_same(name: str):
    warp = warp_of(MOVES[name])
    noise = np.random.default_rng(0).uniform(0, 255, (2 * SIZE[1], 2 * SIZE[0], 3)).astype(np.uint8)
    large = cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 6), None, 0, 255, cv2.NORM_MINMAX)
    small = cv2.resize(large, SIZE, interpolation=cv2.INTER_AREA)
    found, wanted = (warp.picture(Frame(image, 0.5, 0)).image.astype(float) for image in (large, small))
    assert np.abs(found - wanted).mean() < 2
    for axis in (0, 1):  # how far the one is beside the other, pixels: OpenCV's warp errs by 0.05
        slope = np.gradient(wanted, axis=axis)[10:-10, 10:-10]
        assert (slope * (found - wanted)[10:-10, 10:-10]).sum() / (slope**2).sum() == pytest.approx(0, abs=0.1)


def test_a_rolling_shutter_sees_low_rows_later():
    """Rows 40 and 150 of 180 are 55 ms apart, in which the camera turns by 2.2 degrees to the right."""
    f = float(camera_for(SIZE).K[0, 0])
    seen = warp_of(MOVES["pan 40, readout 90 ms"]).keypoints(track_at(np.array([[160.0, 40.0], [160.0, 150.0]]), 0.5))
    apart = seen.keypoints[0, 0, 0] - seen.keypoints[0, 1, 0]
    assert abs(apart) == pytest.approx(f * np.radians(40 * 0.09 * 110 / 180), rel=0.02)


def test_what_the_camera_does_not_see_is_cut():
    warp = warp_of(Move(lambda share: (0.0, 0.0, 0.0), lambda share: 2.0))
    track = track_at(np.array([[85.0, 90.0], [75.0, 90.0]]), 0.0)
    assert not warp.shows(track)[0]
    assert warp.shows(track_at(np.array([[85.0, 90.0]]), 0.0))[0]  # joints that nobody saw do not count
    cut = warp.cut(warp.keypoints(track))
    assert np.isfinite(cut.keypoints[0, 0]).all()
    assert np.isnan(cut.keypoints[0, 1]).all()
    assert cut.scores[0, :2] == pytest.approx([0.9, 0.0])
