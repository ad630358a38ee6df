import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.reports.plausibility import find_suspicions
from poselift.reports.prediction_files import Predictions
from poselift.reports.protocols import get_protocol
from poselift.skeleton import COCO17, H36M17

CMU = get_protocol("cmu_bench")


def asked(views, poses, change=lambda pose: pose, **kinds):
    changed = {name: np.ascontiguousarray(change(pose)) for name, pose in poses.items()}
    return find_suspicions(views, Predictions(changed, kinds.pop("skeleton", H36M17), **kinds), CMU)


def test_nothing_is_said_of_good_ones(views, predicted):
    assert asked(views, predicted) == []
    assert asked(views, predicted, lambda pose: pose * 1.2 + 5) == []


def test_a_unit_wrong_by_1000_is_refused_and_another_scale_warns(views, predicted):
    with pytest.raises(InputError, match="times too large: the unit seems to be millimetres; give unit=mm"):
        asked(views, predicted, lambda pose: pose * 1000)
    with pytest.raises(InputError, match="times too small: the unit seems to be metres; give unit=m"):
        asked(views, predicted, lambda pose: pose / 1000)
    assert asked(views, predicted, lambda pose: pose * 1000, lengths=False) == []
    (warning,) = asked(views, predicted, lambda pose: pose / 2)
    assert warning.startswith("suspicious scale: people are 0.5")


def test_the_order_of_another_joint_set_is_refused(views, predicted):
    order = [H36M17.index(joint) if joint in H36M17.joints else H36M17.index("head_top") for joint in COCO17.joints]
    with pytest.raises(InputError, match="in the order of skeleton coco17, not h36m17; give joints=coco17"):
        asked(views, predicted, lambda pose: pose[:, order])
    assert asked(views, predicted, lambda pose: pose[:, order], skeleton=COCO17) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda pose: pose[:, list(H36M17.flip_indices)], "left and right joints look swapped"),
        (lambda pose: pose * np.float32([-1, 1, 1]), "x looks mirrored"),
        (lambda pose: pose * np.float32([1, -1, -1]), "y up"),
        (lambda pose: pose[:, ::-1], "poses are hardly better than all joints at the root; check the order of joints"),
    ],
)
def test_other_sides_axes_and_orders_warn(views, predicted, change, message):
    assert any(message in warning for warning in asked(views, predicted, change))
