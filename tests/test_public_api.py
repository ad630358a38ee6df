"""What users import: names, parameters, fields, methods and defaults, beside a list that changes only on purpose.

After such a change: `python tests/test_public_api.py > tests/public_api.txt`.
"""

import importlib
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGES = (
    "detection",
    "export",
    "finding",
    "geometry",
    "keypoints",
    "kinematics",
    "lifting",
    "metrics",
    "models",
    "recordings",
    "skeleton",
    "structures",
    "tracking",
    "video",
)


_WANTED = object()
"""What stands for an attribute that a protocol wants."""


def public_api() -> list[str]:
    """A line for each public name, with parameters and defaults, and for each method and property of a class."""
    lines = []
    for package in ("", *PACKAGES):
        module = importlib.import_module(f"poselift.{package}".rstrip("."))
        for name in sorted(module.__all__):
            thing, where = getattr(module, name), f"{package or 'poselift'}.{name}"
            if inspect.isclass(thing):
                constructor = "" if getattr(thing, "_is_protocol", False) else _parameters(thing)
                lines += [where + constructor, *(f"{where}.{member}" for member in _members(thing))]
            else:
                lines.append(where + (_parameters(thing) if inspect.isfunction(thing) else ""))
    return lines


def _members(cls: type) -> Iterator[str]:
    """Methods, properties, and what a protocol wants, without those of other packages."""
    found: dict[str, Any] = {}
    for base in reversed([each for each in cls.__mro__ if each.__module__.startswith("poselift")]):
        found |= vars(base)
        if getattr(base, "_is_protocol", False):
            found |= dict.fromkeys(inspect.get_annotations(base), _WANTED)
    for name, member in sorted(found.items()):
        if name.startswith("_"):
            continue
        kind = {classmethod: "classmethod ", staticmethod: "staticmethod "}.get(type(member), "")
        if kind or inspect.isfunction(member):
            yield f"{name}{_parameters(getattr(member, '__func__', member))}{kind and f'  # {kind.strip()}'}"
        elif member is _WANTED or isinstance(member, property) or hasattr(member, "func"):  # a cached property
            yield name


def _parameters(thing: Any) -> str:
    """The parameters of a function or of a constructor, without types."""
    signature = inspect.signature(thing)
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_Shown.of(parameter.default))
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


class _Shown:
    """A default as it is shown: long ones, and those with an address, by their type."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    @classmethod
    def of(cls, default: Any) -> Any:
        if default is inspect.Parameter.empty:
            return default
        text = repr(default)
        return cls(text if len(text) < 60 and " at 0x" not in text else f"<{type(default).__name__}>")


def test_the_public_api_changes_only_on_purpose():
    assert public_api() == Path(__file__).with_name("public_api.txt").read_text("utf-8").splitlines()


def test_methods_fields_and_defaults_are_in_it():
    lines = public_api()
    assert any(line.startswith("structures.Motion(joints, ") for line in lines)
    assert any(line.startswith("poselift.lift(") for line in lines)
    assert "tracking.Tracker.update(detections, timestamp)" in lines
    assert any(line.startswith("detection.MoveNet(device='auto')") for line in lines)
    assert any(line.startswith("detection.Detector.detect(") for line in lines)


def test_it_is_what_the_page_of_stable_names_names():
    """docs/stability.md lists these packages and names, and no others."""
    page = (Path(__file__).parents[1] / "docs" / "stability.md").read_text("utf-8")
    listed = page.partition("The public API is")[2].partition("A test holds")[0]
    names = {name.partition(".")[2] for name in re.findall(r"`(poselift\.\w+)`", listed)}
    top = {name for name in importlib.import_module("poselift").__all__ if not name.startswith("_")}
    assert names == {*PACKAGES, *top}


def test_no_two_classes_have_one_name():
    package = Path(__file__).parents[1] / "poselift"
    texts = [path.read_text("utf-8") for path in package.rglob("*.py")]
    names = Counter(name for text in texts for name in re.findall(r"^class (\w+)", text, re.MULTILINE))
    assert not [name for name, count in names.items() if count > 1]


if __name__ == "__main__":
    print("\n".join(public_api()))
