from poselift.core.errors import describe


def test_what_the_system_refused():
    assert describe(PermissionError(13, "Permission denied", "a.txt")) == "a.txt: Permission denied"
    assert describe(OSError("no room")) == "no room"
    assert describe(TimeoutError()) == "TimeoutError"
