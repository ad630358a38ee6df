"""A live stream as OSC over UDP. TouchDesigner, Max, Blender and others receive it."""

import contextlib
import math
import socket

from poselift.core.errors import InputError
from poselift.core.optional import require
from poselift.skeleton import Skeleton
from poselift.structures import LiveFrame, StreamedPose

_Message = tuple[str, list[tuple[str, int | float]]]
"""An address, and its arguments with the letters of their types."""


class OscSender:
    """Sends the people of each frame; nobody needs to listen. Sending never waits.

    For each frame in which the detector looked, one bundle with two messages:

    - `/poselift/frame`: index (int), time in seconds (double), dropped frames so far (int), latency in ms (float)
    - `/poselift/people`: the numbers of the people who are there (ints)

    Then for each person with a new pose a bundle with one message per joint:

    - `/poselift/<number>/<joint>`: x, y, z in metres, and uncertainty in metres (floats); with hands also the joints
      of those that are seen, such as left_hand_index_tip

    Positions are absolute, that is root plus joint. A joint with an unknown position is left out; an unknown
    uncertainty is -1.

    Args:
        host: name or address of the receiver.
        port: its UDP port.
        skeleton: of the poses.

    Raises:
        InputError: python-osc is not installed, or the host is unknown.
    """

    def __init__(self, host: str, port: int, skeleton: Skeleton) -> None:
        require("pythonosc", "live")
        self._skeleton = skeleton
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        except (OSError, UnicodeError) as error:
            raise InputError(f"--osc {host}:{port}: there is no host {host!r}; give [HOST:]PORT") from error
        self._address = found[4]
        self._socket = socket.socket(found[0], socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def send(self, frame: LiveFrame) -> None:
        """Sends a frame in which the detector looked."""
        if not frame.looked:
            return
        facts: list[tuple[str, int | float]] = [
            ("i", frame.index),
            ("d", frame.timestamp),
            ("i", frame.dropped),
            ("f", 1000 * frame.latency),
        ]
        self._send([("/poselift/frame", facts), ("/poselift/people", [("i", number) for number in frame.present])])
        for number, pose in sorted(frame.people.items()):
            self._send(self._person(number, pose))

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()

    def _person(self, number: int, pose: StreamedPose) -> list[_Message]:
        places, skeleton = pose.with_fingers(self._skeleton)
        known = [] if pose.uncertainty is None else pose.uncertainty.tolist()
        uncertainty = known + [-1.0] * (len(skeleton) - len(known))
        return [
            (f"/poselift/{number}/{joint}", [("f", value) for value in (*place, radius if radius >= 0 else -1.0)])
            for joint, place, radius in zip(skeleton.joints, places.tolist(), uncertainty, strict=True)
            if all(map(math.isfinite, place))
        ]

    def _send(self, messages: list[_Message]) -> None:
        from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
        from pythonosc.osc_message_builder import OscMessageBuilder

        bundle = OscBundleBuilder(IMMEDIATELY)
        for address, arguments in messages:
            message = OscMessageBuilder(address)
            for kind, value in arguments:
                message.add_arg(value, kind)
            bundle.add_content(message.build())
        # A full buffer or a receiver that is not there: the next frame comes soon.
        with contextlib.suppress(OSError):
            self._socket.sendto(bundle.build().dgram, self._address)
