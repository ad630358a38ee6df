from dataclasses import replace

import pytest
import torch

from poselift.data.recorded import RecordedData, RecordedSampler, mirror
from poselift.data.views import View, render_views
from poselift.geometry import project
from poselift.skeleton import CMU28, H36M17

CPU = torch.device("cpu")


def ramp(name, frames, fps=50.0, skeleton=H36M17):
    """A view in which every joint stands at (frame number, joint number) in the picture and in space."""
    frame = torch.arange(frames).float()[:, None].expand(-1, 17)
    joint = torch.arange(17).float().expand(frames, -1)
    return View(
        name,
        "s",
        torch.stack((frame, joint), -1),
        torch.ones(frames, 17),
        100 + torch.arange(frames) / fps,
        torch.eye(3) * len(name),
        torch.tensor([1000.0, 800.0]),
        torch.stack((frame, joint, torch.full_like(frame, len(name))), -1),
        torch.zeros(frames, 3),
        skeleton,
        skeleton,
    )


def source(views, frames=8, skeleton_in=CMU28, skeleton_out=H36M17, **options):
    return RecordedSampler(views, frames, skeleton_in, skeleton_out, CPU, **{"mirror": 0.0, **options})


def test_windows_stay_in_their_view_and_every_frame_is_drawn(generator):
    batch = source([ramp("a", 20), ramp("bb", 30)]).sample(2000, generator)
    view = batch.joints[..., 0, 2]
    assert (view == view[:, :1]).all()
    assert (batch.K[:, 0, 0] == view[:, 0]).all(), "the camera is that of the view"
    frame = batch.joints[..., 0, 0]
    assert (frame.diff(dim=1) == 1).all()
    for name, frames in ((1, 20), (2, 30)):
        assert set(frame[view == name].tolist()) == set(range(frames))
    torch.testing.assert_close(batch.times.diff(dim=1), torch.full((2000, 7), 1 / 50), atol=1e-5, rtol=0)
    share = float((view[:, 0] == 2).float().mean())
    assert share == pytest.approx(30 / 50, abs=0.05), "long views are drawn more often"
    assert batch.valid.all()


def test_2d_and_3d_belong_together_by_name(generator):
    batch = source([ramp("a", 20)]).sample(4, generator)
    assert batch.keypoints.shape == (4, 8, 28, 2)
    for row, joint in enumerate(CMU28.joints):
        seen = batch.keypoints[:, :, row]
        if joint in H36M17.joints:
            assert (seen[..., 1] == H36M17.index(joint)).all()
            assert (seen[..., 0] == batch.joints[:, :, H36M17.index(joint), 0]).all()
        else:
            assert seen.isnan().all()
            assert (batch.scores[:, :, row] == 0).all()


def test_the_mirrored_motion_is_what_the_mirrored_camera_sees(corpus, generator):
    """Projecting the mirrored 3D through the mirrored, skewed and distorted camera gives the mirrored keypoints."""
    view = render_views(corpus, seed=1)[0]
    K = view.K + torch.tensor([[0.0, 3.0, 17.0], [0.0, 0.0, -9.0], [0.0, 0.0, 0.0]])
    distortion = torch.tensor([-0.2, 0.1, 0.004, -0.003, 0.02])
    points = view.joints + view.root[:, None]
    pixels = project(points.flatten(0, 1), K, distortion).view(len(view), 28, 2)
    view = replace(view, keypoints=pixels, scores=torch.ones(len(view), 28), K=K, distortion=distortion)
    plain = source([view], skeleton_out=CMU28).sample(4, generator)
    chosen = torch.tensor([True, False, True, False])
    batch = mirror(plain, chosen, CMU28, CMU28)
    points = (batch.joints + batch.root[:, :, None]).flatten(1, 2)
    again = project(points, batch.K, batch.distortion).view_as(batch.keypoints)
    torch.testing.assert_close(again, batch.keypoints, atol=0.01, rtol=1e-5)
    left, right = CMU28.index("left_wrist"), CMU28.index("right_wrist")
    width = view.image_size[0]
    torch.testing.assert_close(batch.keypoints[0, :, left, 0], width - plain.keypoints[0, :, right, 0])
    torch.testing.assert_close(batch.keypoints[1], plain.keypoints[1])
    torch.testing.assert_close(batch.joints[3], plain.joints[3])
    twice = mirror(batch, chosen, CMU28, CMU28)
    torch.testing.assert_close(twice.keypoints, plain.keypoints)
    torch.testing.assert_close(twice.K, plain.K)


def test_the_module_asks_the_loader_for_each_split(tmp_path):
    asked = []

    def load(root, split, seen=0):
        asked.append((root, split, seen))
        return [ramp("a", 20)]

    data = RecordedData(
        root=tmp_path,
        views=load,
        train={"split": "train", "seen": 2},
        val={"split": "test"},
        pelvis="hips",
        frames=8,
        batches=2,
    )
    data.setup("fit")
    assert asked == [(tmp_path, "train", 2), (tmp_path, "test", 0)]
    assert [len(batch.times) for batch in data.train_dataloader()] == [96, 96]
    (view,) = data.val_dataloader()
    assert view.keypoint_skeleton == CMU28
    assert view.skeleton == H36M17
