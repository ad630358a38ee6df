import pytest

from poselift.core.choices import choose, did_you_mean
from poselift.core.errors import InputError

KNOWN = ["rtmdet_m_640-8xb32_coco-person", "rtmdet_x_8xb32-300e_coco", "rtmpose-m_8xb256-420e_coco-256x192", "small"]


def test_an_error_names_the_nearest_and_lists_all():
    with pytest.raises(InputError, match=r"no letter is called 'alfa'; did you mean 'alpha'\? there are alpha, beta"):
        choose("letter", "alfa", {"alpha": 1, "beta": 2})
    with pytest.raises(InputError, match=r"no letter is called 'x'; there are alpha$"):
        choose("letter", "x", {"alpha": 1})
    with pytest.raises(InputError, match="there are none"):
        choose("letter", "x", {})


def test_names_that_contain_the_name_come_before_similar_ones():
    assert did_you_mean("RTMDet-m", KNOWN) == "did you mean 'rtmdet_m_640-8xb32_coco-person'?"
    assert did_you_mean("rtmdet", KNOWN) == f"did you mean {KNOWN[0]!r}, {KNOWN[1]!r}?"


def test_there_is_no_question_if_no_name_is_close():
    assert did_you_mean("nonsense", KNOWN) == did_you_mean("?", KNOWN) == did_you_mean("", KNOWN) == ""
