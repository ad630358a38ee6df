"""What users import: names and signatures, beside a list that changes only on purpose.

After such a change: `python tests/test_public_api.py > tests/public_api.txt`.
"""

import importlib
import inspect
from pathlib import Path

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
    "skeleton",
    "tracking",
    "video",
)


def public_api() -> list[str]:
    """A line for each public name, with its parameters."""
    lines = []
    for package in PACKAGES:
        module = importlib.import_module(f"poselift.{package}")
        for name in sorted(module.__all__):
            thing = getattr(module, name)
            parameters = ""
            if inspect.isfunction(thing) or (inspect.isclass(thing) and not getattr(thing, "_is_protocol", False)):
                parameters = f"({', '.join(inspect.signature(thing).parameters)})"
            lines.append(f"{package}.{name}{parameters}")
    return lines


def test_the_public_api_changes_only_on_purpose():
    assert public_api() == Path(__file__).with_name("public_api.txt").read_text("utf-8").splitlines()


if __name__ == "__main__":
    print("\n".join(public_api()))
