"""One view through each command that lifts gives the same joints, bit for bit."""

import json
import shutil

import numpy as np
import pytest
from hydra import compose, initialize_config_dir

from poselift.cli import calibrate
from poselift.cli.attention import watch
from poselift.cli.config import CONF
from poselift.cli.evaluate import evaluate
from poselift.cli.main import main
from poselift.data.cmu_bench import CmuBench
from poselift.lifting import lift_view
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.lifting.network.choose import network_name
from poselift.models import load_weights
from poselift.models.saved_weights import shipped_weights
from poselift.recordings import read_motion, write_motion


@pytest.fixture(params=["torch", "onnxruntime"])
def weights(request, tmp_path):
    """The shipped tiny, with windows that hold the whole view, as attention is shown for one window."""
    for suffix in (".safetensors", ".json", ".graph.onnx")[: 2 if request.param == "torch" else 3]:
        shutil.copy(shipped_weights()["tiny"].with_suffix(suffix), tmp_path / f"tiny{suffix}")
    card = json.loads((tmp_path / "tiny.json").read_text())
    del card["card_sha256"]  # it is that of the shipped card
    (tmp_path / "tiny.json").write_text(json.dumps({**card, "window": 150}))
    return tmp_path / "tiny.safetensors"


def lifted(view, weights, folder):
    """The joints that `poselift lift` writes for the view's keypoints."""
    motion = lift_view(view, load_weights(weights))
    write_motion(folder / "view.npz", motion)
    K = view.K.tolist()
    camera = f"{K[0][0]!r},{K[1][1]!r},{K[0][2]!r},{K[1][2]!r}"
    main(
        ["lift", "--keypoints", str(folder / "view.npz"), "--intrinsics", camera, "--weights", str(weights)]
        + ["--skeleton", "cmu28", "--no-render", "--quiet", "--out", str(folder / "lifted")]
    )
    return read_motion(folder / "lifted" / "person_1.npz").joints


def evaluated(view, weights, files, folder):
    """The joints that `poselift evaluate` scores."""
    with initialize_config_dir(CONF, version_base="1.3"):
        overrides = [
            "protocol=cmu_bench",
            f"data.corpus={files[0]}",
            f"data.bench={files[1]}",
            f"view={view.name}",
            f"weights={weights}",
        ]
        evaluate(compose("evaluate", [*overrides, f"output={folder}"]))
    with np.load(folder / "predictions.npz") as predictions:
        return predictions[view.name]


def calibrated(view, weights, files, monkeypatch):
    """The joints that `poselift calibrate` compares with the truth."""
    seen, ratios = [], calibrate.error_ratios
    monkeypatch.setattr(calibrate, "error_ratios", lambda *pair: seen.append(pair) or ratios(*pair))
    calibrate.calibrate(weights, *files, skeletons=["h36m17"])
    return next(motion.joints for other, motion in seen if other.name == view.name)


@pytest.mark.slow
def test_every_command_gives_the_same_joints(weights, cmu_files, tmp_path, monkeypatch):
    view = CmuBench(*cmu_files)[1]
    joints = lifted(view, weights, tmp_path)
    assert np.isfinite(joints).all()
    np.testing.assert_array_equal(evaluated(view, weights, cmu_files, tmp_path / "evaluated"), joints)
    np.testing.assert_array_equal(calibrated(view, weights, cmu_files, monkeypatch), joints)
    keypoints = keypoints_of(view)
    motion, _ = watch(keypoints, load_weights(weights), camera_of(view), 150)
    assert json.loads((tmp_path / "lifted" / "summary.json").read_text())["network"] == network_name(
        load_weights(weights)
    )
    if network_name(load_weights(weights)) == "torch":
        np.testing.assert_array_equal(motion.joints, joints)
    else:  # PyTorch shows the attention
        assert 0 < np.linalg.norm(motion.joints - joints, axis=-1).max() < 1e-5
