import json
import subprocess
import sys

import pytest

from poselift.core.on_demand import names_on_demand

THREADS = """
import json, sys, threading
import poselift.models, poselift.detection, poselift.lifting

assert "torch" not in sys.modules
begin, found = threading.Barrier(12), []

def ask(package, name):
    begin.wait()
    try:
        found.append(getattr(package, name).__name__)
    except BaseException as error:
        found.append(repr(error))

wanted = [(poselift.models, "SpatioTemporalLifter"), (poselift.models, "encode"), (poselift.lifting, "lift_view")]
threads = [threading.Thread(target=ask, args=each) for each in 4 * wanted]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(sorted(found)))
"""


def test_a_name_is_imported_from_its_module():
    find = names_on_demand("poselift.core", {"InputError": "errors"})
    from poselift.core.errors import InputError

    assert find("InputError") is InputError
    with pytest.raises(AttributeError, match=r"module 'poselift\.core' has no attribute 'InputErrors'"):
        find("InputErrors")


@pytest.mark.slow
def test_threads_may_ask_at_once():
    found = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=300, check=True)
    assert json.loads(found.stdout) == sorted(4 * ["SpatioTemporalLifter", "encode", "lift_view"])
