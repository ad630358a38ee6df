#!/usr/bin/env bash
# Installs MMPose for `--detector mmpose` into the active Python environment and keeps its PyTorch.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mmpose=1.3.2

if python -c "import mmcv._ext" 2>/dev/null; then
    # Keep a full mmcv of the user: mmcv-lite would overwrite its files.
    echo "Using the installed mmcv."
    without=mmcv-lite
else
    without=
fi

# The packages that pip can resolve: the extra `mmpose` of pyproject.toml. poselift itself, where it is not installed.
python - "$root" "$without" <<'PYTHON' | python -m pip install --quiet -r /dev/stdin
import importlib.util
import sys
import tomllib

root, without = sys.argv[1:]
with open(f"{root}/pyproject.toml", "rb") as file:
    extra = tomllib.load(file)["project"]["optional-dependencies"]["mmpose"]
print("\n".join(need for need in extra if not (without and need.startswith(without))))
sys.path = [place for place in sys.path if place not in ("", root)]
if not importlib.util.find_spec("poselift"):
    print(f"-e {root}")
PYTHON

# Two dependencies of mmpose do not work: chumpy does not build, xtcocotools does not load under numpy 2.
python -m pip install --quiet --no-deps "mmpose==$mmpose"

python - <<'PYTHON'
from poselift.detection.mmpose.compat import mmpose_imports

with mmpose_imports():
    import mmcv
    import mmdet
    import mmpose
print(f"mmpose {mmpose.__version__}, mmdet {mmdet.__version__}, mmcv {mmcv.__version__}: ready for --detector mmpose")
PYTHON
