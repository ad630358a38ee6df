"""What all tests share."""

import contextlib
import gc
import os
from pathlib import Path

# One thread in each worker and in the processes that it starts: the workers share the cores.
os.environ["OMP_NUM_THREADS"] = "1"

import jaxtyping
import pytest
from hypothesis import settings

from tests.type_checks import jaxtyped

jaxtyping.jaxtyped = jaxtyped  # of all modules that are imported from here on

from poselift.data.synthetic import synthetic_corpus  # noqa: E402
from tests.data.formats.cmu import write_cmu  # noqa: E402

# No deadline, because the machine may be busy. The same examples in every run, because a test must not fail by chance.
settings.register_profile("poselift", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("poselift")

with contextlib.suppress(ImportError):  # older ones have no such examples
    from hypothesis.internal.conjecture import providers

    # Nor numbers of this project's modules: which are loaded changes from run to run, and they take seconds to read.
    providers._get_local_constants = lambda: providers._local_constants

# Tests end by signals at most, not by a power cut, and waiting for the disk takes milliseconds for each file.
os.fsync = lambda handle: None

# Each collection looks through all objects of torch, Lightning and Hydra.
gc.set_threshold(50_000, 20, 20)

ROOT = Path(__file__).parents[1]


def pytest_collection_modifyitems(items):
    """Files with slow tests begin first, so that at the end no process waits long for another."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish():
    """The objects of the imported modules stay."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def type_checks(request):
    """Off where whole commands or stand-ins run, and for `many_calls`; test_lift.py and test_demo.py keep them."""
    folder, file = request.path.relative_to(ROOT / "tests").parts[0], request.path.name
    commands = folder in ("benchmarks", "cli", "docs", "integration", "notebooks")
    stand_ins = file in ("test_callbacks.py", "test_mean_pose.py", "test_paired.py")
    unchecked = stand_ins or (commands and file not in ("test_lift.py", "test_demo.py"))
    unchecked = unchecked or request.node.get_closest_marker("many_calls") is not None
    jaxtyping.config.update("jaxtyping_disable", unchecked)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data beside the checkout; without it, the test is skipped."""
    folder = ROOT.parent / "shared"
    if not (folder / "data" / "cmu" / "cmu50.npz").is_file():
        pytest.skip("needs ../shared/data/cmu/cmu50.npz, which the project does not carry")
    return folder


@pytest.fixture(scope="session")
def corpus():
    return synthetic_corpus(clips=6, frames=150, seed=0)


@pytest.fixture
def cmu_files(tmp_path, corpus):
    """The synthetic corpus written as cmu50.npz, and a bench of its last two clips; (corpus, bench) paths."""
    return write_cmu(tmp_path, corpus)
