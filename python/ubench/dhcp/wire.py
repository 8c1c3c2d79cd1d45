# SPDX-License-Identifier: ISC
"""Records the packets at a server's interface, with the kernel's time of each.

From when a request came to when its answer left is the time that the server had it, whatever
version the server is. A server with one thread answers one request after the other, so a request
has waited in line until the answer before it left.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ubench.errors import Problem

DRAIN_S = 0.05  # between two looks at what the kernel has kept
BUFFER_BYTES = 64 << 20  # that the kernel keeps meanwhile
FRAME_BYTES = 2048
ALL_PROTOCOLS = 3  # ETH_P_ALL: also what leaves
SO_TIMESTAMPNS, SO_RCVBUFFORCE = 35, 33  # of Linux, which Python does not name
IP4, IP6 = b"\x08\x00", b"\x86\xdd"
OPTIONS = 240  # of DHCPv4: where they begin
MESSAGE_TYPE, PADDING, END = 53, 0, 255

# The requests of a new client in their order, by message type, and the answer of each.
ANSWERS = {4: {1: 2, 3: 5}, 6: {1: 2, 3: 7}}


@dataclass(frozen=True)
class Packet:
    """A packet of DHCP at the server's interface."""

    at_ns: int
    is_sent: bool  # by the server
    message_type: int
    transaction: int


@dataclass(frozen=True)
class WireTimes:
    """Means for each client, of its two requests together, in us."""

    answered: int  # requests
    in_server_us: float
    queue_us: float  # that requests waited in line, if the server has one thread


# ---- Packets


def read_packet(frame: bytes, at_ns: int, *, is_sent: bool) -> Packet | None:
    """Return the packet of DHCP in an Ethernet frame; None for any other."""
    try:
        if frame[12:14] == IP4:
            payload = frame[14 + 4 * (frame[14] & 15) + 8 :]
            return Packet(at_ns, is_sent, _type4(payload), int.from_bytes(payload[4:8], "big"))
        if frame[12:14] == IP6:
            payload = frame[14 + 40 + 8 :]
            return Packet(at_ns, is_sent, payload[0], int.from_bytes(payload[1:4], "big"))
    except IndexError:
        pass
    return None


def _type4(payload: bytes) -> int:
    """Return the type of a DHCPv4 message; IndexError if it has none."""
    at = OPTIONS
    while payload[at] != END:
        if payload[at] == MESSAGE_TYPE:
            return payload[at + 2]
        at += 1 if payload[at] == PADDING else 2 + payload[at + 1]
    raise IndexError


def wire_times(packets: Iterable[Packet], family: int) -> WireTimes | None:
    """Return what packets, in the order of their times, say of a server; None if it answered none.

    A client that gets no answer asks with another transaction, so none is taken for another.
    """
    answers = ANSWERS[family]
    arrivals: dict[tuple[int, int], int] = {}
    durations: dict[int, list[int]] = {answer: [] for answer in answers.values()}
    waits: dict[int, list[int]] = {answer: [] for answer in answers.values()}
    free_ns = 0  # when the answer before left
    for packet in packets:
        if not packet.is_sent:
            if packet.message_type in answers:
                arrivals[answers[packet.message_type], packet.transaction] = packet.at_ns
            continue
        arrived_ns = arrivals.pop((packet.message_type, packet.transaction), None)
        if arrived_ns is not None:
            durations[packet.message_type].append(packet.at_ns - arrived_ns)
            waits[packet.message_type].append(max(0, free_ns - arrived_ns))
        free_ns = packet.at_ns
    if not all(durations.values()):
        return None
    return WireTimes(
        sum(map(len, durations.values())),
        sum(map(_mean_us, durations.values())),
        sum(map(_mean_us, waits.values())),
    )


def _mean_us(times_ns: Sequence[int]) -> float:
    return sum(times_ns) / len(times_ns) / 1000


# ---- The recorder


class WireRecorder:
    """Records the packets of an interface of this network namespace while its block runs.

    The kernel notes the times and keeps the packets, so that it does not matter when this reads
    them; it does so rarely, and on the processors of the load.
    """

    def __init__(self, interface: str, processors: Iterable[int]) -> None:
        self._interface = interface
        self._processors = set(processors)
        self._packets: list[Packet] = []
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._record, daemon=True)

    def __enter__(self) -> WireRecorder:
        try:
            self._socket = socket.socket(
                socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS)
            )
            self._socket.bind((self._interface, ALL_PROTOCOLS))
            self._socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            # Beyond the limit of ordinary users: this program runs as root.
            self._socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
        except OSError as error:
            raise Problem(
                f"--where: cannot record the packets of {self._interface}: {error.strerror}"
            ) from None
        self._socket.setblocking(False)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()
        self._drain()
        self._socket.close()

    @property
    def packets(self) -> list[Packet]:
        """The packets in the order of their times; whole when the block has ended."""
        return sorted(self._packets, key=lambda packet: packet.at_ns)

    def _record(self) -> None:
        os.sched_setaffinity(0, self._processors)  # of this thread
        while not self._ending.wait(DRAIN_S):
            self._drain()

    def _drain(self) -> None:
        while True:
            try:
                frame, ancillary, _, address = self._socket.recvmsg(FRAME_BYTES, 64)
            except BlockingIOError:
                return
            packet = read_packet(
                frame, _time_ns(ancillary), is_sent=address[2] == socket.PACKET_OUTGOING
            )
            if packet is not None:
                self._packets.append(packet)


def _time_ns(ancillary: Iterable[tuple[int, int, bytes]]) -> int:
    """Return the kernel's time of a packet."""
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
            seconds, nanoseconds = struct.unpack("qq", data[:16])
            return int(seconds * 10**9 + nanoseconds)
    return 0
