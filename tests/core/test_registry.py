import re

import pytest
import yaml

from poselift.core import registry as module
from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.core.registry import RegistryEntry, published, registry
from poselift.models.saved_weights import shipped_weights

ENTRIES = yaml.safe_load((module._FOLDER / "registry.yaml").read_text())


@pytest.mark.parametrize("name", ENTRIES)
def test_every_entry_is_whole(name):
    entry = ENTRIES[name]
    assert set(entry) <= {"what", "licence", "sha256", "sha256_begins", "size", "file", "urls"}
    assert entry["what"]
    assert entry["licence"]
    assert ("sha256" in entry) != ("sha256_begins" in entry)
    assert ("file" in entry) != ("urls" in entry)
    digits = 64 if "sha256" in entry else 8
    assert re.fullmatch(f"[0-9a-f]{{{digits}}}", published(name).sha256)
    assert len(entry.get("urls", [])) != 1, "one server that is down is enough"
    for url in entry.get("urls", []):
        assert url.startswith("https://")
        assert url.endswith(f"/{published(name).path.name}"), "all servers name the file alike"
        assert (f"-{published(name).sha256[:8]}" in url) != published_anew(url), "which of two files of one name it is"


def published_anew(url):
    """Whether OpenMMLab put another file there in April 2023, under a name that has the first one's digits."""
    date = re.search(r"_(\d{8})\.pth$", url)
    return "/rtmposev1/" in url and (date is None or date[1] < "20230418")


def test_shipped_files_are_as_the_registry_says(monkeypatch):
    shipped = {name: entry for name, entry in registry().items() if entry.shipped}
    movenet = {f"movenet_{name}{kind}" for name in ("multipose", "thunder") for kind in ("", "_int8", "_batch")}
    assert set(shipped) == {"small", "tiny", "blazepose_full", "blazepose_heavy", "hand_landmark"} | movenet
    assert set(shipped_weights()) <= set(shipped), "a lifter that is not in the registry"
    for entry in shipped.values():
        assert entry.get(offline=True) == entry.path
        assert sha256(entry.path) == entry.sha256
        assert entry.path.stat().st_size == entry.size


def test_an_unknown_name_is_told_what_is_alike():
    with pytest.raises(InputError, match=r"did you mean .*rtmpose-m_8xb256-420e_body8-256x192"):
        published("rtmpose-m_body8-256x192")
    with pytest.raises(InputError, match="poselift weights list"):
        published("§")


def test_shipped_files_that_are_missing_or_damaged(tmp_path):
    entry = RegistryEntry("x", "", "", "0" * 64, shipped=tmp_path / "x.onnx")
    with pytest.raises(InputError, match=r"x\.onnx is missing; reinstall"):
        entry.get()
    entry.path.write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"x\.onnx is damaged.*reinstall"):
        entry.get()
