import sys
from dataclasses import replace

import pytest
import torch

from benchmarks import ray_fit
from benchmarks.ray_fit import Knowledge, bones, fit, main
from poselift.data.synthetic import synthetic_corpus
from poselift.models import SpatioTemporalLifter, save_weights
from poselift.skeleton import H36M17

SIZE = {
    "joint_dim": 8,
    "frame_dim": 32,
    "dim": 32,
    "heads": 4,
    "depth": 1,
    "skeleton_out": "cmu28",
    "uncertainty": True,
}


@pytest.fixture(scope="module")
def scene():
    """Somebody 4 m away, and what is known of them where the lifter has them 8 % too large."""
    truth = synthetic_corpus(1, 40, seed=1).converted(H36M17).joints[:20].double()
    truth = truth - truth[:, :1]
    root = torch.tensor([0.2, 0.0, 4.0], dtype=torch.float64).expand(len(truth), 3)
    placed = truth + root[:, None]
    rays = placed / placed.norm(dim=-1, keepdim=True)
    ones = torch.ones(truth.shape[:2], dtype=torch.float64)
    times = torch.arange(len(truth), dtype=torch.float64) / 50
    return truth, root, Knowledge(1.08 * truth, 1.08 * root, 0.1 * ones, rays, ones, times, 0.003)


@pytest.fixture(autouse=True)
def sooner(monkeypatch):
    monkeypatch.setattr(ray_fit, "_ROUNDS", 150)


def error(joints, truth):
    return float((joints - truth).norm(dim=-1).mean())


def test_true_lengths_give_the_true_size_and_rays_alone_do_not(scene):
    truth, _, known = scene
    lengths = bones(truth).median(0).values
    assert error(known.lifted, truth) > 0.02
    assert error(fit(known), truth) > 0.02, "a large body far away looks as a small one nearby"
    assert error(fit(replace(known, lengths=lengths)), truth) < 0.3 * error(known.lifted, truth)


def test_a_root_that_is_known_stays_and_shows_part_of_the_size(scene):
    truth, root, known = scene
    found = error(fit(replace(known, root=root, root_known=True)), truth)
    assert found < 0.8 * error(known.lifted, truth), "as wide as its rays at that distance"
    assert found < 0.8 * error(fit(known), truth)


def test_a_joint_beside_its_ray_is_brought_to_it_and_the_less_the_worse_rays_are(scene):
    truth, root, known = scene
    beside = truth.clone()
    hand = H36M17.index("left_wrist")
    beside[:, hand, 0] += 0.05
    known = replace(known, lifted=beside, root=root, lengths=bones(truth).median(0).values)
    good, bad = (error(fit(replace(known, ray_error=far))[:, hand], truth[:, hand]) for far in (0.003, 0.2))
    assert good < 0.015 < bad < 0.05
    unseen = replace(known, trust=torch.zeros_like(known.trust), lengths=None)
    assert error(fit(unseen)[:, hand], beside[:, hand]) < 0.015, "without rays, as lifted"


def test_the_table(cmu_files, tmp_path, monkeypatch, capsys):
    torch.manual_seed(0)
    save_weights(tmp_path / "l.safetensors", SpatioTemporalLifter(**SIZE), 24, {})
    monkeypatch.setattr(ray_fit, "_ROUNDS", 3)
    corpus, bench = cmu_files
    arguments = ["--corpus", corpus, "--bench", bench, "--weights", tmp_path / "l.safetensors", "--frames", 30]
    monkeypatch.setattr(sys, "argv", ["ray_fit.py", *map(str, arguments), "--out", str(tmp_path / "table.md")])
    threads = torch.get_num_threads()
    main()
    torch.set_num_threads(threads)
    printed = capsys.readouterr().out
    assert (tmp_path / "table.md").read_text() == printed
    lines = printed.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == [
        "as lifted",
        "fit, rays good to 3 mm",
        "fit, rays good to 20 mm",
        "the first, with true lengths",
        "and the true root",
    ]
    assert len({tuple(line.split("|")[2:]) for line in lines[2:]}) == 5, "each fit gives something else"
