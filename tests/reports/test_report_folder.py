"""The files of a report."""

import base64
import shutil
import subprocess

import pytest
from matplotlib.figure import Figure

from poselift.core.errors import InputError
from poselift.reports.entries import sections
from poselift.reports.figures import Plot
from poselift.reports.published import read_published
from poselift.reports.report_folder import write_report
from poselift.reports.runs import read_runs
from tests.reports.results import results, write

TEX = shutil.which("pdflatex")
NASTY = r"[a]_b & 50% of $x^2$ {c} \d ~ #1 <e> | 'f' `g` -- ² ± é ß 日本"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Of runs under two protocols, one of them with two seeds and one with a warning."""
    folder = tmp_path_factory.mktemp("report")
    contents = [
        results(50.0, name=NASTY, seed=0),
        results(52.0, name=NASTY, seed=1),
        results(45.0, name="ours_b", warnings=["looks <large>"]),
        results(40.0, protocol="h36m_p1", data={"keypoints": "cpn"}),
    ]
    runs = read_runs([write(folder / str(number), content) for number, content in enumerate(contents)])
    found, _ = sections(runs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "poselift.reports.report_folder.section_plots",
            lambda section, *_: [Plot(f"{section.name}_one", "One plot.", Figure())],
        )
        write_report(folder / "out", found, peers=read_published(), warnings=["one more"])
    return folder / "out"


@pytest.mark.slow
def test_the_markdown_and_the_document_hold_every_table(report):
    text, document = (report / "report.md").read_text(), (report / "report.tex").read_text()
    for path in (report / "tables").glob("*.md"):
        assert path.read_text().rstrip() in text
        assert rf"\input{{tables/{path.stem}}}" in document
    assert document.split(r"\begin{document}")[1].count(r"\plot{") == len(list((report / "plots").glob("*.pdf"))) > 0
    assert text.count("\n## ") == document.count(r"\subsection*") == 2
    assert "- Warning: one more" in text
    assert r"- Warning: ours\_b: looks \<large\>" in text
    assert "Cited rows are as published" in text
    assert "Cost is of one forward pass" not in text
    for path in (report / "plots").glob("*.png"):
        assert f"![One plot.](plots/{path.name})" in text


@pytest.mark.skipif(TEX is None, reason="needs pdflatex")
def test_the_document_compiles_as_it_stands(report, tmp_path):
    shutil.copytree(report, tmp_path / "out")
    command = [TEX, "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=tmp_path / "out", capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert b"Overfull" not in done.stdout


def test_attention_drawn_beside_a_run_comes_into_the_page(tmp_path, monkeypatch):
    """And into no other; what is no picture is refused."""
    monkeypatch.setattr("poselift.reports.report_folder.section_plots", lambda *_: [])
    runs = [write(tmp_path / name, results(50.0 + place, name=name)) for place, name in enumerate(("ours", "other"))]
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (400).to_bytes(4) + (200).to_bytes(4) + b"the rest"
    folder = (tmp_path / "ours") / "attention"
    folder.mkdir()
    (folder / "time.png").write_bytes(picture)
    found, _ = sections(read_runs(runs))
    write_report(tmp_path / "out", found)
    page = (tmp_path / "out" / "index.html").read_text()
    assert base64.b64encode(picture).decode() in page
    assert page.count("<figure") == page.count("Where each head of ours looks, over time.") / 2 == 1
    assert 'width: 200px"' in page
    (folder / "time.png").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"time\.png is no PNG picture"):
        write_report(tmp_path / "out", found)
