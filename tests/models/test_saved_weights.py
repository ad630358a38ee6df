import hashlib
import json
import re
import time
from dataclasses import asdict

import pytest
import torch

from poselift.core.errors import InputError
from poselift.models import (
    EncoderDecoderConfig,
    LifterConfig,
    SpatioTemporalLifter,
    load_weights,
    save_weights,
)
from poselift.models.encoder_decoder import EncoderDecoder
from poselift.models.saved_weights import shipped_weights


def test_round_trip(lifter, tmp_path):
    save_weights(tmp_path / "mine.safetensors", lifter, 81, {"seed": 1})
    loaded = load_weights(tmp_path / "mine.safetensors")
    assert (loaded.name, loaded.window, loaded.card["training"]) == ("mine", 81, {"seed": 1})
    assert not loaded.lifter.training
    for key, value in lifter.state_dict().items():
        torch.testing.assert_close(loaded.lifter.state_dict()[key], value)


def test_a_card_that_says_rotary_of_a_mechanism_without_them_loads_as_it_was_trained(tmp_path):
    """Cards once kept "rotary" where the lifter had sinusoidal positions."""
    sizes = {"joint_dim": 8, "frame_dim": 16, "dim": 16, "depth": 1, "heads": 2}
    lifter = SpatioTemporalLifter(LifterConfig(**sizes, attention="additive", positions="sinusoidal"))
    path = tmp_path / "w.safetensors"
    save_weights(path, lifter, 81, {})
    card = json.loads(path.with_suffix(".json").read_text())
    card["config"]["positions"] = "rotary"
    path.with_suffix(".json").write_text(json.dumps(card))
    loaded = load_weights(path).lifter
    assert loaded.config == lifter.config
    # One that does take them keeps them.
    save_weights(path, SpatioTemporalLifter(LifterConfig(**sizes)), 81, {})
    assert load_weights(path).lifter.config.positions == "rotary"


def test_a_card_of_an_encoder_decoder_without_positions_loads(tmp_path):
    path = tmp_path / "w.safetensors"
    save_weights(path, EncoderDecoder(EncoderDecoderConfig(dim=16, depth=1, heads=2)), 81, {})
    card = json.loads(path.with_suffix(".json").read_text())
    assert card["config"].pop("positions") == "sinusoidal"
    path.with_suffix(".json").write_text(json.dumps(card))
    assert load_weights(path).lifter.config.positions == "sinusoidal"


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


def test_unreadable_weights_say_so(lifter, tmp_path):
    path = tmp_path / "w.safetensors"
    with pytest.raises(InputError, match="no such file"):
        load_weights(path)
    save_weights(path, lifter, 81, {})
    good = path.read_bytes()
    card = json.loads(path.with_suffix(".json").read_text())
    for bad in (good[: len(good) // 2], b"not at all"):
        path.write_bytes(bad)
        path.with_suffix(".json").write_text(json.dumps({**card, "sha256": hashlib.sha256(bad).hexdigest()}))
        with pytest.raises(InputError, match="cannot be read as safetensors"):
            load_weights(path)
    path.write_bytes(good)
    path.with_suffix(".json").write_text(json.dumps({**card, "config": {**card["config"], "dim": 64}}))
    with pytest.raises(InputError, match=r"do not fit .* token_in\.weight is \(32, 128\), expected \(64, 128\)"):
        load_weights(path)
    config = card["config"]
    few = {key: value for key, value in config.items() if key != "heads"}
    for bad, message in {
        "{": "cannot be read as JSON",
        "{}": "KeyError",
        json.dumps({**card, "model": "Nonsense"}): "unknown model 'Nonsense'; known are SpatioTemporalLifter, ",
        json.dumps({**card, "config": {**config, "no_such": 1}}): "unknown key 'no_such' in the config",
        json.dumps({**card, "config": few}): "key 'heads' is missing",
        json.dumps({**card, "config": {**config, "heads": "4"}}): "heads=4 must be a whole number",
    }.items():
        path.with_suffix(".json").write_text(bad)
        with pytest.raises(InputError, match=rf"w\.json (does not describe|give no) .*lifter.*{message}"):
            load_weights(path)


@pytest.mark.parametrize("factor", ["NaN", "0"])
def test_a_uncertainty_factor_that_is_none_is_refused(lifter, tmp_path, factor):
    save_weights(tmp_path / "w.safetensors", lifter, 81, {})
    path = tmp_path / "w.json"
    card = path.read_text()
    path.write_text(card.replace("{", '{"uncertainty_factor": 0.9,', 1))
    assert load_weights(tmp_path / "w.safetensors").uncertainty_factor == 0.9
    path.write_text(card.replace("{", f'{{"uncertainty_factor": {factor},', 1))
    with pytest.raises(InputError, match=re.escape(f"{path}: uncertainty_factor is {factor}; write a number above 0")):
        load_weights(tmp_path / "w.safetensors")


@pytest.mark.parametrize("pelvis", ["spine", None])
def test_where_the_pelvis_lies_stands_in_the_card(lifter, tmp_path, pelvis):
    save_weights(tmp_path / "w.safetensors", lifter, 81, {}, pelvis=pelvis)
    assert load_weights(tmp_path / "w.safetensors").pelvis == pelvis
    assert ("pelvis" in json.loads((tmp_path / "w.json").read_text())) == (pelvis is not None)


@pytest.mark.parametrize("wrong", ["nose", 1])
def test_a_pelvis_that_is_not_known_is_refused(lifter, tmp_path, wrong):
    save_weights(tmp_path / "w.safetensors", lifter, 81, {}, pelvis="hips")
    card = json.loads((tmp_path / "w.json").read_text())
    (tmp_path / "w.json").write_text(json.dumps({**card, "pelvis": wrong}))
    with pytest.raises(InputError, match=re.escape(f'w.json: pelvis is {json.dumps(wrong)}; write "spine"')):
        load_weights(tmp_path / "w.safetensors")


def test_a_pickle_is_not_opened(tmp_path):
    """A file that would run code on unpickling is refused as not being safetensors."""
    path = tmp_path / "evil.safetensors"
    torch.save({"a": torch.zeros(1)}, path)
    card = {"model": "SpatioTemporalLifter", "config": asdict(LifterConfig()), "window": 81}
    path.with_suffix(".json").write_text(json.dumps(card))
    with pytest.raises(InputError, match="cannot be read as safetensors"):
        load_weights(path)


def test_the_card_has_the_sum_of_the_weights_which_is_checked(lifter, tmp_path):
    path = tmp_path / "w.safetensors"
    save_weights(path, lifter, 81, {})
    assert json.loads(path.with_suffix(".json").read_text())["sha256"] == load_weights(path).sha256
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"w\.safetensors is damaged or was replaced: .* copy both files again"):
        load_weights(path)


def test_a_card_without_a_sum_is_enough(lifter, tmp_path):
    save_weights(tmp_path / "w.safetensors", lifter, 81, {})
    card = json.loads((tmp_path / "w.json").read_text())
    del card["sha256"]
    (tmp_path / "w.json").write_text(json.dumps(card))
    load_weights(tmp_path / "w.safetensors")


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_weights_that_are_no_numbers_are_refused_by_name(lifter, tmp_path, value):
    with torch.no_grad():
        lifter.state_dict()["token_in.bias"][3] = value
    save_weights(tmp_path / "w.safetensors", lifter, 81, {})
    with pytest.raises(
        InputError, match=r"the weights 'token_in\.bias' have NaN or infinity; take weights of an earlier"
    ):
        load_weights(tmp_path / "w.safetensors")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("dim", 16_384, "do not fit"),
        ("attention", {"name": "local", "block": 10**9}, r"attention\.block=1000000000 must be"),
    ],
)
def test_cards_with_changed_sizes_cost_nothing(lifter, tmp_path, key, value, message):
    save_weights(tmp_path / "w.safetensors", lifter, 81, {})
    card = json.loads((tmp_path / "w.json").read_text())
    card["config"][key] = value
    (tmp_path / "w.json").write_text(json.dumps(card))
    begun = time.process_time()
    with pytest.raises(InputError, match=message):
        load_weights(tmp_path / "w.safetensors")
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("window", [0, "81x"])
def test_a_window_that_is_none_is_refused(lifter, tmp_path, window):
    save_weights(tmp_path / "w.safetensors", lifter, 81, {})
    card = json.loads((tmp_path / "w.json").read_text())
    (tmp_path / "w.json").write_text(json.dumps({**card, "window": window}))
    with pytest.raises(InputError, match=r"w\.json does not describe a lifter: window is .* from 1 to 16384"):
        load_weights(tmp_path / "w.safetensors")
