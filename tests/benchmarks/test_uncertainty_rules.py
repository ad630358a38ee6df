import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from benchmarks import uncertainty_rules
from benchmarks.uncertainty_rules import IN_USE, KNOWN, RULES, Joints, joints_of, judge, pinball
from poselift.cli.calibrate import lift_view
from poselift.data.cmu_bench import CmuBench
from poselift.models import SpatioTemporalLifter, load_weights, save_weights

SIZE = {
    "joint_dim": 8,
    "frame_dim": 32,
    "dim": 32,
    "heads": 4,
    "depth": 1,
    "skeleton_out": "cmu28",
    "uncertainty": True,
}


@pytest.fixture
def weights(tmp_path):
    torch.manual_seed(0)
    save_weights(tmp_path / "l.safetensors", SpatioTemporalLifter(**SIZE), 24, {})
    return load_weights(str(tmp_path / "l.safetensors"))


def person(misfit, seed):
    """Somebody whose errors are as large as the lifter says, times how badly the pose fits."""
    generator = np.random.default_rng(seed)
    uncertainty = generator.uniform(0.02, 0.2, 4000)
    error = uncertainty * misfit * generator.uniform(0.0, 1.0, 4000)
    ones = {key: np.ones(4000) for key in KNOWN}
    return Joints(error, {**ones, "uncertainty": uncertainty, "misfit": np.full(4000, misfit)})


def test_the_pinball_loss_is_that_of_the_ninth_tenth():
    error, uncertainty = np.array([0.03, 0.01]), np.array([0.02, 0.02])
    assert pinball(error, uncertainty) == pytest.approx((0.9 * 10 + 0.1 * 10) / 2)
    errors = np.random.default_rng(0).uniform(0, 1, 20000)
    best = min(np.linspace(0.5, 1.0, 51), key=lambda one: pinball(errors, np.full_like(errors, one)))
    assert best == pytest.approx(0.9, abs=0.011)


def test_a_rule_by_what_decides_the_errors_wins_and_others_are_judged_without_their_own_subject():
    people = {"a": person(0.5, 0), "b": person(1.0, 1), "c": person(2.0, 2)}
    plain, right = judge(people, {}), judge(people, {"misfit": 1.0})
    assert right[0] < plain[0]
    assert right[1] < plain[1]
    assert all(share == pytest.approx(90, abs=1.5) for share in right[2].values())
    # The factor of the two others is far too small for the third, and would be right were its own errors in it.
    assert plain[2]["c"] < 60
    assert plain[2]["a"] == 100


def test_the_rule_in_use_is_that_of_the_package(cmu_files, weights):
    view = CmuBench(*cmu_files, "coco17", "det")[0]
    weights = replace(weights, card={**weights.card, "uncertainty_factor": 1.7})
    joints, motion = joints_of(view, weights), lift_view(view, weights)
    shown = motion.uncertainty[:, motion.skeleton.indices(list(uncertainty_rules.MEASURED))]
    scale = 1.7 * 0.1**-0.2 * 0.02**-0.2  # the factor, and the radius and the misfit at which a radius stays as it is
    np.testing.assert_allclose(scale * joints.widened(IN_USE), shown[np.isfinite(shown)], rtol=1e-4)


def two_subjects(cmu_files):
    corpus, bench = cmu_files
    with np.load(bench) as arrays:
        np.savez(bench.with_name("two.npz"), **{**arrays, "subject": np.array(["s01", "s02"])})
    return corpus, bench.with_name("two.npz")


def run(monkeypatch, cmu_files, *options):
    corpus, bench = cmu_files
    command = ["uncertainty_rules.py", "--corpus", corpus, "--bench", bench, *options]
    monkeypatch.setattr(sys, "argv", [str(word) for word in command])
    uncertainty_rules.main()


def test_a_row_for_every_rule(monkeypatch, tmp_path, cmu_files, weights, capsys):
    out = tmp_path / "rules.md"
    run(monkeypatch, two_subjects(cmu_files), "--weights", weights.path, "--out", out)
    lines = out.read_text().splitlines()
    assert lines == capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(RULES)
    assert lines[2].startswith("| l | as learnt | ")


def test_weights_without_radii_are_refused(monkeypatch, tmp_path, cmu_files, capsys):
    save_weights(tmp_path / "n.safetensors", SpatioTemporalLifter(**{**SIZE, "uncertainty": False}), 24, {})
    with pytest.raises(SystemExit):
        run(monkeypatch, two_subjects(cmu_files), "--weights", tmp_path / "n.safetensors")
    assert "model.uncertainty=true" in capsys.readouterr().err


def test_one_subject_cannot_be_judged_by_others(monkeypatch, cmu_files, weights, capsys):
    with pytest.raises(SystemExit):
        run(monkeypatch, cmu_files, "--weights", weights.path)
    assert "one subject only" in capsys.readouterr().err
