from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from poselift.data.cmu import load_cmu
from poselift.data.virtual import CmuData, CorpusData, SyntheticData
from poselift.skeleton import CMU28, COCO17, H36M17, MPI_INF_3DHP17

SETS = {"h36m17": 1.0}


def synthetic(**options):
    return SyntheticData(
        **{"clips": 2, "clip_frames": 30, "frames": 12, "skeletons": SETS, "batches": 4, "batch_size": 2, **options}
    )


def trainer(rank=0, processes=1, epoch=0, max_steps=-1, step=0, accumulate=1):
    """What the data module asks a trainer."""
    return SimpleNamespace(
        strategy=SimpleNamespace(root_device=torch.device("cpu")),
        global_rank=rank,
        world_size=processes,
        current_epoch=epoch,
        max_steps=max_steps,
        global_step=step,
        accumulate_grad_batches=accumulate,
    )


def set_up(data, **options):
    data.trainer = trainer(**options)
    data.setup("fit")
    return data


@pytest.mark.slow
def test_each_epoch_is_new_and_can_be_made_again():
    data = set_up(synthetic())
    first = [batch.joints for batch in data.train_dataloader()]
    data.trainer = trainer(epoch=1)
    second = [batch.joints for batch in data.train_dataloader()]
    data.trainer = trainer(epoch=0)
    again = [batch.joints for batch in data.train_dataloader()]
    assert len(first) == 4
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.slow
def test_the_seed_of_the_run_changes_the_windows_and_neither_who_is_trained_on_nor_who_is_validated():
    runs = [set_up(synthetic(seed=seed)) for seed in (0, 1)]
    assert torch.equal(*(run.training_corpus().joints for run in runs))
    for one, other in zip(*(run.validation_views() for run in runs), strict=True):
        assert torch.equal(one.joints, other.joints)
        assert torch.equal(one.root, other.root)
    first, second = (next(iter(run.train_dataloader())).joints for run in runs)
    assert not torch.equal(first, second)
    others = synthetic(people_seed=1)
    assert not torch.equal(runs[0].training_corpus().joints, others.training_corpus().joints)


def test_an_epoch_that_is_gone_on_with_ends_where_it_would_have():
    data = set_up(synthetic(), max_steps=3)
    whole = [batch.joints for batch in data.train_dataloader()]
    data.training.first = 1
    data.trainer = trainer(max_steps=3, step=1)
    loader = data.train_dataloader()
    assert len(loader) == 3, "batches in the epoch, those before too"
    assert all(torch.equal(a, b.joints) for a, b in zip(whole[1:], loader, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 3])
def test_processes_share_the_views_out(processes):
    names = [
        [view.name for view in set_up(synthetic(), rank=rank, processes=processes).val_dataloader()]
        for rank in range(processes)
    ]
    everything = [view.name for view in synthetic().validation_views()]
    assert sorted(name for own in names for name in own) == everything
    assert max(map(len, names)) - min(map(len, names)) <= 1


def test_views_come_in_the_lifters_skeletons():
    view = next(iter(set_up(synthetic(skeleton_in="coco17", skeleton_out="mpi_inf_3dhp17")).val_dataloader()))
    assert (view.keypoint_skeleton, view.skeleton) == (COCO17, MPI_INF_3DHP17)
    assert view.keypoints.shape[1:] == (17, 2)
    assert view.joints[:, MPI_INF_3DHP17.index("head")].isnan().all()
    assert view.joints[:, MPI_INF_3DHP17.index("head_top")].isfinite().all()


def test_cmu_reads_the_files(cmu_files):
    corpus, bench = cmu_files
    data = CmuData(corpus, bench, frames=12, skeletons=SETS, batches=1, batch_size=3)
    data.setup("fit")
    (batch,) = data.train_dataloader()
    assert batch.joints.shape == (3, 12, 17, 3)
    views = list(data.val_dataloader())
    assert [view.name for view in views] == ["a", "b"]
    assert views[0].keypoints.shape[1:] == (28, 2)
    nose = CMU28.index("nose")
    assert views[0].keypoints[:, nose].isnan().all(), "h36m17 has no nose"


def test_cmu_without_a_bench_validates_on_its_own_val_split(cmu_files):
    names = []
    for _ in range(2):
        data = CmuData(cmu_files[0], frames=12, skeletons=SETS)
        data.setup("fit")
        (view,) = data.val_dataloader()
        names.append(view.name)
    assert names == [load_cmu(cmu_files[0], "val").names[0]] * 2
    assert view.joints.isfinite().any()


def in_skeleton(corpus, skeleton):
    """The corpus as if it had been captured with other joints."""
    places = skeleton.indices([joint for joint in skeleton.joints if joint in CMU28.joints])
    joints = torch.zeros(len(corpus.joints), len(skeleton), 3)
    joints[:, places] = corpus.joints[:, CMU28.indices([skeleton.joints[place] for place in places])]
    return replace(corpus, joints=joints, skeleton=skeleton)


def test_a_dataset_of_motion_is_rendered_to_train_and_to_validate_on(corpus, tmp_path):
    asked = []

    def load(root, split):
        asked.append((root, split))
        return in_skeleton(corpus, H36M17)

    common = {"frames": 12, "skeletons": SETS, "batch_size": 4, "batches": 1}
    data = CorpusData(tmp_path, load, {"split": "train"}, {"split": "test"}, pelvis="hips", **common)
    data.setup("fit")
    assert asked == [(tmp_path, "train"), (tmp_path, "test")]
    (batch,) = data.train_dataloader()
    assert batch.joints.shape == (4, 12, 17, 3)
    views = list(data.val_dataloader())
    assert [view.name for view in views] == list(corpus.names)
    assert all(view.joints.isfinite().all() for view in views)
