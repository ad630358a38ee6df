import re
from pathlib import Path

import pytest

from poselift.nn.attention import ATTENTION

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
FAMILIES = sorted((ROOT / "docs" / "attention").glob("[!R]*.md"))


def links_of(page):
    """Where a page's links and pictures lead, but for other sites; those in code are none."""
    return [link for link in LINK.findall(CODE.sub("`", page.read_text("utf-8"))) if not re.match(r"[a-z]+:", link)]


def anchors_of(page):
    """The names that GitHub gives to a page's headings."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def name(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page):
    broken = []
    for link in links_of(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors_of(target)):
            broken.append(link)
    assert not broken


def test_every_mechanism_is_on_a_page_of_its_family():
    pages = "".join(page.read_text("utf-8") for page in FAMILIES)
    for mechanism, attention in ATTENTION.items():
        assert f"`{mechanism}`" in pages, mechanism
        assert f"{attention.__module__.replace('.', '/')}.py)" in pages, mechanism
