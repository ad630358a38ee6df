import torch

from poselift.nn.upsampling import interpolate_frames


def test_interpolated_frames_are_between_the_middles_of_tokens():
    tokens = torch.randn(1, 3, 2)
    frames = interpolate_frames(tokens, torch.ones(1, 3, dtype=torch.bool), 4).view(1, 12, 2)
    # Frames are 3/8 and 1/8 of a token from its middle.
    torch.testing.assert_close(frames[:, 5], 0.875 * tokens[:, 1] + 0.125 * tokens[:, 0])
    torch.testing.assert_close(frames[:, 3], 0.625 * tokens[:, 0] + 0.375 * tokens[:, 1])
    torch.testing.assert_close(frames[:, 0], tokens[:, 0], msg="before the first middle there is one token")
    whole = torch.nn.functional.interpolate(tokens.mT, scale_factor=4, mode="linear", align_corners=False).mT
    torch.testing.assert_close(frames, whole)


def test_tokens_that_say_nothing_are_not_interpolated_into_frames():
    tokens = torch.tensor([1.0, 2.0, 1e6]).view(1, 3, 1)
    frames = interpolate_frames(tokens, torch.tensor([[True, True, False]]), 4)
    torch.testing.assert_close(frames[0, 1, :, 0], torch.tensor([1.625, 1.875, 2.0, 2.0]))
    # One frame to a token leaves nothing to interpolate.
    torch.testing.assert_close(interpolate_frames(tokens, torch.ones(1, 3, dtype=torch.bool), 1)[:, :, 0], tokens)
