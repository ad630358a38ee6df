"""The errors of mistyped overrides; composed in this process."""

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from hydra.utils import instantiate
from omegaconf.errors import OmegaConfBaseException

from poselift.cli.config import CONF, explain, run_configured, run_hydra
from tests.cli.running import hydra_as_before

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["model.dpth=8"], "there is no key model.dpth; did you mean 'model.depth'"),
        (["model=liftr"], "there is no model=liftr; did you mean 'lifter'?"),
        (["data=cmu", "data.corpsu=x"], "there is no key data.corpsu; did you mean 'data.corpus'"),
        (
            ["schedule.steps=5"],
            "; did you mean 'schedule.decay.steps', 'schedule.warmup.steps'?",
        ),
        (["zzzzzz=1"], "there is no key zzzzzz; --cfg job prints all keys"),
        (["model=rnn", "model/attention=dot"], "model/attention does not go with this model=, which has no attention"),
        (["model/atention=dot"], "there is no key model/atention; did you mean 'model.attention'"),
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
        run_configured(lambda config: instantiate(config.model), config)
    assert capsys.readouterr().err == (
        "error: EncoderDecoder takes no joint_attention; leave out the override that sets it\n"
    )


def test_a_folder_that_cannot_be_made_is_reported(tmp_path, capsys):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as stop, hydra_as_before():
        run_hydra(lambda config: None, "train", [f"output={tmp_path}/file/run"])
    assert stop.value.code == 2
    assert capsys.readouterr().err == (
        f"error: cannot write to the folder of output= ({tmp_path}/file/run: Not a directory); give another output=\n"
    )


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["model.depth=x"], "error: model.depth=x must be a whole number\n"),
        (["model.dropout=x"], "error: model.dropout=x must be a number\n"),
    ],
)
def test_a_value_that_is_no_number_is_named(overrides, message, capsys):
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", overrides)
    with pytest.raises(SystemExit):
        run_configured(lambda config: instantiate(config.model), config)
    assert capsys.readouterr().err == message
