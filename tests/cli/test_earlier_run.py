import pytest
from omegaconf import OmegaConf

from poselift.cli.earlier_run import check_earlier
from poselift.core.errors import InputError
from tests.core.unfinished import leave_unfinished


def test_weights_of_a_run_that_was_killed_while_they_moved_are_not_replaced(tmp_path):
    callbacks = {"best": {"path": f"{tmp_path}/best.safetensors"}, "last": None}
    config = OmegaConf.create({"output": str(tmp_path), "overwrite": False, "resume": None, "callbacks": callbacks})
    check_earlier(config, None)
    (tmp_path / "best.safetensors").touch()
    leave_unfinished(tmp_path, "best.safetensors")
    with pytest.raises(InputError, match=r"holds an earlier run \(best.safetensors\)"):
        check_earlier(config, None)
