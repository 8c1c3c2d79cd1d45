# SPDX-License-Identifier: ISC
"""What libdhcp_perfmon of Kea tells."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from ubench.dhcp import perfmon
from ubench.errors import Problem


def duration(query, response, start, stop, total, count, subnet=0):
    return {
        "duration-key": {
            "query-type": query,
            "response-type": response,
            "start-event": start,
            "stop-event": stop,
            "subnet-id": subnet,
        },
        "total-duration-usecs": total,
        "occurrences": count,
    }


def durations(query, response, count, *times):
    """The durations of one message, with the sum of each of its parts."""
    events = ["socket_received", "buffer_read", "mt_queued", "process_started", "process_completed"]
    if len(times) == 3:
        events.remove("mt_queued")  # without threads
    pairs = zip(events, events[1:], times, strict=False)
    parts = [duration(query, response, *pair, count) for pair in pairs]
    whole = duration(query, response, "composite", "total_response", sum(times), count)
    return [*parts, whole, duration(query, response, *events[:2], 99, count, subnet=1)]


def test_times_are_means_of_both_requests():
    one_thread = perfmon.packet_times(
        [
            *durations("DHCPDISCOVER", "DHCPOFFER", 10, 100, 20, 5000),
            *durations("DHCPREQUEST", "DHCPACK", 5, 100, 20, 5000),
            *durations("DHCPREQUEST", "DHCPNAK", 1, 7, 7, 7),  # no new client's
        ]
    )
    assert one_thread == perfmon.PacketTimes(10 + 20, 2 + 4, 500 + 1000)


def test_the_queue_of_threads_has_two_parts():
    times = perfmon.packet_times(
        [
            *durations("SOLICIT", "ADVERTISE", 10, 100, 20, 40, 5000),
            *durations("DHCPV6_REQUEST", "DHCPV6_REPLY", 10, 100, 20, 40, 5000),
        ]
    )
    assert times == perfmon.PacketTimes(20, 2 * (2 + 4), 1000)


def answer_once(path, answer):
    """A server that answers one command on a Unix socket; yields what it was asked."""
    asked = []
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen()

    def serve():
        with listener, listener.accept()[0] as client:
            asked.append(client.recv(1 << 16))
            client.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return asked, thread


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b'{"result": 2, "text": "not supported"}', "Kea says 'not supported'; expected"),
        (b'{"result": 3, "text": "0 found", "arguments": {"durations": []}}', "says '0 found'"),
        (b"[1]", "Kea says ''; expected the durations"),
        (b'{"result"', "Kea does not answer on .*control.socket"),
    ],
)
def test_other_answers_are_told(tmp_path, answer, words):
    answer_once(tmp_path / perfmon.SOCKET, answer)
    with pytest.raises(Problem, match=words):
        perfmon.read_durations(tmp_path)


def test_durations_come_through_the_control_socket(tmp_path):
    both = [
        *durations("DHCPDISCOVER", "DHCPOFFER", 10, 100, 20, 5000),
        *durations("DHCPREQUEST", "DHCPACK", 10, 100, 20, 5000),
    ]
    text = json.dumps({"result": 0, "arguments": {"durations": both}})
    asked, thread = answer_once(tmp_path / perfmon.SOCKET, text.encode())
    assert perfmon.read_durations(tmp_path).processing_us == 1000
    thread.join()
    assert json.loads(asked[0]) == {"command": "perfmon-get-all-durations"}


@pytest.mark.parametrize(("result", "tells"), [(0, True), (3, True), (2, False)])
def test_a_kea_that_knows_no_such_command_is_noticed(tmp_path, result, tells):
    answer_once(tmp_path / perfmon.SOCKET, b'{"result": %d}' % result)
    assert perfmon.tells_durations(tmp_path) is tells


def test_a_server_that_is_not_there_is_told(tmp_path):
    with pytest.raises(Problem, match="Kea does not answer on"):
        perfmon.read_durations(tmp_path)


def test_a_trial_fits_into_an_interval():
    assert perfmon.interval_s(10, 2) > 10 + 2
