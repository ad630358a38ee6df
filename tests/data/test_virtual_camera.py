import torch

from poselift.data.virtual_camera import CameraRange, render_view
from poselift.data.windows import WindowSampler
from poselift.geometry import project
from poselift.skeleton import CMU28


def test_pixels_are_the_projected_joints_and_people_stand_upright(corpus, generator):
    windows = WindowSampler(corpus, 12).sample(64, generator)
    shot = render_view(windows.joints, windows.root, CameraRange(), generator)
    points = shot.joints + shot.root[:, :, None]
    again = project(points.reshape(64, -1, 3), shot.K).view(shot.pixels.shape)
    torch.testing.assert_close(again, shot.pixels)
    # y goes down in the picture: heads are above feet, and distances are kept.
    head, foot = CMU28.index("head_top"), CMU28.index("left_ankle")
    assert (shot.pixels[:, :, head, 1] < shot.pixels[:, :, foot, 1]).all()
    torch.testing.assert_close(shot.joints.norm(dim=-1), windows.joints.norm(dim=-1), atol=1e-5, rtol=1e-4)
    far = windows.root + torch.linspace(-9, 9, 12)[:, None] * torch.tensor([1.0, 0, 0])
    assert float(render_view(windows.joints, far, CameraRange(), generator).root[..., 2].min()) > 0.1, (
        "nobody walks past"
    )


def test_left_is_left(corpus, generator):
    """Handedness survives: across the hips x up the spine points forward in both frames."""
    windows = WindowSampler(corpus, 4).sample(32, generator)
    shot = render_view(windows.joints, windows.root, CameraRange(), generator)

    def volume(joints):
        a, b, c = (joints[:, 0, CMU28.index(name)] for name in ("left_hip", "thorax", "nose"))
        return (torch.linalg.cross(a, b) * c).sum(-1)

    torch.testing.assert_close(volume(shot.joints), volume(windows.joints), atol=1e-5, rtol=1e-3)
