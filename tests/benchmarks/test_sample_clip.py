import numpy as np
import pytest

from benchmarks import sample_clip
from benchmarks.sample_clip import drawn, measured
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.structures import Keypoints2D, Motion

K = np.array([[800.0, 0, 320], [0, 800, 240], [0, 0, 1]])


def person(frames=9, away=0.0):
    """Stands 4 m away, seen exactly or so many pixels to the right."""
    pose = np.random.default_rng(0).normal(size=(1, 28, 3)) * [0.2, 0.5, 0.1]
    joints, root = np.repeat(pose - pose[:, :1], frames, 0), np.tile([0.0, 0, 4], (frames, 1))
    pixels = (joints + root[:, None]) @ K.T
    seen = [name for name in COCO17.joints if name in H36M17.joints]
    keypoints = np.full((frames, 17, 2), np.nan)
    keypoints[:, COCO17.indices(seen)] = (pixels[..., :2] / pixels[..., 2:])[:, CMU28.indices(seen)] + [away, 0]
    scores = np.isfinite(keypoints).all(-1) * 0.9
    times = np.arange(frames) / 30
    two = Keypoints2D(keypoints.astype(np.float32), scores.astype(np.float32), times, COCO17, (640, 480))
    interpolated = np.zeros(frames, bool)
    return Motion(joints.astype(np.float32), root.astype(np.float32), times, interpolated, CMU28, "camera", two, None)


def test_distance_and_acceleration():
    assert measured(person(away=3.0), K) == pytest.approx([3.0, 3.0, 0.0, 0.0], abs=1e-3)
    shaking = person()
    shaking.joints[4] += 0.01
    assert measured(shaking, K)[3] > 1


def test_people_are_drawn_where_they_have_a_pose():
    image = np.zeros((480, 640, 3), np.uint8)
    assert drawn(image, [person()], 0.1, K).any()
    assert not drawn(image, [person()], 5.0, K).any()
    assert not image.any()


def test_a_row_for_each_person_and_a_picture(short_clip, table, tmp_path):
    sample_clip.main([str(short_clip), "--weights", "tiny", "--frames", "0.1", "--out", str(tmp_path)])
    _, *rows = table()
    assert [row[:2] for row in rows] == [["tiny", "1"], ["tiny", "2"]]
    assert all(float(row[2]) < 20 for row in rows), "pixels"
    assert (tmp_path / "0.1.png").is_file()
