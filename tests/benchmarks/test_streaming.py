import re

import numpy as np
import pytest

from benchmarks import streaming
from benchmarks.streaming import (
    LOOKAHEADS,
    camera_of,
    errors,
    ground_errors,
    shortened,
    smoothed,
    streamed,
)
from poselift.data.cmu_bench import CmuBench
from poselift.data.synthetic import synthetic_corpus
from poselift.kinematics.ground import Ground
from poselift.lifting import LiftOptions, StreamingLifter
from poselift.lifting.dataset_views import keypoints_of
from poselift.skeleton import CMU28
from tests.data.formats.cmu import write_cmu

pytestmark = pytest.mark.slow

OPTIONS = LiftOptions(flip=False, window=15)


@pytest.fixture
def views(cmu_files):
    return [shortened(view, 1.0) for view in CmuBench(*cmu_files)]


def test_each_lookahead_has_the_poses_of_a_lifter_with_it(views, weights):
    """But for the bones, which are measured in other frames."""
    view = views[0]
    options = LiftOptions(flip=False, window=15, constant_bones=False)
    poses = streamed(view, weights, options)
    keypoints = keypoints_of(view)
    for lookahead in (0, 3):
        lifter = StreamingLifter(weights, camera_of(view), keypoints.skeleton, lookahead, options)
        pushed = [
            lifter.push(keypoints.keypoints[k], keypoints.scores[k], float(keypoints.timestamps[k]))
            for k in range(len(keypoints))
        ]
        expected = [*pushed[lookahead:], *lifter.flush()]
        found = smoothed(poses[lookahead], CMU28)
        assert [pose.timestamp for pose in found] == keypoints.timestamps.tolist()
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.joints, other.joints, atol=1e-4)


def test_errors_by_hand(views):
    joints = [view.joints.numpy().copy() for view in views]
    roots = [view.root.numpy() + np.float32([0.03, 0.0, 0.04]) for view in views]
    values = errors(views, joints, roots, CMU28)
    assert values["mpjpe"] == pytest.approx(0, abs=1e-3)
    assert values["root"] == pytest.approx(50, abs=0.01)
    assert values["root_velocity"] == pytest.approx(0, abs=0.01)


def test_the_tables(files, capsys):
    streaming.main([*files, "--seconds", "0.5"])
    lines = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("| look")]
    assert len(lines) == 2 * 2 * len(LOOKAHEADS)
    assert all(0 < float(line[1]) < 2000 for line in lines)


def test_errors_of_the_ground():
    R = np.diag([1.0, -1.0, -1.0])  # up is -y of the camera
    t = np.array([0.2, 1.5, 4.0])
    tilted = np.array([0.0, -np.cos(0.02), np.sin(0.02)])
    assert ground_errors(Ground(np.array([0.0, -1.0, 0.0]), -1.5, 0.0, True, np.ones(0)), R, t) == pytest.approx((0, 0))
    angle, height = ground_errors(Ground(tilted, -1.6, 0.0, True, np.ones(0)), R, t)
    assert angle == pytest.approx(np.degrees(0.02))
    assert height == pytest.approx(100)


def test_the_table_of_the_ground(tmp_path, lifter_file, capsys):
    """Views of less than 5 s do not count."""
    corpus, bench = write_cmu(tmp_path, synthetic_corpus(clips=6, frames=260, seed=0))
    streaming.main(["--corpus", str(corpus), "--bench", str(bench), "--weights", str(lifter_file), "--world"])
    assert ", 2 views" in capsys.readouterr().out


def test_a_long_stream(lifter_file, capsys):
    streaming.main(["--long", "60", "--people", "2", "--weights", str(lifter_file)])
    first, second = capsys.readouterr().out.splitlines()
    assert re.search(r"60 frames, 2 people: .* 50 % \d+\.\d, 90 % \d+\.\d, 99 % \d+\.\d", first)
    assert len(re.findall(r"\d+ after \d+ frames", second)) == 3


def test_without_data_it_says_so(capsys):
    with pytest.raises(SystemExit):
        streaming.main([])
    assert "--corpus" in capsys.readouterr().err
