"""The command that a run prints at its end."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf, open_dict

from poselift.cli.config import CONF
from poselift.cli.run_record import _PACKAGES, evaluation_command

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def configs():
    with initialize_config_dir(CONF, version_base="1.3"):
        yield


def printed(*overrides):
    """What a run with these overrides prints, and the config that `poselift evaluate` makes of it."""
    config = compose("train", list(overrides), return_hydra_config=True)
    choices = config.hydra.runtime.choices
    with open_dict(config):
        del config["hydra"]
    command = evaluation_command(config, choices, Path("w.safetensors"))
    words = shlex.split(command)
    assert words[:2] == ["poselift", "evaluate"]
    evaluated = compose("evaluate", words[2:])
    assert OmegaConf.missing_keys(evaluated) == set()
    assert evaluated.weights == "w.safetensors"
    return command, evaluated


def test_the_extra_train_installs_all_packages_of_the_record():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["train"]]
    assert set(_PACKAGES) <= {re.split(r"[<>=\[]", each)[0] for each in needed}


RECORDED = {
    "h36m": ("h36m_p1", "load_h36m", "test"),
    "mpi_inf_3dhp": ("mpi_inf_3dhp", "load_mpi_inf_3dhp", "test"),
    "pw3d": ("pw3d", "load_pw3d", "val"),
    "aist": ("all_views", "load_aist", "val"),
}


@pytest.mark.parametrize("name", RECORDED)
def test_it_reads_the_views_that_were_validated_on(name):
    protocol, loader, split = RECORDED[name]
    _, evaluated = printed(f"data={name}", "data.root=DIR")
    assert evaluated.protocol == protocol
    assert evaluated.data._target_.endswith(f".{loader}")
    assert (evaluated.data.root, evaluated.data.split) == ("DIR", split)


def test_the_bench_of_the_cmu_corpus():
    _, evaluated = printed("data=cmu", "data.corpus=a.npz", "data.bench=b.npz", "data.skeleton=coco17")
    assert (evaluated.protocol, evaluated.data.corpus, evaluated.data.bench) == ("cmu_bench", "a.npz", "b.npz")
    assert evaluated.data.skeleton == "coco17"
    _, evaluated = printed("data=cmu", "data.corpus=[a.npz,extra.npz]", "data.bench=b.npz")
    assert evaluated.data.corpus == "a.npz"


def test_letters_that_mean_something_to_hydra_are_quoted():
    root = "/data/Human3.6M (new), o'b"
    config = compose("train", ["data=h36m", "data.val.subjects=[S9]"])
    config.data.root, config.data.views.keypoints = root, None
    command = evaluation_command(config, {"data": "h36m"}, Path(f"{root}/w.safetensors"))
    evaluated = compose("evaluate", shlex.split(command)[2:])
    assert (evaluated.data.root, evaluated.weights) == (root, f"{root}/w.safetensors")
    assert evaluated.data.keypoints is None
    assert evaluated.data.subjects == ["S9"]


def test_a_mix_is_evaluated_on_its_validation_dataset_under_any_name():
    _, evaluated = printed(
        "data=mix",
        "+data@data.datasets.walk=synthetic",
        "+data@data.datasets.real=h36m_motionbert",
        "data.validate=real",
        "data.datasets.real.root=DIR",
    )
    assert evaluated.data._target_.endswith(".load_h36m_motionbert")
    roots = ["data.datasets.surreal.root=A", "data.datasets.h36m.root=B"]
    _, evaluated = printed("experiment=surreal_to_h36m", *roots)
    assert evaluated.data._target_.endswith(".load_h36m")
    assert evaluated.data.root == "B"
