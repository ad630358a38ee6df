import math

import torch

from poselift.geometry import project, rotation_y
from poselift.models import encode
from poselift.models.encoding import mirror
from poselift.skeleton import CMU28
from tests.models.encoded_view import encode_view


def test_zoom_and_picture_size_make_no_difference(view):
    """Twice the focal length in a picture of twice the size is the same picture."""
    scale = torch.diag(torch.tensor([2.0, 2.0, 1.0]))
    ours = encode_view(view)
    doubled = encode_view(view, view.keypoints * 2, scale @ view.K, view.image_size * 2)
    torch.testing.assert_close(doubled.coordinates, ours.coordinates, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(doubled.context, ours.context, atol=1e-4, rtol=1e-4)


def test_turning_the_camera_only_changes_what_was_taken_out(view):
    """A camera turned about its own centre sees the same rays; the encoding turns them back."""
    points = view.joints + view.root[:, None]
    pan = rotation_y(torch.tensor(math.radians(12.0)))
    pictures = [project(p.reshape(-1, 3), view.K).view(len(p), -1, 2) for p in (points, points @ pan.mT)]
    ones = torch.ones_like(view.scores)
    first, second = (encode_view(view, picture, scores=ones) for picture in pictures)
    torch.testing.assert_close(second.coordinates, first.coordinates, atol=0.02, rtol=0)
    assert (second.context - first.context).abs().max() > 0.1


def test_what_is_missing_is_masked_and_zero(view):
    keypoints, scores = view.keypoints.clone(), view.scores.clone()
    keypoints[:, 3] = torch.nan
    scores[:, 5] = 0
    encoded = encode_view(view, keypoints, scores=scores)
    for joint in (3, 5):
        assert not encoded.mask[0, :, joint].any()
        assert (encoded.coordinates[0, :, joint] == 0).all()
        assert (encoded.scores[0, :, joint] == 0).all()


def test_nobody_gives_numbers_not_nan(view):
    encoded = encode_view(view, torch.full_like(view.keypoints, torch.nan))
    for value in (encoded.coordinates, encoded.context, encoded.rotation, encoded.times):
        assert value.isfinite().all()
    assert not encoded.mask.any()


def test_a_pixel_that_distortion_cannot_reach_is_masked(view):
    keypoints = view.keypoints.clone()
    keypoints[5, 3] = torch.tensor([1e6, -1e6])
    bent = torch.tensor([[-0.3, 0.1, 0.0, 0.0, 0.0]])
    arguments = (keypoints, view.scores, view.times, view.K, view.image_size)
    encoded = encode(*(x[None] for x in arguments), distortion=bent)
    assert not encoded.mask[0, 5, 3]
    assert encoded.coordinates.isfinite().all()
    assert encoded.context.isfinite().all()


def test_the_scale_is_not_moved_by_one_joint_far_away(view):
    keypoints = view.keypoints.clone()
    seen = keypoints[:, 16].isfinite().all(-1)
    keypoints[seen, 16] = torch.tensor([5.0, 5.0])
    before, after = encode_view(view), encode_view(view, keypoints)
    assert abs(float(after.context[0, 2] - before.context[0, 2])) < 0.15


def test_mirroring_is_what_the_mirrored_picture_gives(view):
    """Flipping the pixels and swapping sides, then encoding, is encoding, then mirroring."""
    flipped = view.keypoints[:, list(CMU28.flip_indices)].clone()
    flipped[..., 0] = 2 * view.K[0, 2] - flipped[..., 0]
    ours = mirror(encode_view(view), CMU28)
    theirs = encode_view(view, flipped, scores=view.scores[:, list(CMU28.flip_indices)])
    for name in ("coordinates", "scores", "mask", "context", "rotation"):
        torch.testing.assert_close(getattr(ours, name), getattr(theirs, name), atol=1e-4, rtol=1e-4)
