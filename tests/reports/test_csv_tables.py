"""Tables as CSV hold every digit."""

import csv
import io

from poselift.reports.csv_tables import csv_table
from poselift.reports.tables import Cell, Column, Row, Table


def test_a_table_cell_by_cell():
    table = Table(
        "t",
        "Errors",
        ("model",),
        (Column("MPJPE", "mm", "lower"), Column("Jitter", "", "lower")),
        (
            Row(('a, "b"',), (Cell(1 / 3, 0.1 + 0.2), Cell(2.0))),
            Row(("c",), (Cell(50.0), Cell()), (), 0),
        ),
        ("Doe, 2020, https://a.b",),
    )
    assert list(csv.reader(io.StringIO(csv_table(table)))) == [
        ["model", "MPJPE (mm)", "MPJPE (mm) deviation", "Jitter", "citation"],
        ['a, "b"', "0.3333333333333333", "0.30000000000000004", "2.0", ""],
        ["c", "50.0", "", "", "Doe, 2020, https://a.b"],
    ]


def test_names_are_no_formulas_and_numbers_stay_numbers():
    rows = (Row(("=cmd|' /C calc'!A0",), (Cell(-1.5),), (), 0),)
    table = Table("t", "Errors", ("model",), (Column("-x", "mm", "lower"),), rows, ("@Doe",))
    assert list(csv.reader(io.StringIO(csv_table(table)))) == [
        ["model", "'-x (mm)", "citation"],
        ["'=cmd|' /C calc'!A0", "-1.5", "'@Doe"],
    ]
