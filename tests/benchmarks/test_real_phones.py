import numpy as np
import pytest

from benchmarks.real_phones import start_by_hand, triangulate
from poselift.several_views.sound import read_sound, shift_by_sound
from poselift.video import VideoReader, VideoWriter
from tests.several_views.stage import make_stage


def test_points_come_back_from_their_rays():
    stage = make_stage(seconds=0.1)
    points = stage.joints[0]
    rays = [camera.rays(camera.project(points)) for camera in stage.cameras]
    rays[0][0, 3] = np.nan  # two cameras are enough, one is not
    rays[0][0, 4] = rays[1][0, 4] = np.nan
    found, off = triangulate(rays, stage.cameras)
    known = np.isfinite(found).all(-1)
    assert not known[0, 4]
    assert known.sum() == known.size - 1
    np.testing.assert_allclose(found[known], points[known], atol=1e-6)
    np.testing.assert_allclose(off[known], 0.0, atol=1e-6)


def test_phones_that_are_started_by_hand_have_sound_and_their_own_rate(tmp_path):
    videos = [tmp_path / "a.mp4", tmp_path / "b.mp4"]
    for video in videos:
        with VideoWriter(video, 64, 48) as writer:
            for frame in range(96):
                writer.write(np.full((48, 64, 3), 2 * frame, np.uint8), frame / 60)
    (tmp_path / "out").mkdir()
    first, other = start_by_hand(videos, tmp_path / "out", 0.3)
    shown = list(VideoReader(other))
    assert len(list(VideoReader(first))) == 96
    assert [frame.timestamp for frame in shown[:3]] == pytest.approx([0, 1001 / 30000, 2002 / 30000], abs=1e-4)
    # The pictures of 0.3 s on, each second one.
    assert [frame.image.mean() for frame in shown[:3]] == pytest.approx([36, 40, 44], abs=2)
    sounds = [read_sound(video) for video in (first, other)]
    assert shift_by_sound(*sounds)[0] == pytest.approx(0.3, abs=0.002)
