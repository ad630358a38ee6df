"""The checks that tests make of annotated types find what does not fit."""

from collections.abc import Iterator
from dataclasses import dataclass

import jaxtyping
import numpy as np
import pytest
from beartype import beartype
from jaxtyping import Float

from tests.type_checks import jaxtyped

check = jaxtyped(typechecker=beartype)


@check
def cut(points: Float[np.ndarray, "n 2"], count: int, last: int = 0) -> Float[np.ndarray, "n 2"]:
    return points[: len(points) - last] if count >= 0 else cut(points[:-1], 0)


@check
def each(points: Float[np.ndarray, "n 2"]) -> Iterator[float]:
    yield from points[:, 0].tolist()


@check
def count(points: Float[np.ndarray, "n 2"], writer: "NobodyImportsThis | None" = None) -> int:
    return len(points)


@check
@dataclass
class Pair:
    first: Float[np.ndarray, " n"]
    second: Float[np.ndarray, " n"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: cut(np.zeros((3, 3)), 0),
        lambda: cut(np.zeros((3, 2), int), 0),
        lambda: cut(np.zeros((3, 2)), 0.5),
        lambda: cut(np.zeros((3, 2)), count="0"),
        lambda: cut(np.zeros((3, 2)), 0, last=1),  # the result has other axes than the argument
        lambda: cut(np.zeros((3, 2)), -1),  # so has the result of a call inside
        lambda: each(np.zeros(3)),
        lambda: count(np.zeros(3)),
        lambda: Pair(np.zeros(3), np.zeros(2)),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(jaxtyping.TypeCheckError):
        call()


def test_what_fits_comes_back():
    assert cut(np.zeros((3, 2)), 0).shape == (3, 2)
    assert cut(np.zeros((4, 2)), count=0).shape == (4, 2), "each call has its own sizes"
    assert list(each(np.ones((2, 2)))) == [1.0, 1.0]
    assert count(np.ones((2, 2)), writer=object()) == 2
    assert len(Pair(np.zeros(3), np.zeros(3)).second) == 3


def test_errors_of_the_function_itself_pass_through():
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        cut(np.zeros((3, 2)))


def test_nothing_is_refused_while_checks_are_off(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    assert cut(np.zeros((3, 3)), 0).shape == (3, 3)
