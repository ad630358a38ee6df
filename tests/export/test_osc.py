"""OSC messages, received by python-osc's own server."""

import numpy as np
import pytest

from poselift.core import optional
from poselift.core.errors import InputError
from poselift.export.osc import OscSender
from poselift.skeleton import Skeleton
from tests.export.test_json_lines import make_frame, one_hand

pytest.importorskip("pythonosc")

ARMS = Skeleton("arms", ("pelvis", "left_wrist", "right_wrist"), (None, "pelvis", "pelvis"))
THREE = Skeleton("three", ("pelvis", "spine", "head_top"), (None, "pelvis", "spine"))


@pytest.fixture
def receiver():
    """The port of a server, and what it received: (address, arguments)."""
    from pythonosc.dispatcher import Dispatcher
    from pythonosc.osc_server import BlockingOSCUDPServer

    got = []
    dispatcher = Dispatcher()
    dispatcher.set_default_handler(lambda address, *arguments: got.append((address, arguments)))
    with BlockingOSCUDPServer(("127.0.0.1", 0), dispatcher) as server:
        server.timeout = 2.0

        def received(packets):
            for _ in range(packets):
                server.handle_request()
            return dict(got)

        yield server.server_address[1], received


def test_a_client_receives_frame_people_and_joints(receiver):
    port, received = receiver
    sender = OscSender("localhost", port, THREE)
    sender.send(make_frame())
    got = received(3)
    sender.close()
    index, seconds, dropped, latency = got["/poselift/frame"]
    assert (index, seconds, dropped) == (7, 0.28, 3)
    assert latency == pytest.approx(45.67)
    assert got["/poselift/people"] == (1, 2)
    # Absolute: root (0.1, 0.2, 4) and joint (2, 0.5, 1).
    np.testing.assert_allclose(got["/poselift/2/spine"], (2.1, 0.7, 5.0, 0.0123456), rtol=1e-6)
    assert sum(address.startswith("/poselift/1/") for address in got) == 3


def test_fingers_come_with_hands_that_are_seen(receiver):
    port, received = receiver
    sender = OscSender("127.0.0.1", port, ARMS)
    sender.send(make_frame(people=[1], hands=one_hand()))
    got = received(2)
    sender.close()
    # Root (0.1, 0.2, 4), the left wrist at (1, 0.5, 1) from it, and the last joint 0.2 to its right.
    np.testing.assert_allclose(got["/poselift/1/left_hand_pinky_tip"], (1.3, 0.7, 5.0, -1), rtol=1e-6)
    assert sum("left_hand" in address for address in got) == 20
    assert not any("right_hand" in address for address in got)


def test_unknown_positions_are_left_out(receiver):
    port, received = receiver
    sender = OscSender("127.0.0.1", port, THREE)
    sender.send(make_frame(people=[1], unknown=True))
    got = received(2)
    sender.close()
    assert set(got) == {"/poselift/frame", "/poselift/people"}


def test_frames_without_a_look_are_not_sent(receiver):
    port, received = receiver
    sender = OscSender("127.0.0.1", port, THREE)
    sender.send(make_frame(index=1, people=(), looked=False))
    sender.send(make_frame(index=2, people=()))
    got = received(1)
    sender.close()
    assert got["/poselift/frame"][0] == 2
    assert got["/poselift/people"] == ()


def test_errors(monkeypatch):
    with pytest.raises(InputError, match=r"--osc nohost\.invalid:9000: there is no host"):
        OscSender("nohost.invalid", 9000, THREE)
    monkeypatch.setattr(optional.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'poselift\[live\]'"):
        OscSender("127.0.0.1", 9, THREE)
