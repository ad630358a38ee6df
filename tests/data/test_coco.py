import pytest
import torch

from poselift.core.errors import InputError
from poselift.data.coco import load_coco
from poselift.skeleton import COCO17
from tests.data.formats.pictures import SIZE, write_coco


@pytest.mark.parametrize("split", ["train", "val"])
def test_labelled_keypoints_count_whether_visible_or_not(tmp_path, split):
    truth = {name: people for name, people in write_coco(tmp_path).items() if name.startswith(split)}
    views = load_coco(tmp_path, split)
    assert [f"{split}/{view.name}" for view in views] == list(truth), "no crowd, and nobody without keypoints"
    for view, keypoints in zip(views, truth.values(), strict=True):
        labelled = torch.from_numpy(keypoints[:, 2] > 0)
        assert torch.equal(view.scores[0], labelled.float())
        expected = torch.from_numpy(keypoints[:, :2]).float()
        assert torch.equal(view.keypoints[0, labelled], expected[labelled])
        assert view.keypoints[0, ~labelled].isnan().all()
        assert view.keypoint_skeleton == COCO17
        assert view.image_size.tolist() == list(SIZE)
        assert len(view) == 1
        assert view.joints.isnan().all()
        assert view.root.isnan().all()
    assert views[1].scores[0, COCO17.index("left_ear")] == 1, "hidden, but labelled"
    assert views[1].scores[0, COCO17.index("left_ankle")] == 0


def test_people_with_few_keypoints_can_be_left_out(tmp_path):
    write_coco(tmp_path)
    assert [view.name for view in load_coco(tmp_path, min_keypoints=17)] == [
        view.name for view in load_coco(tmp_path) if view.name != "0/101"
    ]
    assert len(load_coco(tmp_path, min_keypoints=0)) == 6, "nobody without any"
    with pytest.raises(InputError, match=r"val2017.json has no person with data.min_keypoints=18 or more"):
        load_coco(tmp_path, min_keypoints=18)
