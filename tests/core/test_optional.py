import pytest

from poselift.core.errors import InputError
from poselift.core.optional import not_installed, require


def test_a_missing_package_names_the_extra():
    with pytest.raises(InputError, match=r"poselift\[nothing\]"):
        require("no_such_package_anywhere", "nothing")


def test_a_package_that_cannot_be_imported_is_an_error_of_one_line(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import no_such_package_anywhere")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"no_such_package_anywhere.*pip uninstall half_installed"):
        require("half_installed", "nothing")


@pytest.mark.parametrize(("module", "extra"), [("torch.nn", "train"), ("matplotlib", "plots")])
def test_a_missing_package_of_an_extra_is_told_from_a_bug(module, extra):
    missing = not_installed(ModuleNotFoundError(f"No module named {module!r}", name=module))
    assert str(missing) == f"{module.partition('.')[0]} is not installed; run: pip install 'poselift[{extra}]'"
    assert not_installed(ModuleNotFoundError("No module named 'poselift.x'", name="poselift.x")) is None
