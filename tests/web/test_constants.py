"""Each constant that the JavaScript of web/src names is in numbers.json, and those that it copies are Python's."""

import json
import re
from pathlib import Path

import pytest

from poselift.detection import crop
from poselift.numerics import times

WEB = Path(__file__).parents[2] / "web" / "src"
SHIPPED = WEB.parents[1] / "poselift" / "viz" / "site" / "numbers" / "numbers.json"
CONSTANTS = json.loads(SHIPPED.read_text("utf-8"))["constants"]

_NAME = r"[A-Z][A-Z0-9_]+"
_MEMBER = re.compile(rf"(\w+)\.({_NAME})\b")
_TAKEN = re.compile(rf"(?:(\w+): )?\{{ ((?:{_NAME}(?:, )?)+) \}}(?: = (?:\w+\.)*?constants\.(\w+))?")
_OTHERS = ("Math", "Number", "Node", "WebGL2RenderingContext", "gl")
_FLOAT = re.compile(rf"\bconst ({_NAME}) = ([\d.e-]+);")


def missing(text):
    """The constants that a script names as module.NAME, alias.NAME or { NAME } and that numbers.json lacks."""
    named = [match.groups() for match in _MEMBER.finditer(text) if match[1] not in _OTHERS]
    for before, names, after in _TAKEN.findall(text):
        named += [(after or before, name) for name in names.split(", ")]
    anywhere = {name for values in CONSTANTS.values() for name in values}
    return [f"{where}.{name}" for where, name in named if name not in CONSTANTS.get(where, anywhere)]


@pytest.mark.parametrize("path", sorted(WEB.rglob("*.js")), ids=lambda path: path.name)
def test_each_named_constant_exists(path):
    assert missing(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("box > constants.finder.FOUNT", "finder.FOUNT"),
        ("const { movenet, multipose: { OFSET } } = this.constants", "multipose.OFSET"),
        ("const { NEARBY, OFTENER } = constants.structures;", "structures.OFTENER"),
        ("place(x, { foot_contacts: constants }) { return constants.WINDOWS; }", "constants.WINDOWS"),
        ("finder.SPACING", "finder.SPACING"),  # backward_tracking's
    ],
)
def test_a_wrong_name_is_found(text, name):
    assert missing(text) == [name]


def test_scripts_name_many_constants():
    scripts = [path.read_text("utf-8") for path in sorted(WEB.rglob("*.js"))]
    named = {match[0] for text in scripts for match in _MEMBER.finditer(text) if match[1] not in _OTHERS}
    assert len(named) > 60


def test_copies_of_constants_are_those_of_python():
    """Of the time stamps' functions, which are called without the facts of numbers.json."""
    copies = dict(_FLOAT.findall((WEB / "numbers" / "times.js").read_text("utf-8")))
    assert {name: float(value) for name, value in copies.items()} == {"SPAN": times._SPAN, "MET": times._MET}


def test_the_detector_has_no_numbers_of_its_own():
    """But for the fixed point of a drawing, the names of joints, and a crop's angles, which are Python's."""
    own = {
        name
        for path in sorted((WEB / "detector").glob("*.js"))
        for line in re.findall(rf"const [^;]*?\b{_NAME} = [^;]*;", path.read_text("utf-8"))
        for name in re.findall(rf"\b({_NAME}) = ", line)
    }
    assert own == {"ONE", "HALF", "LIMBS", "TRUNK", "FACE", "STEPS"}
    assert dict(_FLOAT.findall((WEB / "detector" / "crop.js").read_text("utf-8"))) == {"STEPS": str(crop._STEPS)}
