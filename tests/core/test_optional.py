import ast
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest

import poselift
from poselift.core.errors import InputError
from poselift.core.optional import not_installed, require


def test_a_missing_package_names_the_extra():
    with pytest.raises(InputError, match=r"poselift\[nothing\]"):
        require("no_such_package_anywhere", "nothing")


def test_a_folder_of_results_is_not_the_package_of_its_name(tmp_path, monkeypatch):
    (tmp_path / "opensim_results").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match="opensim_results is not installed"):
        require("opensim_results", "opensim")


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


@pytest.mark.slow
def test_every_package_that_a_module_stands_on_is_required_or_has_an_extra():
    required = {line.split(">")[0] for line in requires("poselift") if "extra ==" not in line}
    packages = {
        name for name, sources in packages_distributions().items() if required & {source.lower() for source in sources}
    }
    root = Path(poselift.__file__).parent
    # Those of MMPose are imported after MMPose only.
    for path in set(root.rglob("*.py")) - set(root.glob("detection/mmpose/*.py")):
        for line in ast.parse(path.read_text(encoding="utf-8")).body:
            named = (
                [line.module]
                if isinstance(line, ast.ImportFrom)
                else [name.name for name in getattr(line, "names", ())]
            )
            for name in {name.partition(".")[0] for name in named} - {"poselift", *sys.stdlib_module_names} - packages:
                assert not_installed(ModuleNotFoundError(name=name)), f"{path} imports {name}"
