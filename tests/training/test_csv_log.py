import csv

from poselift.reports.training_log import read_log
from poselift.training.csv_log import CsvLog


def test_a_row_a_step_and_a_column_a_value(tmp_path):
    log = CsvLog(tmp_path / "metrics.csv")
    log.log_metrics({"loss": 1.5, "epoch": 0}, step=0)
    log.log_metrics({"loss": 0.1, "epoch": 0}, step=1)
    log.log_metrics({"val": 50.0, "epoch": 0}, step=1)
    log.save()
    with open(tmp_path / "metrics.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["step", "loss", "val", "epoch"], ["0", "1.5", "", "0"], ["1", "0.1", "50.0", "0"]]
    assert read_log(tmp_path / "metrics.csv") == {
        0: {"loss": 1.5, "epoch": 0},
        1: {"loss": 0.1, "val": 50.0, "epoch": 0},
    }


def test_a_run_that_goes_on_forgets_what_it_will_log_again(tmp_path):
    path = tmp_path / "metrics.csv"
    first = CsvLog(path)
    for step in range(5):
        first.log_metrics({"loss": 1.0 / 3 + step}, step=step)
    first.finalize("interrupted")
    again = CsvLog(path)
    again.begin(3)
    again.log_metrics({"loss": 9.0}, step=3)
    again.save()
    assert {step: row["loss"] for step, row in read_log(path).items()} == {0: 1 / 3, 1: 4 / 3, 2: 7 / 3, 3: 9.0}
