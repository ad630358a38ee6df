"""Docstrings open with one short sentence, so that a reader sees at once what a thing is."""

import ast
import re
from pathlib import Path

import pytest

import poselift

PACKAGE = Path(poselift.__file__).parent
MOST_WORDS = 12
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def long_openings(text):
    """Names and first sentences of docstrings that open with too many words."""
    for node in ast.walk(ast.parse(text)):
        docstring = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
        first = re.split(r"(?<=[.?!])\s", " ".join((docstring or "").split("\n\n")[0].split()))[0]
        if len(first.split()) > MOST_WORDS:
            yield getattr(node, "name", "module"), first


@pytest.mark.parametrize("room", sorted({path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")}))
def test_docstrings_open_with_at_most_twelve_words(room):
    files = [PACKAGE / room] if room.endswith(".py") else sorted((PACKAGE / room).rglob("*.py"))
    found = {
        f"{file.relative_to(PACKAGE)}: {name}": first
        for file in files
        for name, first in long_openings(file.read_text("utf-8"))
    }
    assert not found


def test_a_long_opening_is_found():
    words = " ".join(["word"] * 13)
    assert list(long_openings(f'def f():\n    """{words}."""\n')) == [("f", f"{words}.")]
    assert not list(
        long_openings('def f():\n    """One sentence. And another one that goes on for rather many words more."""\n')
    )
