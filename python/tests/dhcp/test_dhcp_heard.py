# SPDX-License-Identifier: ISC
"""What clients of several servers heard, and which answers are wrong."""

from __future__ import annotations

import struct

import pytest

from ubench.dhcp.store import DIALECTS, LeaseKey
from ubench.dhcp.trials import heard, listener
from ubench.dhcp.trials.heard import Answers, Grant, Heard
from ubench.errors import Problem

A, B = "0a010005", "0a0100ff"  # addresses
ONE, TWO = "0c0001000001", "1c0001000001"  # clients
OPTIONS = bytes([0, 54, 4, 10, 0, 0, 1, 53, 1, 5, 255])  # a pad, the server, DHCPACK, the end


def frame(options=OPTIONS, operation=2, protocol=17, ip_options=b""):
    message = struct.pack(
        "!4BIHH4s4s4s4s16s64x128x4s",
        *(operation, 1, 6, 0, 7, 0, 0),
        *(bytes(4), bytes.fromhex(A), bytes(4), bytes(4), bytes.fromhex(ONE), b"c\x82Sc"),
    )
    packet = bytearray(20)
    packet[0], packet[9] = 0x45 + len(ip_options) // 4, protocol
    return bytes(14) + bytes(packet) + ip_options + bytes(8) + message + options


# ---- The listener


def test_an_answer_is_a_line():
    assert listener.read_answer(frame()) == f"5 {A} {ONE}\n"
    assert listener.read_answer(frame(ip_options=bytes(8))) == f"5 {A} {ONE}\n"


@pytest.mark.parametrize(
    "other",
    [
        b"",
        bytes(60),
        frame(operation=1),
        frame(protocol=6),
        frame(options=b""),
        frame(options=bytes([255, 53, 1, 5])),
        frame(options=bytes([54, 200, 53, 1, 5])),
        frame(options=bytes([53, 0])),
    ],
)
def test_other_frames_have_no_line(other):
    assert listener.read_answer(other) is None


def test_a_frame_that_is_cut_off_anywhere_is_no_error():
    whole = frame()
    for length in range(len(whole)):
        assert listener.read_answer(whole[:length]) in (None, f"5 {A} {ONE}\n")


def test_what_listeners_wrote_is_read(tmp_path):
    first, second = tmp_path / "heard1.txt", tmp_path / "heard2.txt"
    first.write_text(f"2 {A} {ONE}\n5 {A} {ONE}\n8 {A} {ONE}\n0\n")
    second.write_text(f"2 {A} {TWO}\n6 00000000 {TWO}\n3\n")
    answers = heard.read_answers([first, second])
    assert answers == Answers((Grant(A, ONE), Grant(A, TWO)), (Grant(A, ONE),), 1, 3)
    assert answers.summary(1) == Heard(2, 1, 1, 0, 1, 3)
    assert answers.summary(9).missed == 8


@pytest.mark.parametrize("text", ["", f"2 {A} {ONE}\n"])
def test_a_listener_that_ended_early_is_no_silence(tmp_path, text):
    path = tmp_path / "heard1.txt"
    path.write_text(text)
    with pytest.raises(Problem, match="is not complete"):
        heard.read_answers([path])


def test_the_numbers_of_trials_add_up():
    one = Heard(1, 2, 3, 4, 5, 6)
    assert heard.total([one, one]) == Heard(2, 4, 6, 8, 10, 12)
    assert heard.total([]) == Heard()
    assert "6 answers were missed" in str(one)
    assert "missed" not in str(Heard())


# ---- Verification


def lease(kind, address, client):
    """A lease as a database has it."""
    if kind == "mysql":
        return LeaseKey(f"{int(address, 16):X}", client.upper())
    return LeaseKey(str(int(address, 16)), client)


@pytest.mark.parametrize("kind", ["mysql", "pgsql"])
@pytest.mark.parametrize(
    ("grants", "leases", "fault"),
    [
        ([(A, ONE), (B, TWO)], [(A, ONE), (B, TWO)], None),
        ([(A, ONE), (A, ONE)], [(A, ONE), (B, TWO)], None),  # renewed; the other is not heard of
        ([(A, ONE), (A, TWO)], [(A, ONE)], "10.1.0.5 was granted to 2 clients, 0c:00:01:00:00:01 "),
        ([(A, ONE)], [], "10.1.0.5 to 0c:00:01:00:00:01 was granted, and that client has no lease"),
        ([(A, ONE)], [(B, ONE)], "that client has another lease"),
        ([(A, ONE)], [(A, TWO)], "that client has no lease"),
        ([(A, ONE)], [(A, ONE), (B, ONE)], "that client has 2 leases"),
        ([(A, ONE), (B, ONE)], [(A, ONE)], "that client has another lease"),
    ],
)
def test_which_answers_are_wrong(kind, grants, leases, fault):
    answers = Answers(grants=tuple(Grant(*each) for each in grants))
    stored = [lease(kind, *each) for each in leases]
    if fault is None:
        heard.check_answers(answers, stored, DIALECTS[kind])
        return
    with pytest.raises(Problem, match=fault) as raised:
        heard.check_answers(answers, stored, DIALECTS[kind])
    assert raised.value.status == 3
