"""Cells, and which of them is the best."""

from poselift.reports.tables import Cell, Column, Row, Table

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


def test_the_best_is_looked_for_within_a_block_as_the_column_says():
    content = table(("a", (40.04, 90, 1)), ("a", (40.01, 90, 2)), ("a", (None, None, 3)), ("a", (50, 90, 1)))
    # Numbers that print alike are equally good; where all do, none is the best.
    assert best(content) == [[True, False, False], [True, False, False], [False] * 3, [False] * 3]
    content = table(("a", (40, 90, 1)), ("a", (50, 95, 1)), ("b", (30, 99, 1)))
    assert best(content) == [[True, False, False], [False, True, False], [False] * 3]


def test_the_unit_stands_in_the_caption_where_it_is_one():
    one, two = table(columns=(MM, MM)), table()
    assert (one.caption, one.heads) == ("Title, mm.", ["model", "MPJPE", "MPJPE"])
    assert (two.caption, two.heads) == ("Title.", ["model", "MPJPE (mm)", "PCK (%)", "Frames"])
