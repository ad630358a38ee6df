import contextlib
import json
import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poselift.core.errors import InputError
from poselift.core.safe_parsing import (
    check_unfolded,
    parse_json,
    read_bytes,
    read_json,
    read_text,
    read_yaml,
    whole_number,
)


def test_json_comes_back(tmp_path):
    value = {"a": [1, -2.5, None, True, "ä"], "b": {"c": 10**17}}
    (tmp_path / "a.json").write_text("\ufeff" + json.dumps(value), encoding="utf-8")
    assert read_json(tmp_path / "a.json") == value


@pytest.mark.slow
@settings(max_examples=15)
@given(st.recursive(st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.text(), st.lists, max_leaves=20))
def test_any_json_is_what_json_says(value):
    assert parse_json(json.dumps(value), "x") == value


@pytest.mark.slow
@given(st.text())
def test_any_text_is_a_value_or_an_input_error(text):
    with contextlib.suppress(InputError):
        parse_json(text, "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000 + "]" * 100_000, "nests"),
        ("[" + "9" * 400 + "]", "a number of 400 digits"),
        ("[1,", "Expecting value"),
    ],
)
def test_json_that_would_break_its_readers(text, message):
    with pytest.raises(InputError, match=f"^a.json cannot be read as JSON .*{message}.*; ask again$"):
        parse_json(text, "a.json", "ask again")


def test_nan_is_refused_where_it_must_be():
    assert math.isnan(parse_json("[NaN]", "x")[0])
    with pytest.raises(InputError, match="it has NaN instead of null"):
        parse_json("[NaN]", "x", finite=True)


def test_files_that_are_not_read(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_bytes(tmp_path / "none")
    with pytest.raises(InputError, match="is no file"):
        read_bytes(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is no file"):
        read_bytes(tmp_path / "pipe")
    (tmp_path / "long").write_bytes(b"123456")
    with pytest.raises(InputError, match="too large to read"):
        read_bytes(tmp_path / "long", most=5)
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(InputError, match="as text in UTF-8"):
        read_text(tmp_path / "latin")


_LAUGHS = "\n".join(["a0: &a0 [x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12))])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_LAUGHS, "repeats its parts without end"),
        ("rows: " + "[" * 150 + "]" * 150, "nests"),
        ("a: &a [*a]", "nests more than 100 levels"),
        ("a: !!python/object/apply:os.mkdir [x]", "could not determine a constructor"),
    ],
)
def test_yaml_that_would_break_its_readers(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(InputError, match=f"a.yaml cannot be read as YAML .*{message}.*; ask again"):
        read_yaml(tmp_path / "a.yaml", "ask again")
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


def test_yaml_may_repeat_a_little(tmp_path):
    (tmp_path / "a.yaml").write_text("a: &a [1, 2]\nb: [*a, *a]")
    assert read_yaml(tmp_path / "a.yaml", "") == {"a": [1, 2], "b": [[1, 2], [1, 2]]}


def test_shared_parts_count_as_often_as_they_are_named():
    part = [0] * 10
    check_unfolded([part] * 10, 200)
    with pytest.raises(ValueError, match="without end"):
        check_unfolded([part] * 10, 100)
    with pytest.raises(ValueError, match="without end"):
        check_unfolded(np.array([part] * 10 + [None], object), 100)


@pytest.mark.parametrize("value", [math.nan, 10**400, -1, 2.5, True])
def test_what_is_no_whole_number_within_bounds(value):
    assert whole_number(value, 0, 10) is None
    assert whole_number(np.int64(3), 0, 10) == 3
