import json

import numpy as np
import pytest
import torch

from poselift.data.jta import load_jta
from poselift.skeleton import JTA22
from tests.data.formats.jta import JOINTS, write_jta


@pytest.fixture
def written(tmp_path):
    return tmp_path, write_jta(tmp_path, {"test/seq_2": 12, "test/seq_10": 7, "val/seq_3": 9})


def test_a_view_for_each_spell_of_each_person(written):
    folder, truth = written
    views = load_jta(folder, "test")
    assert [(view.name, len(view)) for view in views] == [
        *(("seq_2/4/1", 8), ("seq_2/4/11", 2), ("seq_2/9/1", 12)),
        *(("seq_10/4/1", 7), ("seq_10/9/1", 7)),
    ]
    for view in views:
        sequence, person, first = view.name.split("/")
        assert view.subject == f"{sequence}/{person}"
        frames = slice(int(first) - 1, int(first) - 1 + len(view))
        points, _ = truth[f"test/{view.subject}"]
        np.testing.assert_allclose((view.joints + view.root[:, None]).numpy(), points[frames], atol=1e-5)
        hips = points[frames][:, [JOINTS.index("left_hip"), JOINTS.index("right_hip")]].mean(1)
        np.testing.assert_allclose(view.root.numpy(), hips, atol=1e-5)
        torch.testing.assert_close(view.times, torch.arange(len(view)) / 30)
        assert view.image_size.tolist() == [1920, 1080]
        assert view.keypoint_skeleton == view.skeleton == JTA22


def test_projections_to_the_pixel(written):
    folder, truth = written
    for view in load_jta(folder, "test"):
        first = int(view.name.rpartition("/")[2]) - 1
        pixels = truth[f"test/{view.subject}"][1][first : first + len(view)]
        seen = view.scores > 0
        np.testing.assert_array_equal(view.keypoints[seen].numpy(), pixels[seen.numpy()])
        assert view.K.tolist() == [[1158, 0, 960], [0, 1158, 540], [0, 0, 1]]
        x, y, z = (view.joints + view.root[:, None]).double().unbind(-1)
        projected = torch.stack([1158 * x / z + 960, 1158 * y / z + 540], -1)
        assert (projected - view.keypoints)[seen].abs().max() < 0.501, "pixels are whole numbers"


def test_what_is_occluded_is_not_seen(written):
    folder, _ = written
    _, _, view = load_jta(folder, "test", sequences=[2])
    ankle = JTA22.index("left_ankle")
    assert view.keypoints[0, ankle].isnan().all()
    assert view.scores[0].sum() == 21
    assert view.keypoints[1, ankle].isfinite().all(), "self-occluded"
    assert (view.scores[1:-1] == 1).all()
    assert view.keypoints[-1].isnan().all()
    assert (view.scores[-1] == 0).all()
    assert view.joints.isfinite().all()
    path = folder / "annotations" / "test" / "seq_2.json"
    rows = [[*row[:3], row[3] + 5000, *row[4:]] if row[2] == 0 else row for row in json.loads(path.read_text())]
    path.write_text(json.dumps(rows))
    head = JTA22.index("head_top")
    assert all(view.keypoints[:, head].isnan().all() for view in load_jta(folder, "test", sequences=[2]))


def test_a_joint_without_a_row_is_unknown(written):
    """Also where the rows that are left of two frames look like those of one person."""
    folder, _ = written
    path = folder / "annotations" / "val" / "seq_3.json"
    before = {view.name: view for view in load_jta(folder, "val")}
    rows = json.loads(path.read_text())
    path.write_text(json.dumps(without(rows, 3, *range(55, 66))))
    after = {view.name: view for view in load_jta(folder, "val")}
    assert after.keys() == before.keys()
    gaps = {name: (view.keypoints.isnan() & before[name].keypoints.isfinite()).any(-1) for name, view in after.items()}
    assert sum(int(gap.sum()) for gap in gaps.values()) == 1 + 11
    for name, view in after.items():
        assert (view.scores[gaps[name]] == 0).all()
        assert view.joints[gaps[name]].isnan().all()
        rooted = view.root.isfinite().all(1)
        torch.testing.assert_close(view.root[rooted], before[name].root[rooted])


def without(rows, *places):
    return [row for place, row in enumerate(rows) if place not in places]
