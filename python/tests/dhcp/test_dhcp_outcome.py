# SPDX-License-Identifier: ISC
"""The figures of several servers on one database together, and what they log."""

from __future__ import annotations

import random
import statistics

import pytest
from dhcp_samples import trial

from ubench.dhcp.trial import joint_messages, joint_trial
from ubench.dhcp.trials import outcome
from ubench.dhcp.trials.outcome import ServerLoss
from ubench.records.perfdhcp_output import Messages
from ubench.records.server import Second


def messages(delays, sent):
    """What perfdhcp counts of messages that were answered after these delays."""
    if not delays:
        return Messages(sent, 0)
    return Messages(
        sent,
        len(delays),
        min(delays),
        statistics.fmean(delays),
        max(delays),
        statistics.pstdev(delays),
    )


def test_the_messages_of_all_servers_are_as_if_one_had_counted_them():
    numbers = random.Random(1)
    for _ in range(50):
        parts = [[numbers.uniform(0.1, 90) for _ in range(numbers.randrange(6))] for _ in range(3)]
        together = messages([delay for part in parts for delay in part], 30)
        joint = joint_messages([messages(part, 10) for part in parts])
        assert (joint.sent, joint.received) == (together.sent, together.received)
        for name in ("min_ms", "mean_ms", "max_ms", "sd_ms"):
            assert getattr(joint, name) == pytest.approx(getattr(together, name), abs=0.01)


def test_rates_add_up_and_each_server_has_its_share():
    joint = joint_trial([trial(300, 300), trial(200, 150)], 500)
    assert (joint.offered, joint.granted_per_s, joint.granted) == (500, 450, 450000)
    assert [share.granted_per_s for share in joint.by_server] == [300, 150]
    assert joint.lost == pytest.approx(0.1)


@pytest.mark.parametrize(("member", "value"), [("queue_grew", True), ("kept_up", False)])
def test_one_server_that_fails_decides_the_trial(member, value):
    joint = joint_trial([trial(9, 9), trial(9, 9, **{member: value})], 18)
    assert getattr(joint, member) is value


def test_renewals_of_all_servers():
    joint = joint_trial(
        [trial(9, 9, renew=Messages(50, 40)), trial(9, 9, renew=Messages(10, 10))], 18
    )
    assert joint.renew == Messages(60, 50)
    assert joint_trial([trial(9, 9)] * 2, 18).renew is None


def test_the_seconds_of_all_servers_add_up():
    assert outcome.joint_seconds([[Second(9, 8), Second(7, 6)], [Second(1, 0)]]) == (Second(10, 8),)


@pytest.mark.parametrize(
    ("others", "loss"),
    [
        ([10, 10, 10, 10], ServerLoss(20, 0, 10, 10, 0, 1.5)),
        ([10, 10, 0, 8], ServerLoss(20, 12, 10, 4, 1, 1.5)),
    ],
)
def test_what_clients_notice_of_a_server_killed_in_the_second_second(others, loss):
    killed = [Second(10, each) for each in (10, 10, 0, 0)]
    servers = [killed, [Second(10, each) for each in others]]
    assert outcome.server_loss(servers, 2, 1.5) == loss


def test_messages_of_servers_are_counted_by_name():
    log = (
        "2026-11-28 20:00:00.123 WARN  [kea-dhcp4.alloc-engine/7.1] ALLOC_FAIL [hwtype=1] x\n"
        "2026-11-28 20:00:00.124 INFO  [kea-dhcp4.dhcp4/7.1] STARTED y WARN [a] NO\n"
        "2026-11-28 20:00:00.125 ERROR [kea-dhcp4.leases/7.1] LEASE_ERROR z\n"
        "  of two lines\n"
    )
    assert outcome.logged_messages([log, log]) == {"ALLOC_FAIL": 2, "LEASE_ERROR": 2}
