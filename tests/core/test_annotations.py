"""Values beside the annotations of what takes them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypedDict, Unpack

import numpy as np
import pytest
from jaxtyping import Float

from poselift.core.annotations import Count, check_annotations, check_call, check_value
from poselift.core.errors import InputError


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (float, 3, 3.0),
        (str, 2026, "2026"),
        (str | Path | None, 2.5, "2.5"),
        (tuple[float, float], [1, 2.5], (1.0, 2.5)),
        (Sequence[str], ["a", 3], ["a", "3"]),
        (Mapping[str, float], {"a": 1}, {"a": 1.0}),
        (Literal["m", "mm"] | None, "mm", "mm"),
        (Annotated[float, 0.0, 1.0], 1, 1.0),
        (Count, 1, 1),
        (Callable[[int], float] | None, None, None),
    ],
)
def test_what_fits(kind, value, found):
    assert check_value("key", kind, value) == found
    assert type(check_value("key", kind, value)) is type(found)


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (int, 3.0, "key=3.0 must be a whole number"),
        (int, True, "key=true must be a whole number"),
        (float | None, "abc", "key=abc must be a number or null"),
        (float, float("inf"), "key=inf must be a finite number"),
        (bool, "no", "key=no must be true or false"),
        (Count, 0, "key=0 must be a whole number, 1 or more"),
        (Literal["m", "mm"], "cm", "key=cm is not known; choose m, mm"),
        (Sequence[int], "12", "key=12 must be a list of whole numbers"),
        (Sequence[int], [1, "a"], "key.1=a must be a whole number"),
        (tuple[float, float], [1], "key=[1] must be a list of 2"),
        (Mapping[str, float] | None, 3, "key=3 must be a group of keys or null"),
    ],
)
def test_what_does_not(kind, value, message):
    with pytest.raises(InputError) as caught:
        check_value("key", kind, value)
    assert str(caught.value) == message


class Common(TypedDict, total=False):
    size: Count


def test_arguments_of_a_call():
    def plain(depth: int, **common: Unpack[Common]) -> None: ...

    def open_to_more(depth, **more: float) -> None: ...

    assert check_call("model", plain, {"depth": 1, "size": 2}) == {"depth": 1, "size": 2}
    assert check_call("model", open_to_more, {"depth": "x", "a": 1}) == {"depth": "x", "a": 1.0}
    with pytest.raises(InputError, match=r"^model.size=0 must be a whole number, 1 or more$"):
        check_call("model", plain, {"size": 0})
    with pytest.raises(InputError, match=r"^plain takes no width; leave it out$"):
        check_call("model", plain, {"width": 0})
    with pytest.raises(InputError, match=r"^model.a=x must be a number$"):
        check_call("model", open_to_more, {"a": "x"})


def test_an_entry_refuses_what_is_of_another_kind():
    class Lens: ...

    @check_annotations
    def entry(
        path: str | Path,
        lens: Lens | None = None,
        people: Sequence[int] | None = None,
        fov: float = 1.0,
        heights: Mapping[int, float] | None = None,
        progress: Callable[[float], None] = print,
        lenses: Sequence[Lens] = (),
        places: Sequence[Float[np.ndarray, "t 3"]] | None = None,
    ) -> str:
        return "done"

    assert entry("a", Lens(), np.array([1, 2]), np.float32(2.0)) == entry(Path("a"), None, {1}, fov=3) == "done"
    assert entry("a", heights={np.int64(1): np.float32(1.8)}, lenses=[Lens()]) == "done"
    assert entry("a", places=[np.zeros((2, 3))]) == "done"
    for arguments, message in (
        ((3,), "path=3 must be text"),
        ((Lens(),), "path=<Lens> must be text"),
        (("a", (1, 2)), "lens is a tuple; give a Lens"),
        (("a", None, None, 1.0, None, print, [1]), "an element of lenses is a int; give a Lens"),
        (("a", "lens"), "lens is a str; give a Lens"),
        (
            ("a", None, None, 1.0, None, print, (), [1.0]),
            "an element of places is a float; give a Float\\[ndarray, 't 3'\\]",
        ),
        (("a", None, 1), "people=1 must be a list of whole numbers or null"),
        (("a", None, None, "wide"), "fov=wide must be a number"),
        (("http://a/b",), "path=http://a/b is a URL; give a file of this machine"),
        (("a", Lens), "lens is the class Lens; give an instance of it"),
        (("a", None, None, 1.0, {"first": 1.8}), "a key of heights=first must be a whole number"),
        (("a", None, None, 1.0, None, 3), "progress=3 must be a function"),
    ):
        with pytest.raises(InputError, match=f"^{message}$"):
            entry(*arguments)
