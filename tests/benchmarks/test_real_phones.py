import numpy as np

from benchmarks.real_phones import triangulate
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
