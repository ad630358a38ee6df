from poselift.core.errors import describe, meant

KNOWN = ["rtmdet_m_640-8xb32_coco-person", "rtmdet_x_8xb32-300e_coco", "rtmpose-m_8xb256-420e_coco-256x192", "small"]


def test_names_that_hold_the_name_come_before_those_that_are_like_it():
    assert meant("RTMDet-m", KNOWN) == "do you mean rtmdet_m_640-8xb32_coco-person?"
    assert meant("rtmdet", KNOWN) == f"do you mean {', '.join(KNOWN[:2])}?"
    assert meant("smal1", KNOWN) == "do you mean small?"


def test_nothing_alike_is_no_question():
    assert meant("nonsense", KNOWN) == meant("?", KNOWN) == meant("", KNOWN) == ""


def test_what_the_system_refused():
    assert describe(PermissionError(13, "Permission denied", "a.txt")) == "a.txt: Permission denied"
    assert describe(OSError("no room")) == "no room"
    assert describe(TimeoutError()) == "TimeoutError"
