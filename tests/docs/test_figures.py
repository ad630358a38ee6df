"""What README says of the shipped weights is what their cards say."""

from pathlib import Path

import pytest

from poselift.models.saved_weights import shipped_weights

ROOT = Path(__file__).parents[2]


def rows(path: Path) -> list[list[str]]:
    """The cells of all rows of all tables of a page."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


@pytest.mark.parametrize("name", shipped_weights())
def test_readme_has_the_errors_of_the_card(name):
    card = {tuple(row[:3]): row for row in rows(ROOT / "poselift" / "weights" / f"{name}.md") if len(row) == 11}
    stated = [row for row in rows(ROOT / "README.md") if row[0] == name and len(row) == 5]
    assert [row[1] for row in stated if row[1] != "coco_wholebody23"] == ["h36m17", "coco17", "halpe26"]
    for _, joints, mpjpe, mpjpe_exact, p_mpjpe in stated:
        detected, exact = card[joints, "det", "known"], card[joints, "gt", "known"]
        assert (mpjpe, mpjpe_exact, p_mpjpe) == (detected[3], exact[3], detected[5])
