import pytest

from poselift.viz.site.web_runtime import FILES


@pytest.fixture
def runtime(tmp_path):
    """What stands in for onnxruntime-web."""
    folder = tmp_path / "dist"
    folder.mkdir()
    for name in FILES:
        (folder / name).write_bytes(name.encode())
    return folder
