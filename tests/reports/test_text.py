from poselift.reports.measures import MEASURES
from poselift.reports.text import text_table
from tests.reports.results import results


def test_a_table_of_all_metrics_fits_a_terminal():
    """Those of Human3.6M, whose groups have the longest names."""
    content = results(protocol="h36m_p1")
    first = content["metrics"]["mpjpe"]
    content["metrics"] = {key: first | {"title": each.title, "unit": each.unit} for key, each in MEASURES.items()}
    lines = text_table(content).splitlines()
    assert max(map(len, lines)) <= 100
    heads = " ".join(line for line in lines if "| MPJPE" in line or "Jitter" in line)
    assert all(heads.count(f" {each.title} ") == 1 for each in MEASURES.values())
    rows = [line for line in lines if line.startswith("| Directions")]
    assert sum(line.count("43.00") for line in rows) == len(MEASURES)
    assert len(rows) == len([line for line in lines if line.startswith("| all frames")]) == 2


def test_a_long_name_takes_the_room_that_it_needs():
    content = results()
    for metric in content["metrics"].values():
        metric["groups"] = {"x" * 120: 1.0}
    assert sum("x" * 120 in line for line in text_table(content).splitlines()) == len(content["metrics"])
