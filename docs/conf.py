"""The site of the documentation: sphinx-build -b html -c docs . build/site, from the root of the repository.

The source is the whole repository, because pages link to README, benchmarks and the cards of the weights.
"""

import importlib.metadata
import re
from typing import Any

project = "poselift"
author = "The poselift developers"
release = importlib.metadata.version("poselift")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = ["docs/**", "benchmarks/*.md", "poselift/weights/**.md", "poselift/samples/*.md", "*.md"]
exclude_patterns = ["docs/web/**"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.xref_ambiguous"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_numpy_docstring = False
napoleon_attr_annotations = False

default_role = "code"  # docstrings have single backticks

html_theme = "furo"
html_title = "poselift"
html_show_sphinx = False

_FIELD = re.compile(r"(Formula|Source|Range|Unseen|Traps): (.*)")


def _plain_text(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Makes reStructuredText of a docstring, whose * and | mean products and norms."""
    found: list[str] = []
    within = False
    for line in lines:
        if not line.lstrip().startswith(">>>"):
            line = re.sub(r"(`[^`]*`)|([*|])", lambda m: m[1] or "\\" + m[2], line)
        if field := _FIELD.fullmatch(line):
            found += ["", f"**{field[1]}:** {field[2]}"]
            within = True
        else:
            within = within and line.startswith("    ")
            found.append(line.lstrip() if within else line)
    lines[:] = found


def setup(app: Any) -> None:
    """Connects the hook, ahead of napoleon's."""
    app.connect("autodoc-process-docstring", _plain_text, priority=400)
