import numpy as np
import pytest

from poselift.skeleton import CMU28
from poselift.skeleton.flesh import ARM, HEAD, LEG, capsule_radii


@pytest.mark.parametrize(
    ("bone", "profile"), [("left_knee", LEG), ("ankle", LEG), ("right_wrist", ARM), ("head", HEAD)]
)
def test_a_capsule_is_as_thick_as_the_part_that_it_stands_for(bone, profile):
    widths = np.array(profile)[:, 1:]
    start, end = capsule_radii(bone)
    assert widths.min() <= end <= start <= widths.max()


def test_limbs_taper_over_a_joint_and_every_joint_has_a_radius():
    thigh, shin = capsule_radii("left_knee"), capsule_radii("left_ankle")
    assert thigh[0] > thigh[1] > shin[0] > shin[1]
    assert all(0.01 < radius < 0.1 for joint in CMU28.joints for radius in capsule_radii(joint))
