import pytest

from poselift.core.errors import InputError
from poselift.reports.measures import MEASURES
from poselift.reports.protocols import H36M_ACTIONS, PROTOCOLS, get_protocol
from poselift.skeleton import COCO17, H36M17


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
def test_each_is_whole(protocol):
    assert set(protocol.joints) <= set(protocol.skeleton.joints)
    assert protocol.root in (*protocol.skeleton.joints, "hips")
    assert protocol.headline in MEASURES
    assert protocol.citation
    assert protocol.note


def test_the_papers_protocols_are_there():
    assert [PROTOCOLS[f"h36m_p{n}"].headline for n in (1, 2, 3)] == ["mpjpe", "p_mpjpe", "n_mpjpe"]
    assert {"mpi_inf_3dhp", "humaneva", "pw3d", "surreal", "cmu_bench"} < set(PROTOCOLS)
    assert len(H36M_ACTIONS) == 15
    # The official PCK and AUC of MPI-INF-3DHP leave pelvis, spine and head out; its MPJPE does not.
    official = PROTOCOLS["mpi_inf_3dhp"]
    assert official.joints == official.skeleton.joints
    assert set(official.joints) - set(official.pck_joints) == {"pelvis", "spine", "head"}
    assert PROTOCOLS["mpi_inf_3dhp_14"].joints == official.pck_joints == PROTOCOLS["mpi_inf_3dhp_14"].pck_joints
    assert PROTOCOLS["h36m_p1"].pck_joints == PROTOCOLS["h36m_p1"].joints


@pytest.mark.parametrize(
    ("protocol", "subject", "action", "row"),
    [
        ("h36m_p1", "S9", "Walking 1", "Walking"),
        ("humaneva", "S1", "Jog 1 chunk0", "S1 Jog"),
        ("mpi_inf_3dhp", "TS5", "outdoor", "outdoor"),
        ("cmu_bench", "07", "", "07"),
    ],
)
def test_a_view_belongs_to_a_row(protocol, subject, action, row):
    assert get_protocol(protocol).group(subject, action) == row


def test_what_is_not_there_is_named():
    with pytest.raises(InputError, match=r"'h36m'; did you mean 'h36m_p1', 'h36m_p2'"):
        get_protocol("h36m")
    with pytest.raises(InputError, match="'Flying' is no action of protocol h36m_p1; there are Directions"):
        get_protocol("h36m_p1").group("S9", "Flying 2")


@pytest.mark.parametrize("name", ["cmu_bench", "pw3d"])
def test_a_root_that_is_not_there_is_said_whether_or_not_it_counts(name):
    protocol = get_protocol(name)
    said = [
        gap
        for gap in protocol.gaps(COCO17, protocol.groups, protocol.frames)
        if "both sides are relative to the middle" in gap
    ]
    assert len(said) == 1
    assert not [gap for gap in protocol.gaps(H36M17, protocol.groups, protocol.frames) if "relative to" in gap]


@pytest.mark.parametrize(
    ("frames", "whole"),
    [
        (543_344, True),
        (566_920, True),  # MotionBERT's file
        (543_344 // 5, False),  # every fifth frame
        (318_000, False),  # one subject
        (271_672, False),  # half of the takes
    ],
)
def test_a_part_of_the_frames_is_said(frames, whole):
    protocol = get_protocol("h36m_p1")
    said = protocol.gaps(H36M17, protocol.groups, frames)
    assert protocol.has_frames(frames) == whole
    assert [f"measured on {frames:,} frames, protocol h36m_p1 has 543,344" in gap for gap in said] == [True] * (
        not whole
    )
