import http.server
import os
import pickle
import threading
import zipfile
from collections import OrderedDict

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.core.registry import RegistryEntry
from poselift.detection.mmpose import mmpose_checkpoints
from poselift.detection.mmpose.mmpose_checkpoints import Checkpoint, load_checkpoint, load_state

pytestmark = pytest.mark.slow

META = {"keypoint_id2name": {0: "nose"}, "sigmas": np.array([0.026, 0.1], np.float32), "count": np.float64(1.5)}


@pytest.fixture
def saved(tmp_path):
    state = OrderedDict(weight=torch.arange(6.0).reshape(2, 3), bias=torch.ones(2))
    torch.save({"state_dict": state, "meta": {"dataset_meta": META}}, tmp_path / "model.pth")
    return tmp_path / "model.pth"


def test_a_checkpoint_with_numpy_arrays_in_its_metadata_is_read(saved):
    checkpoint = load_checkpoint(str(saved))
    assert (checkpoint.name, checkpoint.sha256) == ("model.pth", sha256(saved))
    assert checkpoint.state["weight"].tolist() == [[0, 1, 2], [3, 4, 5]]
    np.testing.assert_array_equal(checkpoint.dataset_meta["sigmas"], META["sigmas"])
    assert checkpoint.dataset_meta["count"] == 1.5


@pytest.mark.parametrize("package", [b"numpy.core.multiarray", b"numpy._core.multiarray"])
def test_arrays_of_older_and_newer_numpy_are_read(package, saved, tmp_path):
    """They name the same functions in other places."""
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(tmp_path / "other.pth", "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith("data.pkl"):
                content = content.replace(b"numpy._core.", b"numpy.core.").replace(b"numpy.core.multiarray", package)
                assert package in content
            target.writestr(name, content)
    np.testing.assert_array_equal(load_checkpoint(str(tmp_path / "other.pth")).dataset_meta["sigmas"], META["sigmas"])


class Hostile:
    def __init__(self, call, *arguments):
        self.call, self.arguments = call, arguments

    def __reduce__(self):
        return self.call, self.arguments


class Claims:
    def __init__(self, call, arguments, state):
        self.parts = call, arguments, state

    def __reduce__(self):
        return self.parts


@pytest.mark.parametrize("place", ["meta", "state_dict"])
@pytest.mark.parametrize("call", [os.mkdir, exec])
def test_a_hostile_file_is_refused_and_runs_nothing(call, place, saved, tmp_path):
    trace = tmp_path / "was_here"
    code = f"__import__('os').mkdir({str(trace)!r})"
    argument = {os.mkdir: str(trace), pickle.loads: pickle.dumps(Hostile(os.mkdir, str(trace)))}.get(call, code)
    content = torch.load(saved, weights_only=False)
    content.setdefault(place, {})["payload"] = Hostile(call, argument)
    torch.save(content, tmp_path / "hostile.pth")
    with pytest.raises(InputError, match="--trust-checkpoint") as refused:
        load_checkpoint(str(tmp_path / "hostile.pth"))
    assert "hostile.pth" in str(refused.value)
    assert not trace.exists()
    # The file would have done it: with trust it does.
    if place != "state_dict":
        load_checkpoint(str(tmp_path / "hostile.pth"), trust=True)
        assert trace.is_dir()


def test_arrays_and_dtypes_that_lie_about_themselves(saved):
    """numpy's own functions would read past a buffer, or take numbers for pointers."""
    make, arguments, _ = np.zeros(0).__reduce__()
    content = torch.load(saved, weights_only=False)
    content["meta"]["dataset_meta"] = {"x": Claims(make, arguments, (1, (1,) * 120, np.dtype("f8"), False, bytes(8)))}
    torch.save(content, saved)
    with pytest.raises(InputError, match="is damaged"):
        load_checkpoint(str(saved))
    dtype = Claims(np.dtype, ("f8", False, True), (3, "<", None, None, None, -1, -1, 1))
    content["meta"]["dataset_meta"] = {"x": Claims(make, arguments, (1, (2,), dtype, False, bytes(16)))}
    torch.save(content, saved)
    assert not load_checkpoint(str(saved)).dataset_meta["x"].dtype.hasobject


def test_getattr_gets_no_attribute(saved):
    """The training's log names methods by it; here it only gives their names back."""
    content = torch.load(saved, weights_only=False)
    content["meta"]["dataset_meta"] = {"found": Hostile(getattr, np.ndarray, "tofile")}
    torch.save(content, saved)
    assert load_checkpoint(str(saved)).dataset_meta == {"found": "tofile"}


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "damaged"), (b"nonsense", "."), ({"epoch": 3}, "no state_dict"), ([1, 2], "no state_dict")],
)
def test_what_is_no_checkpoint_says_so(content, message, tmp_path):
    path = tmp_path / "bad.pth"
    path.write_bytes(content) if isinstance(content, bytes) else torch.save(content, path)
    with pytest.raises(InputError, match=message) as refused:
        load_checkpoint(str(path))
    assert "bad.pth" in str(refused.value)
    with pytest.raises(InputError, match="no such file"):
        load_checkpoint(str(tmp_path / "nothing.pth"))


class Scaled(torch.nn.Linear):
    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.scale = torch.nn.Parameter(torch.ones(1))


def test_parameters_go_into_the_model(saved, tmp_path):
    model, checkpoint = torch.nn.Linear(3, 2), load_checkpoint(str(saved))
    load_state(model, checkpoint, tmp_path / "config.py")
    assert model.weight.tolist() == [[0, 1, 2], [3, 4, 5]]
    parallel = {f"module.{key}": value + 1 for key, value in checkpoint.state.items()}
    load_state(model, Checkpoint("p.pth", "", parallel, {}), tmp_path / "config.py")
    assert model.bias.tolist() == [2, 2]
    for other, message in (
        (torch.nn.Linear(4, 2), "size mismatch for weight"),
        (Scaled(3, 2), "1 parameters are missing, scale"),
    ):
        with pytest.raises(InputError, match=f"model.pth is not of the model of config.py: .*{message}"):
            load_state(other, checkpoint, tmp_path / "config.py")


@pytest.fixture
def server(saved, tmp_path, monkeypatch):
    """The address of a folder's files, which are counted as they are asked for."""
    monkeypatch.delenv("POSELIFT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(tmp_path))

        def log_message(self, *arguments):
            asked.append(self.path)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}", asked
        running.shutdown()
        thread.join()


def test_urls_are_fetched_once_and_checked(server, saved, tmp_path):
    address, asked = server
    url = f"{address}/model.pth#sha256={sha256(saved)}"
    for _ in range(2):
        assert load_checkpoint(url).sha256 == sha256(saved)
    assert asked.count("/model.pth") == 1
    assert load_checkpoint(url, offline=True).name == "model.pth"
    (tmp_path / "cache" / "poselift" / "model.pth").unlink()
    with pytest.raises(InputError, match="offline"):
        load_checkpoint(url, offline=True)


def test_openmmlabs_file_names_are_their_hashes(server, saved):
    address, _ = server
    for name in (f"a-{sha256(saved)[:8]}.pth", f"b-{sha256(saved)[:8]}_20230605.pth", "c-00000000.pth"):
        saved.with_name(name).write_bytes(saved.read_bytes())
    assert load_checkpoint(f"{address}/a-{sha256(saved)[:8]}.pth").sha256 == sha256(saved)
    assert load_checkpoint(f"{address}/b-{sha256(saved)[:8]}_20230605.pth").sha256 == sha256(saved)
    with pytest.raises(InputError, match="00000000 was expected"):
        load_checkpoint(f"{address}/c-00000000.pth")


def test_published_weights_are_read_by_name(server, saved, monkeypatch):
    entry = RegistryEntry("mine", "", "", sha256(saved), urls=(f"{server[0]}/model.pth",))
    monkeypatch.setattr(mmpose_checkpoints, "registry", lambda: {"mine": entry})
    monkeypatch.setattr(mmpose_checkpoints, "published", lambda name: entry)
    assert set(load_checkpoint("mine").state) == {"weight", "bias"}
    assert load_checkpoint("mine", offline=True).sha256 == sha256(saved)


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        ("/model.pth", "add the file's SHA-256"),
        ("/model.pth#sha256=" + "0" * 64, "0000 was expected; not used"),
        ("/nothing.pth#sha256=" + "0" * 64, "could not be fetched .*404.*by hand"),
    ],
)
def test_bad_urls_leave_nothing_behind(tail, message, server, tmp_path):
    with pytest.raises(InputError, match=message):
        load_checkpoint(server[0] + tail)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
