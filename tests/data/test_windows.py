import torch

from poselift.data.corpus import MotionCorpus
from poselift.data.windows import WindowSampler
from poselift.skeleton import CMU28


def ramp(lengths, subjects):
    """A corpus in which the root's x is the clip's number, y the frame in the clip."""
    joints = torch.zeros(sum(lengths), 28, 3)
    root = torch.cat(
        [
            torch.stack((torch.full((n,), float(c)), torch.arange(n).float(), torch.zeros(n)), 1)
            for c, n in enumerate(lengths)
        ]
    )
    start = torch.tensor([0, *torch.tensor(lengths).cumsum(0).tolist()])
    return MotionCorpus(joints, root, start, tuple(map(str, lengths)), tuple(subjects), 50.0, CMU28)


def test_windows_stay_in_their_clip_and_keep_time(generator):
    corpus = ramp([200, 31, 400], "abc")
    windows = WindowSampler(corpus, 96, speed=1.0, reverse=0.0).sample(256, generator)
    assert (windows.root[:, :, 0] == windows.root[:, :1, 0]).all()
    step = windows.root[:, :, 1].diff(dim=1) / 50  # seconds of the corpus between frames
    both = windows.valid[:, 1:]
    torch.testing.assert_close(step[both], windows.times.diff(dim=1)[both], atol=1e-4, rtol=1e-3)
    rate = 1 / windows.times.diff(dim=1).mean(1)
    assert 9.5 < rate.min() < 12
    assert 50 < rate.max() < 62


def test_the_share_of_a_subject_is_the_root_of_its_frames(generator):
    windows = WindowSampler(ramp([100, 800, 800], "abb"), 4).sample(4000, generator)
    assert abs(float((windows.root[:, 0, 0] == 0).float().mean()) - 1 / 5) < 0.03


def test_frames_past_the_end_are_not_valid(generator):
    windows = WindowSampler(ramp([31], "a"), 96).sample(32, generator)
    assert not windows.valid[:, -1].any()
    assert windows.valid[:, 0].all()
    assert windows.root.isfinite().all()


def test_reversed_windows_run_backwards_in_corpus_time(generator):
    windows = WindowSampler(ramp([400], "a"), 20, reverse=1.0).sample(16, generator)
    assert (windows.root[:, :, 1].diff(dim=1) < 0).all()
    assert (windows.times.diff(dim=1) > 0).all()
