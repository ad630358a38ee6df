"""What the user of a format chooses."""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from poselift.core.choices import choose

OWN = "poselift"
"""Name of the rig that has the motion's own joints as bones."""

Rest = Literal["t", "a", "first", "bones"]


def rig_names() -> list[str]:
    """Names of all rigs."""
    return [OWN, *(name for name in read_rigs() if name not in ("slots", "fingers"))]


@dataclass(frozen=True)
class Rigging:
    """What bones a motion becomes.

    Attributes:
        rig: one of `rig_names`.
        rest: a T-pose, an A-pose, the first frame as rest pose, or every bone along x ("bones", of LAFAN1); None for
            the usual one of the rig.
        lock_feet: whether feet in contact stand still (`poselift.kinematics.lock_feet`).

    Raises:
        InputError: no rig has this name.
    """

    rig: str = OWN
    rest: Rest | None = None
    lock_feet: bool = False

    def __post_init__(self) -> None:
        """Checks the name before long work."""
        choose("rig", self.rig, dict.fromkeys(rig_names()))


@dataclass(frozen=True)
class ExportOptions:
    """Choices of a format's user; formats ignore those they lack.

    Attributes:
        up: the axis that points up, "y" or "z".
        markers: names of the markers, one of `MARKER_SETS`; None for our joints.
        rigging: the bones of characters.
    """

    up: str = "y"
    markers: str | None = None
    rigging: Rigging = field(default_factory=Rigging)


@cache
def read_rigs() -> dict[str, Any]:
    """The content of rigs.toml."""
    return tomllib.loads((files(__package__) / "rigs.toml").read_text("utf-8"))
