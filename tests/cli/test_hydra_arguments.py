import sys

import pytest

from poselift.cli.hydra_arguments import expand_pattern, find_own_configs, import_own_code, split_arguments
from poselift.core.errors import InputError


@pytest.mark.parametrize(
    ("arguments", "options", "overrides"),
    [
        (["seed=0,1", "-m"], ["-m"], ["seed=0,1"]),
        (["-m", "seed=0,1"], ["-m"], ["seed=0,1"]),
        (["a=1", "-m", "b=2", "--cfg", "job", "~c"], ["-m", "--cfg", "job"], ["a=1", "b=2", "~c"]),
        (["a=1", "--info", "b=2"], ["--info"], ["a=1", "b=2"]),
        (["a=1", "-i", "all", "b=2"], ["-i", "all"], ["a=1", "b=2"]),
        (["a=1", "--config-dir", "mine", "b=2"], ["--config-dir", "mine"], ["a=1", "b=2"]),
        (["a=1", "--config-dir=mine", "b=2"], ["--config-dir=mine"], ["a=1", "b=2"]),
    ],
)
def test_options_stand_at_any_place(arguments, options, overrides):
    assert split_arguments(arguments) == (options, overrides)


def test_a_pattern_of_a_sweep_is_its_files(tmp_path):
    for name in ("b.safetensors", "a.safetensors", "of the lab (2).safetensors"):
        (tmp_path / name).touch()
    line = expand_pattern(f"weights={tmp_path}/*.safetensors")
    a, b, other = line.removeprefix("weights=").split(",")
    assert (a, b) == (f"{tmp_path}/a.safetensors", f"{tmp_path}/b.safetensors")
    assert other == f'"{tmp_path}/of the lab (2).safetensors"'
    assert expand_pattern("model.dims=[1,2]") == "model.dims=[1,2]"


def test_the_folder_of_own_configs(tmp_path, monkeypatch):
    assert find_own_configs(["-m"]) is None
    assert find_own_configs(["-m", "--config-dir", str(tmp_path)]) == tmp_path
    assert find_own_configs([f"--config-dir={tmp_path}", "-m"]) == tmp_path
    with pytest.raises(InputError, match="--config-dir nowhere: there is no such folder"):
        find_own_configs(["-cd", "nowhere"])
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "of_the_lab_3.py").write_text("value = 3\n")
    import_own_code(tmp_path)
    assert sys.modules.pop("of_the_lab_3").value == 3
    (tmp_path / "of_the_lab_4.py").write_text("value = 3 / 0\n")
    with pytest.raises(InputError, match=r"of_the_lab_4.py cannot be imported \(ZeroDivisionError: division by zero\)"):
        import_own_code(tmp_path)
    (tmp_path / "of_the_lab_4.py").rename(tmp_path / "json.py")
    with pytest.raises(InputError, match=r"json.py has the name of another module"):
        import_own_code(tmp_path)
