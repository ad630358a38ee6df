import csv

import pytest

from benchmarks import cmu_table

pytestmark = pytest.mark.slow


def test_a_row_for_each_setting(files, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "poselift.reports.report_folder.section_plots", lambda *_: []
    )  # they take seconds; tests/cli/test_report.py
    settings = ["--skeletons", "coco17", "--keypoints", "gt", "--camera", "known", "assumed"]
    cmu_table.main(["flip=false", *files, *settings, "--out", str(tmp_path / "out")])
    runs = sorted(path.name for path in (tmp_path / "out" / "runs").iterdir())
    assert runs == ["test_coco17_gt_assumed", "test_coco17_gt_known"]
    assert (tmp_path / "out" / "report.md").is_file()
    tables = [list(csv.reader(path.read_text().splitlines())) for path in (tmp_path / "out" / "tables").glob("*.csv")]
    assert any(len(table) == 3 for table in tables), "a head and two rows"


def test_two_files_of_one_name_are_refused(files, tmp_path, capsys):
    with pytest.raises(SystemExit):
        cmu_table.main([*files, "elsewhere/test.safetensors", "--out", str(tmp_path)])
    assert "rename one" in capsys.readouterr().err
