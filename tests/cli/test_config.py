"""The errors of mistyped overrides; composed in this process."""

import copy
from typing import TypedDict

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from poselift.cli.config import CONF, check_config, explain, output_folder, run_configured, run_hydra
from poselift.cli.train_settings import TrainKeys
from poselift.core.errors import InputError
from tests.cli.running import hydra_as_before

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["model.dpth=8"], "there is no key model.dpth; did you mean 'model.depth'"),
        (["modle=3"], "did you mean 'model', 'model.dim', 'model.norm'?"),
        (["model=liftr"], "there is no model=liftr; did you mean 'lifter'?"),
        (
            ["schedule.steps=5"],
            "; did you mean 'schedule.decay.steps', 'schedule.warmup.steps'?",
        ),
        (["init=größe.npz"], "init=größe.npz cannot be read; put the value into quotes: 'init=\"größe.npz\"'"),
        (["init=a,b"], "init=a,b gives several values; a list is init=[a,b], and a sweep needs -m"),
        (
            ["seed=1", "name='${'"],
            "name='${' has no value; ${KEY} stands for another key, and --cfg job prints all keys",
        ),
        (["zzzzzz=1"], "there is no key zzzzzz; --cfg job prints all keys"),
        (["hydra/sweeper=optuna"], "pip install 'poselift[sweep]'"),
        (["model=rnn", "model/attention=dot"], "model/attention=dot does not go with model=rnn; choose others"),
    ],
)
def test_a_mistyped_override_names_the_nearest(overrides, message):
    with initialize_config_dir(CONF, version_base="1.3"), pytest.raises((HydraException, OmegaConfBaseException)) as e:
        compose("train", overrides, return_hydra_config=True)
    error = explain(e.value, "train", overrides)
    assert "\n" not in error
    assert message in error


def test_a_part_that_a_model_does_not_have_is_named(capsys):
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", ["model=encoder_decoder", "model/attention=hierarchical"])
    with pytest.raises(SystemExit):
        run_configured(lambda config: check_config(config, TrainKeys), config)
    assert capsys.readouterr().err == "error: EncoderDecoder takes no joint_attention; leave it out\n"


def test_an_output_is_not_nothing():
    for nothing in ("", None):
        with (
            pytest.raises(InputError, match="output= names no folder"),
            output_folder(OmegaConf.create({"output": nothing})),
        ):
            pass


def test_a_folder_has_one_writer_at_a_time(tmp_path):
    config = OmegaConf.create({"output": str(tmp_path / "run")})
    with output_folder(config) as output:
        with (
            pytest.raises(InputError, match=r"another run is writing to .*run; .* choose another output="),
            output_folder(config),
        ):
            pass
        with output_folder(config, first=False):
            pass
    assert not output.exists(), "nothing was written"


def test_a_folder_that_cannot_be_made_is_reported(tmp_path, capsys):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as stop, hydra_as_before():
        run_hydra(lambda config: None, "train", [f"output={tmp_path}/file/run"])
    assert stop.value.code == 2
    assert capsys.readouterr().err == (
        f"error: cannot write to the folder of output= ({tmp_path}/file/run: Not a directory); give another output=\n"
    )


@pytest.fixture(scope="module")
def composed():
    with initialize_config_dir(CONF, version_base="1.3"):
        return compose("train")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("model.depth", "x", "must be a whole number"),
        ("model.dropout", "x", "must be a number"),
        ("model.causal", "no", "must be true or false"),
        ("data.seed", -5, "must be a whole number, 0 or more"),
        ("data.skeletons.coco17", -1, "must be a number, 0 or more"),
        ("data.noise.exact", 2, "must be a number from 0 to 1"),
        ("data.cameras.off_centre", 2, "must be a number from 0 to 1"),
        ("schedule.decay.steps", 0, "must be a whole number, 1 or more"),
        ("callbacks.ema.decay", 2, "must be a number from 0 to 1"),
        ("optimizer._partial_", 3, "must be true or false"),
        ("trainer._target_", "os.nope", "cannot be imported; give a function or class"),
        ("data._target_", 3, "cannot be imported; give a function or class"),
        ("masking._target_", "abc", "cannot be called; give a function or class"),
    ],
)
def test_a_value_that_does_not_fit_is_named(key, value, message, composed, capsys):
    config = copy.deepcopy(composed)
    OmegaConf.update(config, key, value, force_add=True)
    with pytest.raises(SystemExit):
        run_configured(lambda config: check_config(config, TrainKeys), config)
    assert capsys.readouterr().err == f"error: {key}={value} {message}\n"


def test_a_group_that_is_deleted_is_named(composed):
    config = OmegaConf.create({key: composed[key] for key in composed if key != "loss"})
    with pytest.raises(InputError, match=r"^loss is missing; leave out the override that deletes it$"):
        check_config(config, TrainKeys)


def test_all_lines_of_an_input_error_are_printed(capsys):
    def fail(config):
        raise InputError("nothing at x; expected\n  a/\n    b.npz")

    with pytest.raises(SystemExit) as stop:
        run_configured(fail, OmegaConf.create())
    assert stop.value.code == 2
    assert capsys.readouterr().err == "error: nothing at x; expected\n  a/\n    b.npz\n"


@pytest.mark.parametrize("override", ["schedule=3", "logger=[1,2]", "data=7", "loss=null", "model=2.5", "hydra=3"])
def test_a_choice_that_is_no_name_is_one_line(override, capsys):
    with pytest.raises(SystemExit) as stop, hydra_as_before():
        run_hydra(lambda config: None, "train", [override])
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {override} names no choice; ")


def test_an_output_that_is_no_name_is_one_line(capsys):
    override = "output=[1]"
    with pytest.raises(SystemExit), hydra_as_before():
        run_hydra(lambda config: None, "train", [override])
    assert capsys.readouterr().err == f"error: {override} names no folder; give one, or leave it out\n"


def test_numbers_that_are_names_become_text():
    config = OmegaConf.create({"output": 2026, "log": "${output}", "seed": 3})
    check_config(config, TypedDict("Keys", {"output": str, "seed": int}))
    assert config == {"output": "2026", "log": "2026", "seed": 3}
    config = OmegaConf.create({"data": {"_target_": "poselift.data.virtual.CmuData", "corpus": [2025, 2026]}})
    check_config(config, TypedDict("Keys", {}))
    assert config.data.corpus == ["2025", "2026"]


def test_arguments_of_targets_are_checked_at_any_depth():
    noise = {"_target_": "poselift.data.noise.DetectorNoise", "offset": "wide"}
    config = OmegaConf.create({"data": {"datasets": {"a": {"noise": noise}}}})
    with pytest.raises(InputError, match=r"^data.datasets.a.noise.offset=wide must be a number$"):
        check_config(config, TypedDict("Keys", {}))
