import threading

import torch

from poselift.data.batches import Batch, Batches
from poselift.data.dataset_skeletons import SkeletonSampler
from poselift.data.virtual import VirtualSampler
from poselift.skeleton import CMU28, COCO17, H36M17, MPI_INF_3DHP17


def virtual(corpus, skeleton_in=CMU28, sets=None):
    return VirtualSampler(corpus, 24, skeleton_in, H36M17, sets or {"coco17": 1.0})


def batches(corpus, seed=0, rank=0, processes=1, count=3):
    return Batches(virtual(corpus), 8, count, seed, rank, processes)


def same(a, b):
    return all(torch.equal(getattr(a, name).nan_to_num(), getattr(b, name).nan_to_num()) for name in ("joints", "K"))


def test_a_run_goes_on_from_any_batch(corpus):
    whole, rest = list(batches(corpus, count=5)), batches(corpus, count=5)
    rest.first = 3
    assert len(rest) == 5, "Lightning counts the batches that went before too"
    assert all(same(a, b) for a, b in zip(whole[3:], rest, strict=True))
    assert len(list(rest)) == 5, "the next epoch is whole again"


def test_two_processes_draw_what_one_draws_in_twice_the_batches(corpus):
    one = list(batches(corpus, count=4))
    for rank in range(2):
        two = batches(corpus, rank=rank, processes=2, count=2)
        assert all(same(a, b) for a, b in zip(one[rank::2], two, strict=True))


class Source:
    """Gives batches whose K is their seed, and says how many it was asked for."""

    device = torch.device("cpu")

    def __init__(self):
        self.asked, self.again = 0, threading.Event()

    def sample(self, count, generator):
        self.asked += 1
        if self.asked == 2:
            self.again.set()
        if self.asked == 3:
            raise ValueError("no more")
        empty = torch.zeros(count, 1)
        return Batch(
            empty[..., None, None].expand(-1, 1, 1, 2),
            empty[..., None],
            empty,
            empty > 0,
            torch.full((count, 3, 3), float(generator.initial_seed())),
            empty.expand(-1, 2),
            empty[..., None, None].expand(-1, 1, 1, 3),
            empty[..., None].expand(-1, 1, 3),
        )


def test_the_next_batch_is_made_while_this_one_is_used():
    source = Source()
    passing = iter(Batches(source, 2, 9, seed=0))
    next(passing)
    assert source.again.wait(timeout=30), "the second batch is made though nobody has asked for it"
    assert source.asked == 2, "and only that one"
    passing.close()


def test_only_joints_of_the_skeleton_are_seen(corpus):
    for batch in batches(corpus):
        assert batch.joints.shape == (8, 24, 17, 3)
        seen = (batch.scores > 0).any(1).any(0)
        names = {joint for joint, s in zip(CMU28.joints, seen.tolist(), strict=True) if s}
        assert names <= set(COCO17.joints)
        assert batch.keypoints[batch.scores == 0].isnan().all()


def test_a_lifter_of_another_skeleton_sees_its_own_joints_in_its_own_order(corpus):
    """The same draws for a lifter of coco17 as for one of cmu28, whose joints are looked up by name."""
    everything = {"cmu28": 1.0}
    own = virtual(corpus, COCO17, everything)
    wide = virtual(corpus, CMU28, everything)
    for source in (own, wide):
        source.skeletons.drop = 0.0
    a, b = (source.sample(4, torch.Generator().manual_seed(0)) for source in (own, wide))
    order = [CMU28.joints.index(joint) for joint in COCO17.joints]
    torch.testing.assert_close(a.keypoints, b.keypoints[:, :, order], equal_nan=True)
    torch.testing.assert_close(a.scores, b.scores[:, :, order])


def test_joints_that_the_corpus_lacks_are_not_seen(corpus, generator):
    batch = virtual(corpus, MPI_INF_3DHP17, {"mpi_inf_3dhp17": 1.0}).sample(4, generator)
    head = MPI_INF_3DHP17.index("head")
    assert batch.keypoints[:, :, head].isnan().all()
    assert (batch.scores[:, :, head] == 0).all()
    assert (batch.scores > 0).any()


def test_skeletons_are_drawn_by_their_shares(generator):
    sampler = SkeletonSampler({"h36m17": 3.0, "coco17": 1.0}, drop=0.0)
    spine = CMU28.index("spine")
    share = sum(bool(sampler.sample(2, generator)[0, spine]) for _ in range(800)) / 800
    assert 0.7 < share < 0.8
    hidden = ~SkeletonSampler({"cmu28": 1.0}, drop=1.0).sample(500, generator)
    assert 0.2 < float(hidden.float().mean()) < 0.3
