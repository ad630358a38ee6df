import gzip
import json
import re

import pytest

from poselift.core.errors import InputError
from poselift.viz.site import HEADERS, site_writer, write_site


def test_it_is_a_flat_folder_whose_files_are_listed(tmp_path, runtime):
    (tmp_path / ".site.a1b2c3d4").mkdir()  # of a killed process
    folder = write_site(tmp_path / "site", runtime)
    assert not (tmp_path / ".site.a1b2c3d4").exists()
    about = json.loads((folder / "site.json").read_text("utf-8"))
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    for name, size in about["files"].items():
        # The version and the policy go into two files after the list is made.
        assert sizes[name] == size or name in ("index.html", "sw.js")
    wanted = {"index.html", "app.js", "worker.js", "sw.js", "licences.txt", "movenet_multipose.onnx", "numbers.json"}
    assert wanted <= set(about["files"])
    assert gzip.decompress((folder / "ort-wasm-simd-threaded.wasm.gz").read_bytes()) == b"ort-wasm-simd-threaded.wasm"
    assert set(about["drawing"]["skeletons"]) == {"h36m17", "coco17", "coco_wholebody23"}


@pytest.mark.slow
def test_its_version_is_that_of_its_content(tmp_path, runtime, monkeypatch):
    def version(folder):
        return json.loads((write_site(folder, runtime) / "site.json").read_text("utf-8"))["version"]

    first = version(tmp_path / "a")
    assert version(tmp_path / "b") == first
    assert first in (tmp_path / "a" / "sw.js").read_text("utf-8")
    (runtime / "ort.wasm.min.mjs").write_bytes(b"another one")
    assert version(tmp_path / "c") != first
    # What goes into sw.js and site.json counts too, or a browser would keep the old ones.
    (runtime / "ort.wasm.min.mjs").write_bytes(b"ort.wasm.min.mjs")
    for name, value in (("_POLICY", "default-src 'none'"), ("PALETTE", ["#000000"])):
        with monkeypatch.context() as changed:
            changed.setattr(site_writer, name, value)
            assert version(tmp_path / name) != first
    assert version(tmp_path / "d") == first


def test_the_page_connects_to_its_own_files_only(tmp_path, runtime):
    page = (write_site(tmp_path / "site", runtime) / "index.html").read_text("utf-8")
    assert f'content="{HEADERS["Content-Security-Policy"]}"' in page
    assert "connect-src 'self'" in page
    assert "default-src 'none'" in page
    assert not re.search(r"https?://", page)
    assert page.count("<script") == 1


def test_a_runtime_without_a_file_is_an_error(tmp_path, runtime):
    (runtime / "ort.webgpu.min.mjs").unlink()
    with pytest.raises(InputError, match=r"has no ort\.webgpu\.min\.mjs; give the folder dist of onnxruntime-web"):
        write_site(tmp_path / "site", runtime)
    assert not (tmp_path / "site").exists()


def test_offline_the_error_says_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("POSELIFT_CACHE", str(tmp_path / "cache"))
    with pytest.raises(InputError, match=r"onnxruntime-web-.*\.tgz is not in the cache"):
        write_site(tmp_path / "site", offline=True)
