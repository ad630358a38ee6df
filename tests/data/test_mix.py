import pytest
import torch

from poselift.data.batches import Batch
from poselift.data.mix import MixedData, MixedSampler
from poselift.data.recorded import RecordedData
from poselift.data.views import render_views
from poselift.data.virtual import SyntheticData
from poselift.skeleton import CMU28, COCO17, H36M17

SETS = {"h36m17": 1.0}


class Constant:
    """A source of windows whose times are all one number."""

    device = torch.device("cpu")

    def __init__(self, number, distortion=None):
        self.number, self.distortion = float(number), distortion

    def sample(self, count, generator):
        return Batch(
            torch.zeros(count, 2, 3, 2),
            torch.zeros(count, 2, 3),
            torch.full((count, 2), self.number),
            torch.ones(count, 2, dtype=torch.bool),
            torch.eye(3).expand(count, -1, -1),
            torch.ones(count, 2),
            torch.zeros(count, 2, 1, 3),
            torch.zeros(count, 2, 3),
            None if self.distortion is None else self.distortion.expand(count, -1),
        )


def test_lenses_without_distortion_have_zeros_beside_those_that_have_it(generator):
    lens = torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5])
    batch = MixedSampler([Constant(1), Constant(2, lens)], [1.0, 1.0]).sample(64, generator)
    straight = batch.times[:, 0] == 1
    assert (batch.distortion[straight] == 0).all()
    assert (batch.distortion[~straight] == lens).all()
    assert MixedSampler([Constant(1), Constant(2)], [1.0, 1.0]).sample(8, generator).distortion is None


def recorded(corpus, **options):
    """The corpus as a dataset of COCO's joints, with 2D only."""

    def load(root, split):
        views = [view.convert(COCO17, COCO17) for view in render_views(corpus, seed=2)]
        return [type(view)(**{**vars(view), "joints": view.joints * torch.nan}) for view in views]

    return RecordedData(
        root="", views=load, train={"split": "train"}, val={"split": "val"}, pelvis=None, frames=12, **options
    )


def test_each_source_is_masked_to_the_joints_that_it_has(corpus):
    synthetic = SyntheticData(clips=2, clip_frames=60, frames=12, skeletons=SETS)
    data = MixedData({"walk": synthetic, "pictures": recorded(corpus)}, "walk", frames=12, batch_size=64, batches=1)
    data.setup("fit")
    (batch,) = data.train_dataloader()
    known = batch.joints.isfinite().all(-1).all(1)
    full = known.all(1)
    assert 0 < int(full.sum()) < 64
    assert not known[~full].any(), "2D only"
    seen = (batch.scores > 0).any(1)
    nose, spine = CMU28.index("nose"), CMU28.index("spine")
    assert not seen[full][:, nose].any()
    assert seen[~full][:, nose].any()
    assert not seen[~full][:, spine].any()
    assert next(iter(data.val_dataloader())).skeleton == H36M17


def test_a_source_of_weight_0_is_only_validated_on(corpus):
    class Unread(SyntheticData):
        def training_corpus(self):
            raise AssertionError("not to be read")

    own = {"clips": 2, "clip_frames": 60, "frames": 12, "skeletons": SETS}
    sources = {"train": SyntheticData(**own), "val": Unread(**own)}
    data = MixedData(sources, "val", {"train": 2, "val": 0}, frames=12, batches=1)
    data.setup("fit")
    assert len(list(data.train_dataloader())) == 1
    assert len(data.val_dataloader()) == 8


@pytest.mark.parametrize(
    ("names", "validate", "weights", "message"),
    [
        (["a"], "b", None, "no dataset called 'b'; it has a"),
        (["a", "b"], "a", {"a": 1.0, "b": -1.0}, "must not be negative"),
    ],
)
def test_what_is_no_mix_is_refused(names, validate, weights, message):
    sources = {name: SyntheticData(frames=12, skeletons=SETS) for name in names}
    with pytest.raises(ValueError, match=message):
        MixedData(sources, validate, weights, frames=12)


@pytest.mark.parametrize(
    ("places", "weights", "found"),
    [
        (["hips", None], [1, 1], "hips"),
        (["hips", "spine"], [1, 1], None),
        (["hips", "spine"], [0, 1], "spine"),
    ],
)
def test_the_pelvis_of_a_mix_is_where_all_trained_3d_has_it(places, weights, found):
    datasets = {}
    for name, place in zip("ab", places, strict=True):
        datasets[name] = SyntheticData(frames=12, skeletons=SETS)
        datasets[name].pelvis = place
    assert MixedData(datasets, "a", dict(zip("ab", weights, strict=True)), frames=12).pelvis == found
