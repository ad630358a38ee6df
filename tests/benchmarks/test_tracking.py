import numpy as np
import pytest

from benchmarks import tracking
from benchmarks.scenes import Scene
from benchmarks.tracking import evaluation_data
from poselift.skeleton import COCO17
from poselift.structures import Detections


def test_who_is_not_counted_is_neither_right_nor_wrong():
    box = np.array([0.0, 0, 10, 20])
    boxes = np.stack([np.stack([box, box]), np.stack([box + 50, np.full(4, np.nan)])])
    poses = np.zeros((3, 17, 2))
    found = Detections(np.stack([box + 50, box, box + 90]), np.ones(3), poses, np.ones((3, 17)), COCO17)
    scene = Scene((200, 200), np.array([0.0, 0.1]), (found, found), (np.array([1, 0, -1]),) * 2, boxes)
    data = evaluation_data(scene, [np.array([7, 0, 0]), np.array([7, 4, 9])])
    assert [ids.tolist() for ids in data["gt_ids"]] == [[0, 1], [0]]
    # In the second frame person 1 is not counted: number 7 is left out, the detection without a person (9) is not.
    assert [ids.tolist() for ids in data["tracker_ids"]] == [[1], [0, 2]]
    assert (data["num_tracker_ids"], data["num_gt_dets"], data["num_tracker_dets"]) == (3, 3, 3)
    np.testing.assert_allclose(data["similarity_scores"][0], [[0], [1]])
    np.testing.assert_allclose(data["similarity_scores"][1], [[1, 0]])


def test_the_table_has_a_row_for_each_tracker(cmu_files, table):
    pytest.importorskip("trackers", reason="pip install poselift[bench]")
    pytest.importorskip("trackeval", reason="pip install poselift[bench]")
    tracking.main(["--corpus", str(cmu_files[0]), "--split", "val", "--people", "2", "--scenes", "1"])
    rows = {row[1]: row[2:] for row in table()[1:]}
    assert set(rows) == {*tracking.TRACKERS, "ours, every second frame"}
    assert float(rows["ours"][tracking.COLUMNS.index("IDF1")]) > 50
