import math
from dataclasses import replace

import pytest
import torch

from poselift.data import augment
from poselift.data.windows import WindowSampler
from poselift.geometry import axis_angle_to_matrix, bone_lengths
from poselift.skeleton import CMU28


@pytest.fixture
def windows(corpus, generator):
    return WindowSampler(corpus, 24, reverse=0.0).sample(16, generator)


def lengths(windows):
    return bone_lengths(windows.joints, CMU28.parent_indices)[..., 1:]


def test_mirroring_all_twice_is_nothing(windows, generator):
    once = augment.mirror(windows, 1.0, generator)
    assert not torch.allclose(once.joints, windows.joints)
    torch.testing.assert_close(augment.mirror(once, 1.0, generator).joints, windows.joints)
    # The left wrist of the mirrored body is where the right one was, on the other side.
    left, right = CMU28.index("left_wrist"), CMU28.index("right_wrist")
    torch.testing.assert_close(once.joints[:, :, left, 0], -windows.joints[:, :, right, 0])
    torch.testing.assert_close(once.root * torch.tensor([-1.0, 1, 1]), windows.root)


def test_tilting_turns_all_about_the_middle_of_the_way(windows, generator):
    tilted = augment.tilt(windows, 1.0, 0.5, generator)
    torch.testing.assert_close(tilted.root.mean(1), windows.root.mean(1), atol=1e-4, rtol=0)
    before, after = (part.joints + part.root[:, :, None] for part in (windows, tilted))
    moves = [(part[:, 1:] - part[:, :-1]).norm(dim=-1) for part in (before, after)]
    torch.testing.assert_close(*moves, atol=1e-4, rtol=1e-3)
    assert float((after - before).norm(dim=-1).mean()) > 0.05


def test_recombining_keeps_legs_and_takes_arms(windows, generator):
    changed = augment.recombine(windows, 1.0, generator)
    legs = CMU28.indices(["left_knee", "right_ankle", "left_hip"])
    torch.testing.assert_close(changed.joints[:, :, legs], windows.joints[:, :, legs])
    arm = CMU28.index("left_wrist")
    assert float((changed.joints - windows.joints)[:, :, arm].norm(dim=-1).mean()) > 0.02
    # The borrowed body is whole: its bones are as long as some window's.
    upper = [CMU28.index(joint) - 1 for joint in ("thorax", "head_top", "left_elbow", "right_wrist", "nose")]
    own = lengths(windows)[:, 0, upper]
    for borrowed in lengths(changed)[:, 0, upper]:
        assert float((own - borrowed).abs().amax(1).min()) < 1e-4


def test_bending_keeps_bone_lengths(windows, generator):
    changed = augment.bend(windows, 1.0, generator)
    torch.testing.assert_close(lengths(changed), lengths(windows), atol=1e-5, rtol=1e-4)
    assert float((changed.joints - windows.joints).norm(dim=-1).mean()) > 0.02


def test_a_bend_turns_with_the_person(windows, generator):
    """Seen from the pelvis, the turn that is added to the trunk is the same in every frame."""
    turn = 2 * math.pi * torch.linspace(0, 1, 24)
    about = torch.zeros(24, 3)
    about[:, 1] = turn
    pose = windows.joints[:, :1].expand(-1, 24, -1, -1)
    turning = replace(windows, joints=torch.einsum("tik,btjk->btji", axis_angle_to_matrix(about), pose))
    changed = augment.bend(turning, 1.0, generator).joints
    back = torch.einsum("tki,btjk->btji", axis_angle_to_matrix(about), changed)
    torch.testing.assert_close(back, back[:, :1].expand_as(back), atol=1e-4, rtol=1e-3)


def test_a_bend_that_sways_turns_to_and_fro_about_the_one_that_stays(windows, generator):
    pose = windows.joints[:, :1].expand(-1, 24, -1, -1)
    still = replace(windows, joints=pose)
    changed = augment.bend(still, 1.0, generator, sway=1.0)
    torch.testing.assert_close(lengths(changed), lengths(still), atol=1e-5, rtol=1e-4)
    moves = (changed.joints - changed.joints[:, :1]).norm(dim=-1).amax(1)
    assert float(moves[:, CMU28.index("head_top")].median()) > 0.02
    assert float(moves[:, CMU28.index("left_hip")].max()) < 1e-5


def test_borrowed_arms_play_at_nearly_their_own_speed(corpus, generator):
    drawn = WindowSampler(corpus, 24, reverse=0.0).sample(64, generator)
    arm = CMU28.index("left_wrist")
    lasts = drawn.times[:, -1]
    changed = augment.recombine(drawn, 1.0, generator)
    reach = changed.joints[:, :, arm].norm(dim=-1)
    donor = (reach[:, None] - drawn.joints[None, :, :, arm].norm(dim=-1)).abs().amax(-1).argmin(1)
    factor = (lasts[donor] / lasts).log().abs()
    assert float(factor.median()) < 0.1


def test_proportions_stay_all_through_a_window_and_on_both_sides(windows, generator):
    changed = augment.change_proportions(windows, 0.1, generator)
    ratio = lengths(changed) / lengths(windows)
    torch.testing.assert_close(ratio, ratio[:, :1].expand_as(ratio), atol=1e-4, rtol=1e-3)
    left, right = CMU28.index("left_elbow") - 1, CMU28.index("right_elbow") - 1
    torch.testing.assert_close(ratio[..., left], ratio[..., right], atol=1e-4, rtol=1e-3)
    assert float(ratio[:, 0, left].std()) > 0.03


def test_a_planted_foot_stays_planted_with_other_legs(windows, generator):
    """The pelvis swings over a foot that stands: with longer legs it swings further, and the foot still stands."""
    hip, knee, ankle = CMU28.indices(["left_hip", "left_knee", "left_ankle"])
    swing = torch.linspace(-0.4, 0.4, 24)
    leg = torch.stack((torch.zeros(24), -swing.cos(), -swing.sin()), -1)
    joints = windows.joints.clone()
    joints[:, :, hip] = 0.0
    joints[:, :, knee], joints[:, :, ankle] = 0.45 * leg, 0.9 * leg
    planted = replace(windows, joints=joints, root=(-0.9 * leg).expand(16, -1, -1))
    changed = augment.change_proportions(planted, 0.15, generator)
    foot = changed.joints[:, :, ankle] + changed.root
    # Thigh and shank change by up to a few per cent against their mean, by which the way is scaled.
    assert float((foot - foot[:, :1]).norm(dim=-1).max()) < 0.02
    torn = changed.joints[:, :, ankle] + planted.root
    assert float((torn - torn[:, :1]).norm(dim=-1).max()) > 0.1


def test_unknown_joints_stay_unknown(windows, generator):
    joints = windows.joints.clone()
    nose = CMU28.index("nose")
    joints[:, :, nose] = torch.nan
    changed = replace(windows, joints=joints)
    for step in (augment.recombine, augment.bend, augment.mirror):
        changed = step(changed, 1.0, generator)
    changed = augment.change_proportions(changed, 0.1, generator)
    assert changed.joints[:, :, nose].isnan().all()
    assert changed.joints.isfinite().all(-1).sum() == 27 * 16 * 24
