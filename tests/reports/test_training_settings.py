from copy import deepcopy

import pytest

from poselift.reports.training_settings import training_sha256

CONFIG = {
    "name": "lifter",
    "seed": 0,
    "output": "runs/lifter",
    "resume": None,
    "init": None,
    "steps": 100,
    "data": {"_target_": "poselift.data.virtual.CmuData", "corpus": ["/a/cmu50.npz"], "root": "/a", "seed": 0},
    "optimizer": {"_target_": "torch.optim.AdamW", "lr": 1e-3},
    "loss": {"position": 1.0},
    "callbacks": {"weights": {"path": "runs/lifter/lifter.safetensors"}, "ema": {"decay": 0.998}, "progress": {}},
}


def changed(**changes):
    config = deepcopy(CONFIG)
    for key, value in changes.items():
        *parts, last = key.split("__")
        place = config
        for part in parts:
            place = place[part]
        place[last] = value
    return config


def test_seeds_and_places_do_not_count():
    other = changed(
        name="other",
        seed=1,
        output="/b/other",
        resume="auto",
        data__seed=1,
        data__corpus=["/b/cmu50.npz"],
        data__root="/b",
        callbacks__weights={"path": "/b/other.safetensors"},
        callbacks__progress=None,
    )
    assert training_sha256(other) == training_sha256(CONFIG)
    first, second = (changed(init=f"runs/pretrained_{seed}.safetensors") for seed in (1, 2))
    assert training_sha256(first) == training_sha256(second)


@pytest.mark.parametrize(
    "change",
    [{"optimizer__lr": 2e-3}, {"data__corpus": ["/a/cmu50.npz", "/a/extra50.npz"]}, {"init": "small"}],
    ids=str,
)
def test_other_settings_count(change):
    assert training_sha256(changed(**change)) != training_sha256(CONFIG)
