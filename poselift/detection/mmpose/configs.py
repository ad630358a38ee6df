"""Configs by name or path, and their published weights."""

import importlib.util
from pathlib import Path

import yaml

from poselift.core.choices import did_you_mean
from poselift.core.errors import InputError
from poselift.core.registry import registry


def find_config(name: str) -> Path:
    """A config by path, or by mmpose's or mmdet's name.

    Args:
        name: a path that ends in ".py", or a file name of a shipped config without the ".py".

    Raises:
        InputError: there is no such file or shipped config; the message has names that are alike.
    """
    if name.endswith(".py"):
        if not Path(name).is_file():
            raise InputError(f"mmpose config {name}: no such file; check the path")
        return Path(name)
    # Those in folders called _base_ are parts of configs.
    shipped = {path.stem: path for folder in _folders() for path in folder.rglob("*.py") if "_base_" not in path.parts}
    if name not in shipped:
        hint = did_you_mean(name, shipped) or "give the path of a .py file"
        raise InputError(f"neither mmpose nor mmdet ships a config called {name!r}; {hint}")
    return shipped[name]


def published_weights(config: Path) -> str | None:
    """A shipped config's published weights, by name or URL, or None. OpenMMLab published them."""
    # A config of the user's own may have the name of a shipped one, and still be another.
    if config.stem in registry() and any(folder in config.parents for folder in _folders()):
        return config.stem
    for listing in sorted(config.parent.glob("*.yml")):
        models = yaml.safe_load(listing.read_text(encoding="utf-8")) or {}
        for model in models.get("Models", []) if isinstance(models, dict) else models:
            if Path(model.get("Config", "")).name == config.name and "Weights" in model:
                return str(model["Weights"])
    return None


def _folders() -> list[Path]:
    """Folders of the installed packages' configs. If two have one name, the last one counts."""
    found = []
    for package, part in (("mmpose", "demo/mmdetection_cfg"), ("mmdet", "configs"), ("mmpose", "configs")):
        spec = importlib.util.find_spec(package)
        found += [Path(place) / ".mim" / part for place in (spec.submodule_search_locations or [])] if spec else []
    return found
