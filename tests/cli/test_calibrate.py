import json
from itertools import product

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.data.cmu_bench import CmuBench
from poselift.lifting import lift_view
from poselift.lifting.calibration import MEASURED, calibration_factor
from poselift.models import LifterConfig, SpatioTemporalLifter, load_weights, save_weights
from tests.cli.running import poselift

pytestmark = pytest.mark.slow

SIZE = {"joint_dim": 8, "frame_dim": 32, "dim": 32, "heads": 4, "depth": 1, "skeleton_out": "cmu28"}


@pytest.fixture
def weights(tmp_path):
    torch.manual_seed(0)
    save_weights(tmp_path / "l.safetensors", SpatioTemporalLifter(LifterConfig(**SIZE, uncertainty=True)), 24, {})
    return tmp_path / "l.safetensors"


def test_the_factor_holds_nine_of_ten_joints_in_the_mean_of_the_subjects():
    calm, usual, wild = np.arange(1, 101) / 200, np.arange(1, 11) / 10, np.arange(1, 1001) / 100
    assert calibration_factor([usual]) == pytest.approx(0.9)
    assert calibration_factor([calm, np.zeros(0)]) == pytest.approx(0.45)
    assert calibration_factor([np.array([3.0])]) == 3.0
    factor = calibration_factor([wild, usual, calm])
    shares = [np.mean(part <= factor) for part in (wild, usual, calm)]
    assert shares[0] < 0.9 < shares[1]
    assert np.mean(shares) == pytest.approx(0.9, abs=0.001)
    # The number of joints of a subject changes nothing.
    assert calibration_factor([np.tile(wild, 7), usual, calm]) == factor
    with pytest.raises(InputError, match="no joint in common"):
        calibration_factor([np.zeros(0)])


@pytest.mark.parametrize("skeletons", [(), ("coco_wholebody23",)])
def test_nine_of_ten_joints_are_within_their_calibrated_uncertainty(weights, cmu_files, skeletons):
    corpus, bench = cmu_files
    more = ("--skeletons", *skeletons) if skeletons else ()
    ran = poselift("calibrate", weights, "--corpus", corpus, "--bench", bench, *more)
    assert "uncertainty_factor" in ran.out
    card = json.loads(weights.with_suffix(".json").read_text())
    assert card["uncertainty_factor"] == load_weights(weights).uncertainty_factor != 1.0
    assert card["calibrated_on"]["bench"]["name"] == bench.name
    used = skeletons or ("h36m17", "coco17", "halpe26")
    assert card["calibrated_on"]["skeletons"] == list(used)
    within = []
    for skeleton, keypoints in product(used, ("det", "gt")):
        for view in CmuBench(corpus, bench, skeleton, keypoints):
            motion = lift_view(view, load_weights(weights))
            error = np.linalg.norm(motion.joints - view.joints.numpy(), axis=-1)
            assert np.all(motion.uncertainty[:, 0] == 0)
            measured = np.isin(motion.skeleton.joints, MEASURED) & np.isfinite(error)
            within.append((error <= motion.uncertainty)[measured])
    assert np.mean(np.concatenate(within)) == pytest.approx(0.9, abs=0.002)


def test_an_unknown_skeleton_is_refused(weights, cmu_files):
    corpus, bench = cmu_files
    refused = poselift("calibrate", weights, "--corpus", corpus, "--bench", bench, "--skeletons", "coco71")
    assert refused.code == 2
    assert "coco71" in refused.err


def test_a_lifter_without_uncertainty_is_refused(tmp_path, cmu_files):
    plain = tmp_path / "plain.safetensors"
    save_weights(plain, SpatioTemporalLifter(LifterConfig(**SIZE)), 24, {})
    corpus, bench = cmu_files
    refused = poselift("calibrate", plain, "--corpus", corpus, "--bench", bench)  # its progress is in err too
    assert (refused.code, "train one with model.uncertainty=true" in refused.err) == (2, True)
    assert "uncertainty_factor" not in json.loads((tmp_path / "plain.json").read_text())
