import numpy as np
import pytest

from benchmarks import stream_windows
from benchmarks.stream_windows import BACK, last_frames
from poselift.data.cmu_bench import CmuBench
from poselift.lifting import LiftOptions, lift_view
from poselift.skeleton import H36M17

pytestmark = pytest.mark.slow


def test_the_last_window_is_that_of_lift(cmu_files, weights):
    """The whole view as one window, whose last frames are compared with the truth."""
    view = next(iter(CmuBench(*cmu_files)))
    frames = len(view)
    errors, took = last_frames(view, weights, frames, frames, flip=False)
    motion = lift_view(view, weights, LiftOptions(flip=False, refine=False, constant_bones=False, window=frames))
    true = view.joints[:, view.skeleton.indices(H36M17.joints)].numpy()
    expected = 1e3 * np.linalg.norm(motion.restrict(H36M17).joints - true, axis=-1).mean(-1)
    assert errors.shape == (1, len(BACK))
    np.testing.assert_allclose(errors[0], expected[[-1 - back for back in BACK]], rtol=1e-3)
    assert took > 0


def test_the_tables(files, capsys):
    stream_windows.main([*files, "--windows", "16", "32"])
    lines = [
        line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith(("| 16", "| 32"))
    ]
    assert len(lines) == 4
    assert all(float(value) > 0 for line in lines for value in line[1:-1])
