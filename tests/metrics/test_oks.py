import math

import pytest
import torch
from torch.testing import assert_close

from poselift.metrics import functional as F


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


def people(count: int) -> torch.Tensor:
    """So many people, 1000 px from each other; 100 px² of area each makes a joint off by d px easy to compute."""
    points = torch.rand(count, 17, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return points + 1000 * torch.arange(count)[:, None, None]


def image(found, scores, true, mask=None):
    areas = torch.full((len(true),), 1e4, dtype=torch.float64)
    mask = torch.ones(true.shape[:2], dtype=torch.bool) if mask is None else mask
    return F.PosesInImage(found, torch.tensor(scores, dtype=torch.float64), true, areas, mask)


def test_sigmas_are_cocos():
    """As listed at https://cocodataset.org/#keypoints-eval, times 1000, in the order of its joints."""
    expected = [26, 25, 25, 35, 35, 79, 79, 72, 72, 62, 62, 107, 107, 87, 87, 89, 89]
    assert [round(1000 * sigma) for sigma in F.COCO_SIGMAS] == expected


def test_oks_by_hand():
    target = torch.zeros(2, 2, 2)
    pred = target.clone()
    pred[0, 0, 0] = 10.0  # exp(-100 / (2 · 400 · (2 · 0.25)²)) = exp(-0.5)
    area = torch.tensor([400.0, 400.0])
    found = F.oks(pred, target, area, sigmas=(0.25, 0.25))
    assert_close(found, torch.tensor([(1 + math.exp(-0.5)) / 2, 1.0], dtype=torch.float64))
    mask = torch.tensor([[True, False], [False, False]])
    found = F.oks(pred, target, area, mask, sigmas=(0.25, 0.25))
    assert_close(found[0], number(math.exp(-0.5)))
    assert found[1].isnan()


def test_sigmas_must_be_one_a_joint():
    with pytest.raises(ValueError, match="sigmas"):
        F.oks(torch.zeros(1, 3, 2), torch.zeros(1, 3, 2), torch.ones(1))


def test_perfect_is_one_and_nobody_there_is_nan():
    true = people(3)
    assert_close(F.oks_ap([image(true, [0.9, 0.8, 0.7], true)]), number(1.0))
    assert F.oks_ap([image(true, [0.9, 0.8, 0.7], true[:0])]).isnan()
    assert F.oks_ap([]).isnan()
    assert F.oks_ap([image(true[:0], [], true)]) == 0
    unlabelled = torch.zeros(3, 17, dtype=torch.bool)
    assert F.oks_ap([image(true, [0.9, 0.8, 0.7], true, unlabelled)]).isnan()


def test_precision_at_101_recalls_by_hand():
    # Right, wrong, right of 2 people: precision 1 up to recall 0.5, then 2/3; 51 and 50 of the 101 points.
    scores = torch.tensor([0.7, 0.9, 0.8])
    matched = torch.tensor([True, True, False])[:, None].expand(3, 10)
    expected = (51 + 50 * 2 / 3) / 101
    assert_close(F.average_precision(scores, matched, 2), torch.full((10,), expected, dtype=torch.float64))


def test_a_second_detection_of_a_person_is_false():
    true = people(2)
    found = torch.cat((true[:1], true[:1], true[1:]))
    expected = (51 + 50 * 2 / 3) / 101
    assert_close(F.oks_ap([image(found, [0.9, 0.8, 0.7], true)]), number(expected))


def test_a_person_who_is_missed_lowers_recall_only():
    true = people(2)
    assert_close(F.oks_ap([image(true[:1], [0.9], true)]), number(51 / 101))


def test_a_middling_pose_is_matched_at_the_low_thresholds():
    true = people(1)
    found = true + torch.tensor([12.0, 0.0])
    similarity = F.oks(found, true, torch.tensor([1e4], dtype=torch.float64))
    share = sum(similarity.item() >= threshold for threshold in F.OKS_THRESHOLDS) / 10
    assert 0 < share < 1
    assert_close(F.oks_ap([image(found, [0.9], true)]), number(share))


def test_a_person_or_a_pose_that_is_no_number_is_like_nobody():
    true = people(2)
    found = true.clone()
    found[0, 3] = math.nan
    assert_close(F.oks_ap([image(found, [0.9, 0.8], true)]), number(51 * 0.5 / 101))  # half precision at half recall
    labelled = image(true[1:], [0.9], true)
    labelled.areas[0] = 0.0
    labelled.target[0] = labelled.keypoints[0]  # 0 / 0
    assert_close(F.oks_ap([labelled]), number(51 / 101))


def test_only_the_20_best_of_an_image_are_looked_at():
    true = people(1)
    found = torch.cat((true + 500 * (1 + torch.arange(20))[:, None, None], true))
    assert F.oks_ap([image(found, [0.9] * 20 + [0.1], true)]) == 0
