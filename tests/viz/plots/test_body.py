import pytest
from matplotlib.path import Path

from poselift.reports.protocols import PROTOCOLS
from poselift.skeleton import SKELETONS
from poselift.viz.plots.body import outline, place

MEASURED = sorted({protocol.skeleton.name for protocol in PROTOCOLS.values()})


@pytest.mark.parametrize("name", MEASURED)
def test_every_joint_of_the_protocols_is_on_the_body(name):
    parts = [Path(corners) for corners in outline()]
    for joint in SKELETONS[name].joints:
        at = place(joint)
        assert at is not None
        assert any(part.contains_point(at) for part in parts), joint


def test_the_person_faces_the_viewer_upright():
    for part in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist"):
        right, left = place(f"right_{part}"), place(f"left_{part}")
        assert right[0] < 0 < left[0]
        assert right[1] == left[1]
    heights = [place(joint)[1] for joint in ("right_ankle", "right_knee", "pelvis", "spine", "thorax", "head_top")]
    assert heights == sorted(heights)
