import math

import numpy as np
import pytest

from benchmarks.smoothing import one_euro, savitzky_golay


def test_one_euro_by_hand():
    # At 50 fps and a cut-off of fc, alpha = 1 / (1 + 50 / (2 pi fc)). The speed's own cut-off is 1 Hz.
    fps, cutoff, beta, step = 50.0, 2.0, 3.0, 0.1

    def alpha(frequency):
        return 1 / (1 + fps / (2 * math.pi * frequency))

    out = one_euro(cutoff, beta)(np.array([[0.0, 0.0], [step, 0.0]]), fps)
    speed = alpha(1.0) * step * fps
    assert out[1, 0] == pytest.approx(alpha(cutoff + beta * speed) * step)
    assert out[1, 1] == 0


def test_what_does_not_move_stays():
    still = np.full((30, 2), 3.0)
    np.testing.assert_allclose(one_euro(1.0, 1.0)(still, 50.0), still)
    np.testing.assert_allclose(savitzky_golay(9, 2)(still, 50.0), still)


def test_savitzky_golay_leaves_parabolas_and_short_runs_alone():
    time = np.arange(20.0)
    parabola = np.stack((time**2, 3 * time), -1)
    np.testing.assert_allclose(savitzky_golay(9, 2)(parabola, 50.0), parabola, atol=1e-9)
    short = np.random.default_rng(0).random((8, 2))
    np.testing.assert_array_equal(savitzky_golay(9, 2)(short, 50.0), short)
