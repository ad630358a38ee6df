"""Cells, and which of them is the best."""

import pytest

from poselift.reports.tables import Cell, Column, Row, Table, mark, split_url

MM = Column("MPJPE", "mm", "lower")
PCK = Column("PCK", "%", "higher")
PLAIN = Column("Frames", "", None)


def table(*rows, columns=(MM, PCK, PLAIN)):
    """A table of ((block, values), ...)."""
    return Table(
        "t",
        "Title",
        ("model",),
        columns,
        tuple(
            Row((f"m{place}",), tuple(Cell(None if value is None else float(value)) for value in values), (block,))
            for place, (block, values) in enumerate(rows)
        ),
    )


def best(content):
    return [[content.best(row, place) for place in range(len(content.columns))] for row in content.rows]


def test_a_cell_is_of_all_seeds_or_empty():
    assert Cell.of([3.0]) == Cell(3.0, None)
    assert Cell.of([1.0, 3.0]) == Cell(2.0, 2.0**0.5)
    assert Cell.of([1.0, None]) == Cell() == Cell.of([None])


def test_the_best_is_lowest_or_highest_as_the_column_says():
    content = table(("a", (40.0, 90.0, 1)), ("a", (50.0, 95.0, 2)), ("a", (None, None, 3)))
    assert best(content) == [[True, False, False], [False, True, False], [False, False, False]]


def test_the_best_is_looked_for_within_a_block():
    content = table(("a", (40.0, 1, 1)), ("a", (50.0, 2, 1)), ("b", (30.0, 3, 1)))
    assert [row[0] for row in best(content)] == [True, False, False]


def test_numbers_that_print_alike_are_equally_good():
    content = table(("a", (40.04, 1, 1)), ("a", (40.01, 1, 1)), ("a", (40.1, 1, 1)))
    assert [row[0] for row in best(content)] == [True, True, False]
    # And none of them is the best where all do.
    assert [row[1] for row in best(content)] == [False, False, False]


def test_the_unit_stands_in_the_caption_where_it_is_one():
    one, two = table(columns=(MM, MM)), table()
    assert (one.caption, one.heads) == ("Title, mm.", ["model", "MPJPE", "MPJPE"])
    assert (two.caption, two.heads) == ("Title.", ["model", "MPJPE (mm)", "PCK (%)", "Frames"])


def test_the_caption_says_how_to_read_the_table():
    rows = (Row(("a",), (Cell(1.0, 0.1),), ("x",)), Row(("b",), (Cell(2.0),), ("x",)), Row(("c",), (Cell(),), ("y",)))
    content = Table("t", "Title", ("model",), (MM,), rows, note="All rows: flip yes.")
    assert content.caption == (
        "Title, mm. Best in bold, among equal data. Mean ± standard deviation over the seeds. All rows: flip yes."
    )


def test_a_row_must_fit():
    with pytest.raises(ValueError, match="has another number of labels or cells"):
        table(("a", (1.0,)))


def test_sources_are_marked_by_letters():
    assert [mark(number) for number in (0, 25, 26, 27, 52)] == ["a", "z", "aa", "ab", "ba"]


def test_the_url_of_a_source_is_told_apart():
    assert split_url("Doe, 2020, https://a.b/c_d") == ("Doe, 2020,", "https://a.b/c_d")
    assert split_url("Doe, 2020") == ("Doe, 2020", "")
    assert split_url("https://a.b") == ("", "https://a.b")
