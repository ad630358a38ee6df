import pytest
import torch

from poselift.data.augment import pelvis_axes
from poselift.data.noise import DetectorNoise, detect, landmarks
from poselift.skeleton import CMU28

QUIET = {"scale": 1.0, "missing": 0.0, "jump": 0.0, "limb": 0.0, "swap": 0.0, "hidden": 0.0, "scale_spread": 0.0}
SIZE = torch.tensor([[4000.0, 4000.0]]).expand(64, 2)


@pytest.fixture
def scene():
    """64 people of 1000 px who stand still for 100 frames at 50 fps."""
    pixels = 1500 + 1000 * torch.rand(64, 1, 28, 2, generator=torch.Generator().manual_seed(5))
    pixels[:, :, 0], pixels[:, :, 1] = 1500, 2500
    return pixels.expand(64, 100, 28, 2).clone(), (torch.arange(100) / 50).expand(64, 100)


def test_error_has_the_size_and_memory_asked_for(scene, generator):
    pixels, times = scene
    found, _ = detect(pixels, times, SIZE, DetectorNoise(**QUIET, bias=0.0, drift=0.5, drift_time=0.2), generator)
    error = (found - pixels)[:, :, CMU28.index("left_wrist")] / 1000
    assert float(error.std()) == pytest.approx(0.0155, rel=0.1)
    # Half of the variance drifts: correlation 0.5 exp(-lag / 0.2 s).
    for lag in (1, 10):
        both = (error[:, lag:] * error[:, :-lag]).mean() / error.square().mean()
        assert float(both) == pytest.approx(0.5 * torch.exp(torch.tensor(-lag / 50 / 0.2)).item(), abs=0.06)


@pytest.mark.parametrize(("rate", "last"), [(0.1, 0.1), (0.3, 0.4)])
def test_spells_of_missing_joints(scene, generator, rate, last):
    pixels, times = scene
    found, scores = detect(
        pixels, times, SIZE, DetectorNoise(**{**QUIET, "missing": rate}, missing_time=last), generator
    )
    missing = found.isnan().any(-1)
    assert float(missing.float().mean()) == pytest.approx(rate, rel=0.15)
    assert (scores[missing] == 0).all()
    assert (scores[~missing] > 0).all()
    # A spell goes on into the next frame with probability exp(-interval / last) and a bit.
    stays = (missing[:, 1:] & missing[:, :-1]).sum() / missing[:, :-1].sum()
    leave = 1 - torch.exp(torch.tensor(-0.02 / last))
    assert float(stays) == pytest.approx(float(1 - leave), abs=0.04)


def test_swapped_legs_are_the_other_leg(scene, generator):
    pixels, times = scene
    noise = DetectorNoise(**{**QUIET, "swap": 0.3, "scale": 1e-6})
    found, _ = detect(pixels, times, SIZE, noise, generator)
    left, right = CMU28.index("left_knee"), CMU28.index("right_knee")
    own = (found[:, :, left] - pixels[:, :, left]).norm(dim=-1) < 1
    other = (found[:, :, left] - pixels[:, :, right]).norm(dim=-1) < 1
    assert (own | other).all()
    assert 0.2 < float(other.float().mean()) < 0.4


def test_some_windows_are_exact_and_others_without_scores(scene, generator):
    pixels, times = scene
    outside = pixels.clone()
    outside[:, :50, CMU28.index("nose")] = -100.0
    found, scores = detect(outside, times, SIZE, DetectorNoise(exact=0.3, unscored=0.5), generator)
    exact = (found == outside).all(-1)[:, 50:].all(-1).all(-1)
    assert 0.15 < float(exact.float().mean()) < 0.45
    # A joint outside the picture is not found there either.
    assert found[exact][:, :50, CMU28.index("nose")].isnan().all()
    ones = ((scores == 1) | found.isnan().any(-1)).all(-1).all(-1)
    assert ones[exact].all()
    assert 0.3 < float(ones[~exact].float().mean()) < 0.7


def test_landmarks_are_fixed_in_the_body_and_alike_on_both_sides(generator):
    joints = torch.randn(1, 1, 28, 3, generator=generator).expand(2000, 3, 28, 3).clone()
    turn = torch.tensor([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    joints[:, 1] = joints[:, 0] @ turn.T
    places = landmarks(joints, DetectorNoise(offset=1.0), generator)
    torch.testing.assert_close(places[:, 1], places[:, 0] @ turn.T)
    torch.testing.assert_close(places[:, 2], places[:, 0])
    assert float(places[:, 0, CMU28.index("left_hip")].std()) == pytest.approx(0.02, rel=0.1)
    axes = pelvis_axes(joints)[:, 0]
    left, right = ((axes.mT @ places[:, 0, CMU28.index(f"{side}_knee"), :, None])[..., 0] for side in ("left", "right"))
    alike = (left * right * torch.tensor([-1.0, 1, 1])).mean(0) / left.square().mean(0)
    assert alike.tolist() == pytest.approx([0.8] * 3, abs=0.08)
