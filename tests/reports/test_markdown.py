"""Tables as Markdown."""

from poselift.reports.markdown import escape, markdown_table
from poselift.reports.tables import Cell, Column, Row, Table


def test_a_table_line_by_line():
    table = Table(
        "t",
        "Errors",
        ("model",),
        (Column("MPJPE", "mm", "lower"), Column("PCK", "%", "higher")),
        (
            Row(("a_1",), (Cell(50.04, 1.26), Cell(90.0))),
            Row(("b|c",), (Cell(49.0), Cell()), (), 0),
        ),
        ("Doe, Lifting_2, https://a.b/c_d",),
    )
    assert markdown_table(table).splitlines() == [
        "Errors. Best in bold. Mean ± standard deviation over the seeds.",
        "",
        "| model | MPJPE (mm) | PCK (%) |",
        "| --- | ---: | ---: |",
        r"| a\_1 | 50.0 ± 1.3 | 90.0 |",
        r"| b\|c (a) | **49.0** | - |",
        "",
        r"(a) cited: Doe, Lifting\_2, <https://a.b/c_d>  ",
    ]


def test_names_print_as_they_are():
    assert escape("a_*b*\n<c> #1 [d] `e` ~f~") == r"a\_\*b\* \<c\> \#1 \[d\] \`e\` \~f\~"
