"""The site of the documentation builds without a warning."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    for package in ("sphinx", "furo", "myst_parser", "latex2mathml"):
        pytest.importorskip(package, reason='needs pip install -e ".[docs]"')
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", "docs", ".", str(tmp_path)]
    ran = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "docs" / "index.html").is_file()
    formulas = (tmp_path / "docs" / "attention" / "scores.html").read_text("utf-8")
    assert "<math" in formulas
    assert not re.search(r"<(script|link)[^>]+(src|href)=.https?:", formulas), "the site needs no network"
