"""The built files of the package are what `npm run build` makes of the sources in `web`."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_built_files_are_those_of_the_sources(tmp_path):
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    for name in ("web", "poselift/viz/page", "poselift/viz/site"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    web = tmp_path / "web"
    if (ROOT / "web" / "node_modules" / "esbuild").is_dir():
        (web / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    else:
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        installed = subprocess.run(command, cwd=web, capture_output=True, text=True, timeout=300)
        if installed.returncode:
            pytest.skip(f"npm cannot install the packages: {installed.stderr.strip().splitlines()[-1]}")
    checked = subprocess.run(["npm", "run", "check"], cwd=web, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    page = tmp_path / "poselift/viz/page/page.js"
    page.write_text(page.read_text("utf-8") + ";")
    assert subprocess.run(["npm", "run", "check"], cwd=web, capture_output=True).returncode == 1
