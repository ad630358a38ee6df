import io
import pickle
import resource
from collections import OrderedDict

import numpy as np
import pytest

from poselift.core.unpickling import RestrictedUnpickler


def load(data, encoding="ASCII"):
    return RestrictedUnpickler(io.BytesIO(data), encoding).load()


VALUES = {
    "float32": np.arange(6, dtype=np.float32).reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "big endian": np.arange(3, dtype=">i2"),
    "bool": np.array([True, False]),
    "text": np.array(["left", "right_hip"]),
    "bytes": np.array([b"ab", b"c"]),
    "no axes": np.array(3.5),
    "empty": np.zeros((0, 17, 2), np.float32),
    "objects": np.array([None, "a", {"x": np.float32(2)}], object),
    "scalar": np.float32(1.5),
    "integer": np.int64(-7),
}


@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("name", VALUES)
def test_arrays_of_every_protocol_come_back_as_they_were(name, protocol):
    value = VALUES[name]
    found = load(pickle.dumps(value, protocol=protocol))
    value = np.asarray(value)
    # Numpy itself brings the byte order to the machine's.
    assert (found.dtype.kind, found.dtype.itemsize) == (value.dtype.kind, value.dtype.itemsize)
    assert found.shape == value.shape
    np.testing.assert_equal(found.tolist(), value.tolist())


def test_plain_containers():
    value = {"a": [1, 2.5, None, True, "x", b"\x00\xff"], ("S1", 0): {1, 2}, "o": OrderedDict(b=1j, a=frozenset("q"))}
    for protocol in range(6):
        assert load(pickle.dumps(value, protocol=protocol)) == value


@pytest.mark.parametrize("core", ["numpy.core", "numpy._core"])
def test_names_of_numpy_1_and_2(core):
    data = pickle.dumps(np.arange(4.0), protocol=2).replace(b"numpy._core", b"numpy.core")
    data = data.replace(b"numpy.core", core.encode())
    assert core.encode() in data
    np.testing.assert_array_equal(load(data), np.arange(4.0))


def test_what_python_2_wrote():
    """Protocol 2 with the bytes of the array as an 8-bit string (opcode U), as Python 2 wrote them."""
    raw = np.array([1.0, -2.0], "<f4").tobytes()
    data = (
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01K\x02\x85cnumpy\ndtype\nU\x02f4K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
        b"\x89U\x08" + raw + b"tb."
    )
    np.testing.assert_array_equal(load(data, "latin1"), np.array([1.0, -2.0], np.float32))
    scalar = (
        b"\x80\x02cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nU\x02f4K\x00K\x01\x87R"
        b"(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tbU\x04" + raw[4:] + b"\x86R."
    )
    assert load(scalar, "latin1") == np.float32(-2.0)


class _Calls:
    """Pickles as a call of a function."""

    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (_Calls(eval, "1 + 1"), "builtins.eval"),
        (_Calls(getattr, {}, "keys"), "builtins.getattr"),
        (_Calls(np.fromfile, "/etc/hostname"), "numpy.*fromfile"),
        (np.ndarray.__new__, "builtins.getattr"),
        (np.zeros(2, [("a", "f4")]), "dtype|V4"),
        (np.ma.masked_array([1, 2]), "numpy.ma"),
    ],
)
def test_anything_else_is_refused_by_name(value, named):
    with pytest.raises(pickle.UnpicklingError, match=named):
        load(pickle.dumps(value))


def test_an_array_that_lies_about_its_objects():
    """numpy itself would read past the end of the list."""
    data = pickle.dumps(np.array([None], object), protocol=2)
    shape_of_one, shape_of_99 = b"K\x01K\x01\x85", b"K\x01Kc\x85"
    assert shape_of_one in data
    with pytest.raises(pickle.UnpicklingError, match="1 objects for an array of shape"):
        load(data.replace(shape_of_one, shape_of_99))


def test_a_dtype_cannot_be_made_to_lie():
    """The state of a pickled dtype may claim fields of objects over raw bytes; only its byte order is taken."""
    data = pickle.dumps(np.arange(2, dtype="<i8"), protocol=2)
    order = b"X\x01\x00\x00\x00<q"  # "<", kept in the memo; then names, fields and the like
    assert order in data
    lie = data.replace(b"X\x02\x00\x00\x00i8", b"X\x01\x00\x00\x00O")
    assert lie != data
    with pytest.raises((TypeError, ValueError), match="list"):
        load(lie)


def test_a_number_of_the_memo_allocates_nothing():
    """In C, it would allocate 32 GB."""
    for data in (b"\x80\x04Nr\xff\xff\xff\xff.", b"Np4000000000\n."):
        assert load(data) is None


def test_a_size_allocates_nothing():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for opcode in (pickle.BYTEARRAY8, pickle.BINBYTES8, pickle.BINUNICODE8, pickle.FRAME):
        with pytest.raises((EOFError, IndexError, pickle.UnpicklingError)):
            load(b"\x80\x05" + opcode + (4 << 30).to_bytes(8, "little") + b"abc")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 << 10


def test_what_unfolds_without_end():
    value = [1] * 10
    for _ in range(12):
        value = [value] * 10
    with pytest.raises(pickle.UnpicklingError, match="repeats its parts without end"):
        load(pickle.dumps(value))
    for _ in range(200):
        value = [value]
    with pytest.raises(pickle.UnpicklingError, match="nests more than 100 levels"):
        load(pickle.dumps(value))


def test_arrays_without_their_data():
    for shape in (10**12, (10**12, 0)):
        data = pickle.dumps(np.zeros((3, 0)), protocol=2).replace(b"K\x03K\x00\x86", pickle.dumps(shape, 2)[2:-1])
        with pytest.raises((pickle.UnpicklingError, TypeError, ValueError)):
            load(data)
    frombuffer = b"cnumpy._core.numeric\n_frombuffer\n(L99999999999L\ncnumpy\ndtype\n(Vf4\ntR(I0\ntVC\ntR."
    with pytest.raises(pickle.UnpicklingError, match="without data"):
        load(frombuffer)
