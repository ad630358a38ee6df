"""The site of the documentation: sphinx-build -b html -c docs . build/site, from the root of the repository.

The source is the whole repository, because pages link to README, benchmarks and the cards of the weights.
"""

import importlib.metadata
import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

project = "poselift"
author = "The poselift developers"
copyright = author
release = importlib.metadata.version("poselift")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = ["docs/**", "benchmarks/*.md", "poselift/weights/**.md", "poselift/samples/*.md", "*.md"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.xref_ambiguous"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_numpy_docstring = False
napoleon_attr_annotations = False

default_role = "code"  # docstrings have single backticks
highlight_language = "bash"  # of code blocks without a language
html_math_renderer = "mathml"  # MathJax would come from the network

html_theme = "furo"
html_title = "poselift"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
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


def _formula(page: Any, node: nodes.math) -> None:
    """Writes a formula as MathML, which browsers draw without a script."""
    page.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _formula_on_a_line(page: Any, node: nodes.math_block) -> None:
    """The same on a line of its own, which scrolls where it is too wide."""
    page.body.append(f'<div class="math-wrapper">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Connects the hook, ahead of napoleon's, and the formulas."""
    app.connect("autodoc-process-docstring", _plain_text, priority=400)
    app.add_html_math_renderer("mathml", inline_renderers=(_formula, None), block_renderers=(_formula_on_a_line, None))
