"""Published rows: those that come with the package, and what is refused."""

from statistics import fmean

import pytest
import yaml

from poselift.core.errors import InputError
from poselift.reports.protocols import H36M_ACTIONS, PROTOCOLS
from poselift.reports.published import read_published

ROW = {
    "name": "Theirs",
    "protocol": "h36m_p1",
    "points": "gt",
    "values": {"mpjpe": 21.6, "p_mpjpe": 17},
    "paper": "Doe et al., Lifting, CVPR 2020",
    "url": "https://example.org/paper",
}


def read(tmp_path, *rows):
    path = tmp_path / "peers.yaml"
    path.write_text(yaml.safe_dump({"rows": list(rows)}))
    return read_published(path)


def test_the_rows_that_come_with_the_package():
    rows = {(row.name, row.protocol, row.exact_points): row for row in read_published()}
    assert len(rows) == len(read_published())
    theirs = rows["MotionAGFormer-B", "h36m_p1", False]
    assert (theirs.values, theirs.window, theirs.parameters, theirs.macs) == ({"mpjpe": 38.4}, 243, 11.7, 265.0)
    assert theirs.citation.endswith(", https://arxiv.org/abs/2310.16288")
    assert {row.protocol for row in rows.values()} == {"h36m_p1", "h36m_p2", "mpi_inf_3dhp"}
    assert all(row.values[PROTOCOLS[row.protocol].headline] for row in rows.values())
    assert (theirs.keypoints, theirs.weights) == ("sh_conf", "open")


def test_rows_of_one_paper_are_not_mixed():
    """STCFormer, CVPR 2023, tables 1 and 2: the large model, the standard one, and with its last module."""
    rows = {(row.name, row.protocol, row.exact_points): row.values for row in read_published()}
    assert rows["STCFormer-L", "h36m_p1", False] == {"mpjpe": 40.5, "p_mpjpe": 31.8}
    assert rows["STCFormer", "h36m_p1", False] == {"mpjpe": 41.0, "p_mpjpe": 32.0}
    assert rows["STCFormer", "h36m_p1", True] == {"mpjpe": 22.0}
    assert rows["STCFormer (refined)", "h36m_p1", True] == {"mpjpe": 21.3}
    assert rows["MotionBERT", "h36m_p2", False]["p_mpjpe"] == 32.9
    assert rows["MotionAGFormer-L", "h36m_p2", False] == {"p_mpjpe": 32.5}
    assert not any(word in row.citation for row in read_published() for word in ("index", "wizwand", "sotaverified"))


def test_values_that_only_later_papers_print_have_no_row():
    """They were not found in the paper, nor in its authors' repository."""
    rows = {(row.name, row.protocol, row.exact_points): row.values for row in read_published()}
    assert ("SimpleBaseline", "h36m_p1", True) not in rows
    assert ("MotionAGFormer-L", "h36m_p1", False) not in rows
    assert rows["PoseFormerV2", "h36m_p1", False] == {"mpjpe": 45.2}
    assert ("PoseFormerV2", "h36m_p2", False) not in rows
    assert rows["MotionAGFormer-L", "h36m_p1", True] == {"mpjpe": 17.3}


def test_values_by_action_have_the_published_mean():
    rows = [row for row in read_published() if row.groups]
    assert {"VideoPose3D", "MixSTE", "MHFormer", "STCFormer"} <= {row.name for row in rows}
    for row in rows:
        for key, groups in row.groups.items():
            assert tuple(groups) == H36M_ACTIONS
            # The papers' own means are up to 0.11 mm from their actions'.
            assert fmean(groups.values()) == pytest.approx(row.values[key], abs=0.12), row


def test_a_row_may_stand_under_several_protocols(tmp_path):
    both = {"protocol": ["h36m_p1", "h36m_p2"], "groups": {"mpjpe": [21.6] * 15}, "differs": "other takes"}
    first, second = read(tmp_path, ROW | both)
    assert (first.protocol, second.protocol) == ("h36m_p1", "h36m_p2")
    assert first.groups == second.groups == {"mpjpe": dict.fromkeys(H36M_ACTIONS, 21.6)}
    assert first.citation == f"{ROW['paper']}; differs from the protocol: other takes, {ROW['url']}"


def test_rows_by_motionberts_evaluation_are_marked():
    """Its 2D, its scale and its takes are not those of VideoPose3D's protocol."""
    marked = {row.name for row in read_published() if row.differs}
    families = ("MotionBERT", "MotionAGFormer", "HoT", "PoseMamba", "TCPFormer")
    on_h36m = (row.name for row in read_published() if row.protocol.startswith("h36m"))
    assert marked == {name for name in on_h36m if name.startswith(families)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"url": "https://a.b/{c}"}, "url must be"),
        ({"values": {"mpje": 1.0}}, "metrics are mpjpe, "),
        ({"values": {"mpjpe": float("nan")}}, "mpjpe must be a number above 0, not nan"),
        ({"keypoints": 3}, "keypoints must be a text, not 3"),
        ({"protocol": ["h36m_p1", "p2"]}, "no protocol is called 'p2'"),
        ({"groups": {"mpjpe": [1.0, 2.0]}}, "groups of mpjpe must be a list of 15 numbers: Directions, "),
        ({"groups": {"auc": [1.0] * 15}}, r"of metrics in `values` \(mpjpe, p_mpjpe\)"),
        ({"colour": "red"}, "has colour; the known keys are differs, groups, keypoints, macs, name"),
    ],
)
def test_a_row_that_is_wrong_is_named(change, message, tmp_path):
    with pytest.raises(InputError, match=rf"peers\.yaml, row 2.* {message}|peers\.yaml, row 2: {message}"):
        read(tmp_path, ROW, ROW | change)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_published(tmp_path / "nothing.yaml")
    wrong = {"rows: [": "cannot be read as YAML", "- a": "must have a list under", "rows: [a]": "row 1 must"}
    for text, message in wrong.items():
        (tmp_path / "peers.yaml").write_text(text)
        with pytest.raises(InputError, match=message):
            read_published(tmp_path / "peers.yaml")
