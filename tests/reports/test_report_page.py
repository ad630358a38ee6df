"""The page as a browser reads it."""

import base64
import re
from html.parser import HTMLParser

from poselift.reports.report_page import PagePlot, PageSection, html_page, html_table
from poselift.reports.tables import Cell, Column, Row, Table
from tests.reports.results import results, section

EVIL = """<script>alert(1)</script> & "x" 'y' $title"""
_VOID = {"meta", "link", "img", "br"}


class Page(HTMLParser):
    """Elements with their attributes, the text of each kind of element, and whether all are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self._open = [], [], []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.texts.append([tag, ""])
        if tag not in _VOID:
            self._open.append((tag, len(self.texts) - 1))

    def handle_endtag(self, tag):
        opened, _ = self._open.pop()
        assert opened == tag

    def handle_data(self, data):
        for _, place in self._open:
            self.texts[place][1] += data

    def of(self, tag):
        return [text for kind, text in self.texts if kind == tag]

    def attributes(self, tag):
        return [attributes for kind, attributes in self.elements if kind == tag]


def table(**keywords):
    rows = (
        Row((EVIL, "coco17"), (Cell(40.0, 0.26), Cell(90.0))),
        Row(("b", "coco17"), (Cell(50.0), Cell())),
        Row(("c", "gt"), (Cell(30.0), Cell(95.0)), ("gt",)),
        Row(("Theirs", "gt"), (Cell(29.0), Cell()), ("gt",), 0),
    )
    columns = (Column("MPJPE", "mm", "lower"), Column("PCK", "%", "higher"))
    return Table(
        "t", "Human: all metrics", ("model", "joints"), columns, rows, ("Doe <2020>, https://a.b",), **keywords
    )


def part(*contents):
    one = section(*contents or (results(),))
    own = Table(
        f"{one.name}_t", f"{one.title}: all metrics", ("model",), (), tuple(Row((e.name,), ()) for e in one.entries)
    )
    return PageSection(one, [own], [PagePlot(f"{one.title}: a caption of {EVIL}", b"\x89PNG-bytes", 480)])


def test_a_table_as_it_is_printed():
    page = Page(html_table(table()))
    assert page.of("th") == ["model", "joints", "MPJPEmm", "PCK%", EVIL, "b", "c", "Theirsa"]
    assert page.of("td") == [
        *("coco17", "40.0 ± 0.3", "90.0"),
        *("coco17", "50.0", "-"),
        *("gt", "30.0", "95.0"),
        *("gt", "29.0", "-"),
    ]
    assert page.of("b") == ["40.0", "29.0"]
    assert page.of("p") == ["a cited: Doe <2020>, https://a.b"]
    assert [row.get("class") for row in page.attributes("tr")[1:]] == [None, "block", None, "cited"]
    assert [head["scope"] for head in page.attributes("th")] == ["col"] * 4 + ["row"] * 4


def test_the_page_holds_everything():
    evil = results(name=EVIL)
    evil["environment"]["command"] = EVIL
    page = Page(html_page(EVIL, [part(evil)], [f"warning {EVIL}"], [f"note {EVIL}"]))
    assert page.of("title") == page.of("h1") == [EVIL]
    assert page.of("li") == [f"warning {EVIL}"]
    assert f"note {EVIL}" in page.of("p")
    assert page.of("h3") == ["All metrics"]
    assert page.of("figcaption") == [f"A caption of {EVIL}"]
    (image,) = page.attributes("img")
    assert image["alt"] == f"A caption of {EVIL}"
    assert base64.b64decode(image["src"].removeprefix("data:image/png;base64,")) == b"\x89PNG-bytes"
    assert page.of("table")[-1].count(EVIL) == 2
    assert not page.attributes("script")


def test_nothing_is_asked_for_from_elsewhere():
    text = html_page("Report", [part()], [], [])
    page = Page(text)
    for _, attributes in page.elements:
        assert attributes.get("src", "data:").startswith("data:")
        assert attributes.get("href", "data:").startswith("data:")
        assert not any(name.startswith("on") for name in attributes)
    assert not re.search(r"url\(|@import|<iframe|<object", text)
    (policy,) = [meta["content"] for meta in page.attributes("meta") if "http-equiv" in meta]
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
