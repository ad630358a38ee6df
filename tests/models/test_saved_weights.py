import io
import json
import math
import time

import pytest
import torch

from poselift.core.errors import InputError
from poselift.models import load_weights, save_weights
from poselift.models.saved_weights import shipped_weights


def test_round_trip(lifter, tmp_path):
    save_weights(tmp_path / "mine.safetensors", lifter, 81, {"seed": 1})
    loaded = load_weights(tmp_path / "mine.safetensors")
    assert (loaded.name, loaded.window, loaded.card["training"]) == ("mine", 81, {"seed": 1})
    assert not loaded.lifter.training
    for key, value in lifter.state_dict().items():
        torch.testing.assert_close(loaded.lifter.state_dict()[key], value)


def test_half_precision_is_stored_small_and_computed_in_full(lifter, tmp_path):
    save_weights(tmp_path / "full.safetensors", lifter, 81, {})
    save_weights(tmp_path / "half.safetensors", lifter, 81, {}, torch.float16)
    full, half = ((tmp_path / f"{name}.safetensors").stat().st_size for name in ("full", "half"))
    assert half < 0.6 * full
    loaded = load_weights(tmp_path / "half.safetensors").lifter
    assert {value.dtype for value in loaded.state_dict().values() if value.is_floating_point()} == {torch.float32}


@pytest.mark.parametrize("name", shipped_weights())
def test_shipped_weights_load_and_have_a_card(name):
    weights = load_weights(name)
    assert weights.path.with_suffix(".md").is_file()
    assert weights.sha256 in weights.path.with_suffix(".md").read_text()
    assert weights.pelvis == "spine"


@pytest.fixture
def saved(lifter, tmp_path):
    """The file of a saved lifter, and a function that changes its card and config; `...` deletes a key."""
    path = tmp_path / "w.safetensors"
    save_weights(path, lifter, 81, {}, pelvis="hips")

    def change(config=None, **values):
        card = json.loads(path.with_suffix(".json").read_text())
        card |= {"config": card["config"] | (config or {}), "card_sha256": ..., **values}
        for part in (card, card["config"]):
            for key in [key for key in part if part[key] is ...]:
                del part[key]
        path.with_suffix(".json").write_text(json.dumps(card))

    return path, change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"uncertainty_factor": math.nan}, r"w\.json: uncertainty_factor is NaN; write a number above 0"),
        ({"uncertainty_factor": 0}, r"w\.json: uncertainty_factor is 0; write a number above 0"),
        ({"pelvis": "nose"}, r'w\.json: pelvis is "nose"; write "spine"'),
        ({"pelvis": 1}, r"w\.json: pelvis is 1; write"),
        ({"window": 0}, r"w\.json does not describe a lifter: window is 0; .* from 1 to 16384"),
        ({"window": "81x"}, r"w\.json does not describe a lifter: window is '81x'"),
        ({"model": ...}, r"w\.json does not describe a lifter \(KeyError"),
        ({"model": "Nonsense"}, r"w\.json give no lifter: unknown model 'Nonsense'; known are SpatioTemporalLifter, "),
        ({"config": {"no_such": 1}}, r"w\.json give no lifter: unknown key 'no_such' in the config"),
        ({"config": {"heads": ...}}, r"w\.json give no lifter: key 'heads' is missing"),
        ({"config": {"dim": 64}}, r"do not fit .* token_in\.weight is \(32, 128\), expected \(64, 128\)"),
        ({"config": {"dim": 16_384}}, "do not fit"),  # and this costs nothing
    ],
)
def test_a_wrong_card_is_refused(saved, change, message):
    path, change_card = saved
    change_card(**change)
    begun = time.process_time()
    with pytest.raises(InputError, match=message):
        load_weights(path)
    assert time.process_time() - begun < 5


def test_what_a_card_may_say_or_leave_out(saved):
    path, change = saved
    assert load_weights(path).pelvis == "hips"
    change(uncertainty_factor=0.9, pelvis=..., sha256=...)
    weights = load_weights(path)
    assert (weights.uncertainty_factor, weights.pelvis) == (0.9, None)


def test_a_device_that_is_none_is_refused_before_a_graph_hides_it():
    with pytest.raises(InputError, match="there is no device 'gpu'"):
        load_weights("tiny", "gpu")


def test_files_that_are_missing_or_damaged_say_so(saved):
    path, change = saved
    good = path.read_bytes()
    assert json.loads(path.with_suffix(".json").read_text())["sha256"] == load_weights(path).sha256
    path.write_bytes(good[:-5] + bytes([good[-5] ^ 1]) + good[-4:])
    with pytest.raises(InputError, match=r"w\.safetensors is damaged or was replaced: .* copy both files again"):
        load_weights(path)
    change(sha256=...)
    pickled = io.BytesIO()
    torch.save({"a": torch.zeros(1)}, pickled)
    for bad in (good[: len(good) // 2], pickled.getvalue()):  # a pickle could run code
        path.write_bytes(bad)
        with pytest.raises(InputError, match="cannot be read as safetensors"):
            load_weights(path)
    path.with_suffix(".json").write_text("{")
    with pytest.raises(InputError, match=r"w\.json does not describe a lifter: .*cannot be read as JSON"):
        load_weights(path)
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        load_weights(path)


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_weights_that_are_no_numbers_are_refused_by_name(lifter, tmp_path, value):
    with torch.no_grad():
        lifter.state_dict()["token_in.bias"][3] = value
    save_weights(tmp_path / "w.safetensors", lifter, 81, {})
    with pytest.raises(InputError, match=r"'token_in\.bias' have NaN or infinity; take weights of an earlier"):
        load_weights(tmp_path / "w.safetensors")
