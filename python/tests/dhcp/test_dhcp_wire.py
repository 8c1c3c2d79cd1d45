# SPDX-License-Identifier: ISC
"""Packets at the interface of a server, and the time that it had its requests."""

from __future__ import annotations

import os
import socket
import time

import pytest

from ubench.dhcp.wire import Packet, WireRecorder, read_packet, wire_times
from ubench.errors import Problem

DISCOVER, OFFER, REQUEST, ACK = 1, 2, 3, 5


def message4(message_type: int, transaction: int, before: bytes = b"") -> bytes:
    """A DHCPv4 message with other options before its type."""
    head = bytes([1, 1, 6, 0]) + transaction.to_bytes(4, "big")
    return head.ljust(240, b"\0") + before + bytes([53, 1, message_type, 255])


def frame4(message: bytes) -> bytes:
    return bytes(12) + b"\x08\x00" + b"\x45" + bytes(19) + bytes(8) + message


def frame6(message_type: int, transaction: int) -> bytes:
    head = bytes(12) + b"\x86\xdd" + bytes(40) + bytes(8)
    return head + bytes([message_type]) + transaction.to_bytes(3, "big")


# ---- Packets


@pytest.mark.parametrize("before", [b"", b"\0\0", bytes([61, 7]) + bytes(7)])
def test_a_message_of_dhcpv4(before):
    packet = read_packet(frame4(message4(REQUEST, 0x01020304, before)), 7, is_sent=True)
    assert packet == Packet(7, True, REQUEST, 0x01020304)


def test_a_message_of_dhcpv6():
    assert read_packet(frame6(7, 0xABCDEF), 1, is_sent=False) == Packet(1, False, 7, 0xABCDEF)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        bytes(60),
        frame4(b""),
        frame4(bytes(300)),
        frame4(message4(1, 1)[:-2]),
        frame6(1, 1)[:62],
    ],
)
def test_other_frames_are_none(frame):
    assert read_packet(frame, 0, is_sent=False) is None


# ---- Times


def exchange(begun_us, transaction, request=DISCOVER, answer=OFFER, served_us=100):
    """A request that is answered after a time."""
    begun_ns = begun_us * 1000
    return [
        Packet(begun_ns, False, request, transaction),
        Packet(begun_ns + served_us * 1000, True, answer, transaction),
    ]


def in_order(*exchanges):
    return sorted(
        (packet for each in exchanges for packet in each), key=lambda packet: packet.at_ns
    )


def test_the_time_of_both_requests_is_added():
    packets = in_order(
        exchange(0, 1), exchange(1000, 2, REQUEST, ACK, 400), exchange(2000, 3, served_us=300)
    )
    times = wire_times(packets, 4)
    assert times.answered == 3
    assert times.in_server_us == 200 + 400  # means of two and of one
    assert times.queue_us == 0


def test_a_request_waits_until_the_answer_before_it_has_left():
    packets = in_order(
        exchange(0, 1, served_us=100),
        exchange(40, 2, REQUEST, ACK, served_us=160),  # until 200: waits 60
        exchange(150, 3, REQUEST, ACK, served_us=90),  # until 240: waits 50
    )
    assert wire_times(packets, 4).queue_us == (60 + 50) / 2


def test_requests_without_an_answer_and_others_do_not_count():
    packets = in_order(
        exchange(0, 1),
        exchange(300, 2, REQUEST, ACK),
        [Packet(500000, False, DISCOVER, 9)],  # never answered
        [Packet(600000, True, OFFER, 77)],  # to a question before the record began
        [Packet(700000, False, 7, 1)],  # a release
    )
    assert wire_times(packets, 4).answered == 2


def test_no_answer_is_no_time():
    assert wire_times([], 4) is None
    assert wire_times(in_order(exchange(0, 1)), 4) is None  # no REQUEST


def test_dhcpv6_has_other_types():
    packets = in_order(exchange(0, 1, 1, 2), exchange(500, 2, 3, 7, 200))
    assert wire_times(packets, 6).in_server_us == 300


# ---- The recorder


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may record packets")
def test_packets_are_recorded_with_the_kernel_s_time():
    processors = os.sched_getaffinity(0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.1", 0))
        with WireRecorder("lo", processors) as recorder, socket.socket(
            socket.AF_INET, socket.SOCK_DGRAM
        ) as here:
            begun_ns = time.time_ns()
            for number in range(1, 21):
                here.sendto(message4(DISCOVER, 0x75620000 + number), there.getsockname())
            ended_ns = time.time_ns()
    own = [each for each in recorder.packets if each.transaction >> 16 == 0x7562]
    sent = [each for each in own if each.is_sent]
    # What leaves the loopback interface also comes to it.
    assert [each.transaction & 0xFF for each in sent] == list(range(1, 21))
    assert len(own) == 40
    assert all(begun_ns <= each.at_ns <= ended_ns for each in sent)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may record packets")
def test_an_interface_that_is_not_there_is_named():
    with pytest.raises(Problem, match="--where: cannot record the packets of nowhere0"):
        WireRecorder("nowhere0", [0]).__enter__()
