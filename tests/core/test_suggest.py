import pytest

from poselift.core.suggest import nearest

KNOWN = ["small", "tiny", "rtmdet_m_640-8xb32_coco-person", "rtmdet_tiny_8xb32-300e_coco", "model.depth"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("smal1", "small"),
        ("RTMDet-m", "rtmdet_m_640-8xb32_coco-person"),
        ("rtmdet", "rtmdet_tiny_8xb32-300e_coco"),
        ("model.detph", "model.depth"),
        ("nonsense", None),
        ("?", None),
        ("", None),
    ],
)
def test_the_nearest_name(wanted, found):
    assert nearest(wanted, KNOWN) == found


def test_nothing_is_near_where_nothing_is_known():
    assert nearest("small", []) is None
