"""The site of the documentation builds without a warning."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    for package in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(package, reason='needs pip install -e ".[docs]"')
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", "docs", ".", str(tmp_path)]
    ran = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "docs" / "index.html").is_file()
