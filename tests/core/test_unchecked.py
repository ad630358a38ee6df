from dataclasses import dataclass, replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.core.unchecked import build_unchecked, replace_unchecked
from poselift.skeleton import COCO17
from poselift.structures import Detections


@dataclass(frozen=True)
class Share:
    value: float
    name: str = ""

    def __post_init__(self):
        if not 0 <= self.value <= 1:
            raise InputError(f"{self.value} is no share")


def test_other_values_are_not_checked_again():
    half = Share(0.5, "half")
    assert replace_unchecked(half, value=0.25) == Share(0.25, "half")
    assert replace_unchecked(half, value=2.0).value == 2.0
    assert half == Share(0.5, "half"), "the first one stays"
    with pytest.raises(InputError, match="is no share"):
        replace(half, value=2.0)


def test_fields_that_are_unknown_or_missing_are_named():
    with pytest.raises(TypeError, match=r"Share has the fields \['name', 'value'\], not \['name', 'value', 'valve'\]"):
        replace_unchecked(Share(0.5), valve=0.25)
    with pytest.raises(TypeError, match=r"not \['value'\]"):
        build_unchecked(Share, value=0.5)


def test_rows_of_detections_with_more_fields_are_plain_detections():
    @dataclass(frozen=True)
    class Named(Detections):
        people: tuple[int, ...] = ()

    named = Named(np.zeros((2, 4)), np.zeros(2), np.zeros((2, 17, 2)), np.zeros((2, 17)), COCO17, (1, 2))
    assert type(named.rows([1])) is Detections
    assert len(named.rows([1])) == 1
