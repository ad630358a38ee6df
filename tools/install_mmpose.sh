#!/usr/bin/env bash
# Installs MMPose for `--detector mmpose` into the active Python environment and keeps its PyTorch.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mmpose=1.3.2
install=${INSTALL:-python -m pip install}

packages="mmengine==0.10.7 mmdet==3.3.0 mmpretrain==1.2.0 mmpose==$mmpose"
if python -c "import mmcv._ext" 2>/dev/null; then
    # Keep a full mmcv of the user: mmcv-lite would overwrite its files.
    echo "Using the installed mmcv."
else
    packages="$packages mmcv-lite==2.1.0"
fi

# What they import: the extra `mmpose` of pyproject.toml. poselift itself, where it is not installed.
python - "$root" <<'PYTHON' | $install --quiet -r /dev/stdin
import importlib.util
import sys
import tomllib

root = sys.argv[1]
with open(f"{root}/pyproject.toml", "rb") as file:
    print("\n".join(tomllib.load(file)["project"]["optional-dependencies"]["mmpose"]))
sys.path = [place for place in sys.path if place not in ("", root)]
if not importlib.util.find_spec("poselift"):
    print(f"-e {root}")
PYTHON

# Without their dependencies: opencv-python would overwrite poselift's OpenCV, chumpy does not build, and xtcocotools
# does not load under numpy 2.
# shellcheck disable=SC2086  # a list of words
$install --quiet --no-deps $packages

python - <<'PYTHON'
from poselift.detection.mmpose.compat import mmpose_imports

with mmpose_imports():
    import mmcv
    import mmdet
    import mmpose
print(f"mmpose {mmpose.__version__}, mmdet {mmdet.__version__}, mmcv {mmcv.__version__}: ready for --detector mmpose")
PYTHON
