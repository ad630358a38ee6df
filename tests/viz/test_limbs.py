import numpy as np
import pytest

from poselift.skeleton import COCO17, H36M17, SKELETONS
from poselift.viz.limbs import limbs_of


def _names(skeleton):
    limbs = limbs_of(skeleton)
    return [
        tuple("+".join(sorted({skeleton.joints[i] for i in end})) for end in line) for line in limbs.joints.tolist()
    ]


def test_bones_of_a_skeleton_with_a_middle():
    assert _names(H36M17) == list(H36M17.bones)


@pytest.mark.parametrize("skeleton", SKELETONS.values(), ids=SKELETONS)
def test_sides(skeleton):
    limbs = limbs_of(skeleton)
    sides = dict(zip(_names(skeleton), limbs.sides, strict=True))
    for (start, end), side in sides.items():
        across = {word.split("_")[0] for word in f"{start}+{end}".split("+")} >= {"left", "right"}
        expected = "middle" if across or "_" not in end else end.split("_")[0]
        assert side == (expected if expected in ("left", "right") else "middle")
    assert limbs.sides.count("left") == limbs.sides.count("right") > 0
    assert len(limbs.widths) == len(limbs.sides)


def test_ends_need_their_joints():
    points = np.arange(34.0).reshape(17, 2)
    points[COCO17.index("left_shoulder")] = np.nan
    limbs = limbs_of(COCO17)
    ends = limbs.ends(points)
    neck = _names(COCO17).index(("left_shoulder+right_shoulder", "nose"))
    assert np.isnan(ends[neck, 0]).all()
    np.testing.assert_array_equal(ends[neck, 1], points[COCO17.index("nose")])
