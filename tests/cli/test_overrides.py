import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given
from hypothesis import strategies as st

from poselift.cli.overrides import override, quote

TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="$"))


def read(text):
    """What Hydra reads."""
    return OverridesParser.create().parse_override(text).value()


@pytest.mark.slow
@given(st.one_of(TEXTS, st.lists(TEXTS), st.text("\\'\"a ,=", max_size=8)))
def test_hydra_reads_what_was_written(value):
    assert read(override("key", value)) == value


@given(st.one_of(TEXTS, st.text("\\'\"a ", max_size=8)), st.sampled_from("'\""))
def test_quoted_text_stays_text(text, mark):
    found = OverridesParser.create().parse_override(f"key={quote(text, mark)}").value()
    assert isinstance(found, str)
    assert found == text


@pytest.mark.parametrize("value", [None, True, 3, 2.5, [1, 2], "null", "1e5", ""])
def test_kinds_stay_as_they_are(value):
    found = read(override("key", value))
    assert found == value
    assert type(found) is type(value)
