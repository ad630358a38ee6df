import numpy as np
import pytest

from benchmarks import streaming
from benchmarks.streaming import (
    LOOKAHEADS,
    camera_of,
    shortened,
    smoothed,
    streamed,
)
from poselift.data.cmu_bench import CmuBench
from poselift.lifting import LiftOptions, StreamingPeople
from poselift.lifting.dataset_views import keypoints_of
from poselift.skeleton import CMU28

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
        people = StreamingPeople(weights, camera_of(view), keypoints.skeleton, lookahead, options)
        pushed = [
            people.push({1: (keypoints.keypoints[k], keypoints.scores[k])}, float(keypoints.timestamps[k]))
            for k in range(len(keypoints))
        ]
        expected = [poses[1] for poses in [*pushed[lookahead:], *people.flush()]]
        found = smoothed(poses[lookahead], CMU28)
        assert [pose.timestamp for pose in found] == keypoints.timestamps.tolist()
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.joints, other.joints, atol=1e-4)


def test_the_tables(files, capsys):
    streaming.main([*files, "--seconds", "0.5"])
    lines = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("| look")]
    assert len(lines) == 2 * 2 * len(LOOKAHEADS)
    assert all(0 < float(line[1]) < 2000 for line in lines)
