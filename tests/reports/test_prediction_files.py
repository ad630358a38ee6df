import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.reports.evaluation import score_view, summarise
from poselift.reports.prediction_files import Predictions, read_predictions, save_predictions
from poselift.reports.protocols import get_protocol
from poselift.skeleton import COCO17, H36M17


def test_our_own_format_comes_back_bit_by_bit(views, predicted, tmp_path):
    path = tmp_path / "new" / "mine.npz"
    about = {"name": "mine", "seed": 3, "model": None}
    save_predictions(path, Predictions(predicted, H36M17, about=about))
    read = read_predictions(path, views)
    assert (read.skeleton, read.lengths, read.partial, read.about) == (H36M17, True, False, about)
    for name, pose in predicted.items():
        assert read.poses[name].dtype == np.float32
        np.testing.assert_array_equal(read.poses[name], pose)
    np.load(path, allow_pickle=False)["joints"]


def test_names_with_folders_and_blanks_and_frames_left_out(make_view, tmp_path):
    view = make_view(np.zeros((3, 17, 3)), name="S9/Walking 1/54138969")
    pose = np.ones((3, 17, 3), np.float32)
    pose[2] = np.nan
    save_predictions(tmp_path / "a.npz", Predictions({view.name: pose}, H36M17, lengths=False, partial=True))
    read = read_predictions(tmp_path / "a.npz", [view])
    assert (read.lengths, read.partial) == (False, True)
    np.testing.assert_array_equal(read.poses[view.name], pose)
    with pytest.raises(InputError, match="a view is called 'unit'"):
        save_predictions(tmp_path / "b.npz", Predictions({"unit": pose}, H36M17))


def test_json_in_any_order_of_joints(views, predicted, tmp_path):
    order = np.random.default_rng(1).permutation(17)
    content = {
        "joints": [H36M17.joints[place] for place in order],
        "unit": "mm",
        "views": {name: (pose[:, order] * 1000).astype(float).tolist() for name, pose in predicted.items()},
    }
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(content))
    read = read_predictions(path, views)
    for name, pose in predicted.items():
        np.testing.assert_allclose(read.poses[name], pose, atol=1e-6)


def test_one_clip_as_videopose3d_exports_it(views, predicted, tmp_path):
    np.save(tmp_path / "export.npy", predicted[views[1].name])
    read = read_predictions(tmp_path / "export.npy", [views[1]])
    np.testing.assert_array_equal(read.poses[views[1].name], predicted[views[1].name])
    with pytest.raises(InputError, match="is one clip, but there are 4 views; choose one by view=NAME"):
        read_predictions(tmp_path / "export.npy", views)
    assert not read_predictions(tmp_path / "export.npy", [views[1]], unit="none").lengths


@pytest.mark.slow
def test_a_test_set_as_videopose3d_keeps_it(make_view, tmp_path):
    """With the names of Human3.6M's views: the errors that were put in come out, by action."""
    off, cameras = {"Directions 1": 0.01, "Eating": 0.05, "Walking": 0.02, "Walking 1": 0.02}, ("a", "b", "c", "d")
    views = [
        make_view(np.random.default_rng(0).normal(size=(4, 17, 3)), H36M17, f"{subject}/{take}/{camera}", subject, take)
        for subject in ("S9", "S11")
        for take in off
        for camera in cameras
    ]
    views = [replace(view, joints=view.joints - view.joints[:, :1]) for view in views]
    tree = {"S9": {}, "S11": {}}
    for view in views:
        joints = view.joints.numpy().copy()
        joints[:, 1:, 0] += off[view.action]
        tree[view.subject].setdefault(view.action, []).append(joints)
    np.savez(tmp_path / "out.npz", positions_3d=tree)
    read = read_predictions(tmp_path / "out.npz", views)
    assert read.layout == "VideoPose3D"
    protocol = get_protocol("h36m_p1")
    results = summarise([score_view(view, read.poses[view.name], H36M17, protocol) for view in views], protocol)
    mpjpe = results["metrics"]["mpjpe"]
    # The root is one of the 17.
    assert mpjpe["groups"]["Walking"] == pytest.approx(20 * 16 / 17, rel=1e-4)
    assert mpjpe["groups"]["Eating"] == pytest.approx(50 * 16 / 17, rel=1e-4)
    assert mpjpe["mean"] == pytest.approx((10 + 20 + 50) / 3 * 16 / 17, rel=1e-4)
    assert list(mpjpe["groups"]) == ["Directions", "Eating", "Walking"]
    tree["S9"]["Walking 1"].pop()
    (tmp_path / "out.pkl").write_bytes(pickle.dumps(tree))
    with pytest.raises(InputError, match="S9 Walking 1 has 3 cameras, the data has 4"):
        read_predictions(tmp_path / "out.pkl", views)


def test_a_test_set_as_motionbert_keeps_it(make_view, tmp_path):
    """Clips of 4 frames out of views of 9, 4 and 7: two, one and one; what is left over is dropped."""
    random = np.random.default_rng(0)
    truths = [random.normal(size=(frames, 17, 3)).astype(np.float32) for frames in (9, 4, 7)]
    views = [make_view(joints, name=str(place)) for place, joints in enumerate(truths)]
    clips = 1000 * np.stack((truths[0][:4], truths[0][4:8], truths[1], truths[2][:4]))
    for path in (tmp_path / "results.npy", tmp_path / "results.pkl"):
        np.save(path, clips) if path.suffix == ".npy" else path.write_bytes(pickle.dumps(clips))
        read = read_predictions(path, views)
        assert read.layout == "MotionBERT"
        assert read.partial
        assert [int(np.isnan(read.poses[view.name]).all((1, 2)).sum()) for view in views] == [1, 0, 3]
        np.testing.assert_allclose(read.poses["0"][:8], truths[0][:8], rtol=1e-6)
        np.testing.assert_allclose(read.poses["2"][:4], truths[2][:4], rtol=1e-6)
    with pytest.raises(InputError, match="has 4 clips of 4 frames, but the 2 views have room for 3"):
        read_predictions(path, views[:2])
    with pytest.raises(InputError, match=r"1 views are shorter, e\.g\. tiny"):
        read_predictions(path, [*views, make_view(np.zeros((3, 17, 3)), name="tiny")])


def written(folder, name, predicted, **about):
    np.savez(folder / name, **predicted, **about)
    return folder / name


def test_what_does_not_fit_is_refused_by_name(views, predicted, tmp_path):
    first = views[0].name
    short = written(tmp_path, "short.npz", {**predicted, first: predicted[first][:-1]})
    with pytest.raises(InputError, match=rf"short.npz: .* view {first} has shape \(59, 17, 3\) .*\(60, 17, 3\)"):
        read_predictions(short, views)
    fewer = written(tmp_path, "fewer.npz", {views[1].name: predicted[views[1].name]})
    with pytest.raises(InputError, match=rf"no prediction for 3 of 4 views, e.g. {first}"):
        read_predictions(fewer, views)
    with pytest.raises(InputError, match=r"must be \(60, 15, 3\)"):
        read_predictions(written(tmp_path, "a.npz", predicted), views, joints="humaneva15")


def test_joints_are_checked_by_name(views, predicted, tmp_path):
    strange = written(tmp_path, "strange.npz", predicted, joints=np.array(["nose2", *H36M17.joints[1:]]))
    with pytest.raises(InputError, match="there is no joint nose2; the skeletons are h36m17"):
        read_predictions(strange, views)
    part = written(
        tmp_path, "part.npz", {n: p[:, :5] for n, p in predicted.items()}, joints=np.array(H36M17.joints[:5])
    )
    with pytest.raises(InputError, match="no skeleton has just these joints: pelvis, right_hip"):
        read_predictions(part, views)
    own = written(tmp_path, "own.npz", predicted, joints=np.array(H36M17.joints))
    with pytest.raises(InputError, match=r"says that its joints are pelvis, .*, but nose"):
        read_predictions(own, views, joints="coco17")
    turned = written(tmp_path, "turned.npz", {n: p[:, ::-1] for n, p in predicted.items()})
    read = read_predictions(turned, views, joints=list(H36M17.joints[::-1]))
    np.testing.assert_array_equal(read.poses[views[0].name], predicted[views[0].name])
    assert read_predictions(turned, views, joints="coco17").skeleton == COCO17


def test_what_a_file_says_of_itself_is_checked(views, predicted, tmp_path):
    with pytest.raises(InputError, match=r"odd\.npz: joints are a skeleton or a list of joint names, not"):
        read_predictions(written(tmp_path, "odd.npz", predicted, joints=np.arange(17)), views)
    with pytest.raises(InputError, match=r"odd\.npz has the format 'poselift-predictions 9'; only"):
        read_predictions(written(tmp_path, "odd.npz", predicted, format=np.array("poselift-predictions 9")), views)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "a .npz, .json, .npy or .pkl file"),
        ("a.pkl", b"nothing", "it is damaged, or another kind of file"),
        ("c.json", b'{"views": {"v": [[1], [1, 2]]}}', "nested lists"),
        ("d.json", b'{"views": {}, "unit": "feet"}', "the unit 'feet' is unknown"),
    ],
)
def test_files_that_cannot_be_read(views, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_predictions(tmp_path / name, views)
    assert name in str(caught.value)
    with pytest.raises(InputError, match="no such file"):
        read_predictions(tmp_path / "nothing.npz", views)
    with pytest.raises(InputError, match="unit=feet is unknown; choose one of m, mm, none"):
        read_predictions(tmp_path / "nothing.npz", views, unit="feet")
