# SPDX-License-Identifier: ISC
"""What is read from the output of perfdhcp, and how it is called."""

from __future__ import annotations

import pytest
from dhcp_samples import PROCESSOR_S, four_way, perfdhcp_output, plan, sums, trial

from ubench.dhcp import perfdhcp
from ubench.dhcp.perfdhcp import Outage
from ubench.dhcp.trial import RateTrial, StormTrial
from ubench.records.perfdhcp_output import Messages, OutputError
from ubench.records.server import Second


def read(text, rate=1000, **members):
    return perfdhcp.read_trial(text, plan(seconds=12, **members), rate, PROCESSOR_S, 14.0)


def sending(granted, total, rate=1000):
    """A trial of 12 s; `granted` has the leases of each second, `total` with those that came
    later."""
    text = perfdhcp_output(four_way(rate * 12, total), sums=sums([rate] * 12, granted))
    return read(text, rate)


# ---- The queue of a server


@pytest.mark.parametrize(
    ("waiting", "lost", "at_once", "grew"),
    [
        ([0, 0, 3], 0, 0, False),  # a few may be under way at any time
        ([0, 0, 4], 0, 0, True),
        ([4, 0, 0], 0, 0, False),
        ([0, 9, 4], 1, 0, False),  # the lost one seems to wait
        ([0, 0, 5], 0, 100, False),  # of a hundred that ask while one waits
        ([0, 0, 6], 0, 100, True),
        ([1, 2, 3, 5, 6, 7], 0, 0, True),  # 1.5 and 6.5 on average
        ([1, 2, 3, 5, 5, 4], 0, 0, False),
        ([], 0, 0, False),
    ],
)
def test_a_queue_grows_from_the_first_third_to_the_last(waiting, lost, at_once, grew):
    counts = [perfdhcp.Sums(100 + each, 100) for each in waiting]
    assert perfdhcp.queue_grew(counts, lost, at_once) == grew


def test_a_server_that_keeps_up():
    trial = sending([1000] * 12, 12000)
    assert (trial.granted_per_s, trial.queue_grew, trial.kept_up) == (1000, False, True)


def test_a_queue_without_bounds_hides_an_overload():
    # Nobody waits for 2 s, so nobody is lost: the server looks 10 % faster than it is.
    trial = sending([900] * 12, 12000)
    assert (trial.granted_per_s, trial.queue_grew, trial.lost) == (900, True, 0)


@pytest.mark.parametrize(
    ("granted", "total", "rate"),
    [
        ([5] * 11 + [2], 60, 5),  # a few clients under way
        ([980] * 12, 980 * 12, 1000),  # lost clients
        ([500, *[1000] * 8, 1166, 1166, 1168], 12000, 1000),  # what a stall left, and shrinks
    ],
)
def test_a_queue_that_does_not_grow(granted, total, rate):
    assert not sending(granted, total, rate).queue_grew


def test_lines_that_perfdhcp_printed_after_the_last_client_do_not_count():
    # A line is missing, so the twelfth is of the second after the end.
    lines = "".join(
        f"{min(1000 * n, 12000)},0,0,{min(900 * n, 12000)},0,0,0,0\n"
        for n in (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13)
    )
    assert read(perfdhcp_output(four_way(12000, 12000), sums=lines)).granted_per_s == 900


# ---- Trials


def test_a_trial_at_a_rate():
    trial = read(perfdhcp_output([*four_way(12000, 11990)], max_ms=7.5))
    assert isinstance(trial, RateTrial)
    assert trial.discover == Messages(12000, 12000, 0.469, 1.307, 7.5, 0.461)
    assert trial.members()["holds"]
    assert trial.lost == pytest.approx(10 / 12000)
    assert trial.longest_wait_s == 0.0075


@pytest.mark.parametrize(("sent", "kept_up"), [(11759, True), (11758, False)])
def test_perfdhcp_has_to_send_98_percent(sent, kept_up):
    assert read(perfdhcp_output(four_way(sent, sent))).kept_up is kept_up


def test_renewals_and_releases_are_told_apart_by_the_plan():
    beside = [("REQUEST-ACK (renewal)", 50, 40), ("RELEASE", 30, 0)]
    text = perfdhcp_output([*four_way(100, 100), *beside])
    both = read(text, renew=50, release=30)
    assert (both.renew.received, both.release.sent) == (40, 30)
    assert both.lost_share == pytest.approx(0.2)
    alone = read(perfdhcp_output([*four_way(100, 100), beside[1]]), release=30)
    assert (alone.renew, alone.release.sent) == (None, 30)


def test_a_storm():
    text = perfdhcp_output(
        four_way(10, 10), end="It took 01:02:03.5 to provision\nRequests resent: 4\n"
    )
    trial = read(text, command="storm")
    assert isinstance(trial, StormTrial)
    assert (trial.duration_s, trial.resent) == (3723.5, 4)
    assert "offered" not in trial.members()


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("", "rate"),
        (perfdhcp_output(four_way(10, 10)[:1]), "rate"),
        (perfdhcp_output(four_way(10, 10)).replace("received", "lost"), "rate"),
        (perfdhcp_output(four_way(10, 10)), "storm"),
    ],
)
def test_an_output_that_ends_early_is_refused(text, command):
    with pytest.raises(OutputError):
        read(text, command=command)


# ---- Second by second


def test_the_seconds_of_a_trial_add_up():
    text = sums([10, 20, 30], [5, 20, 25]) + "1,2,3\nnothing\n"
    assert perfdhcp.read_seconds(text, 3) == (Second(10, 5), Second(20, 20), Second(30, 25))


def test_the_sums_of_granted_leases_are_behind_those_of_all_sent_messages():
    # Discovers, requests, renewals and releases, then their answers.
    line = "9,8,7,6,90,80,70,60,0,0,0,0,0,0,0,0\n"
    assert perfdhcp.read_seconds(line, 1) == (Second(9, 80),)


@pytest.mark.parametrize(
    ("granted", "max_ms", "silent_s"),
    [([1, 1], 20, 0.02), ([1, 0, 0, 1, 0], 20, 2), ([0, 0], 2500, 2.5), ([1], None, 0)],
)
def test_for_how_long_nobody_was_answered(granted, max_ms, silent_s):
    seconds = [Second(1, each) for each in granted]
    messages = Messages(9, 9, max_ms=max_ms)
    assert perfdhcp.silent_s(trial(9, 9, discover=messages), seconds) == silent_s


def test_a_second_in_which_nobody_asked_is_not_silent():
    assert perfdhcp.silent_s(trial(9, 9), [Second(0, 0)] * 5) == 0


@pytest.mark.parametrize(
    ("granted", "outage"),
    [
        ([10, 10, 0, 0, 9, 10], Outage(21, 2)),
        ([10, 10, 10, 8, 10, 10], Outage(2, 2)),
        ([10, 10, 0, 0, 8, 8], Outage(24, None)),
        ([10, 10, 10, 10, 10, 10], Outage(0, 0)),
    ],
)
def test_what_clients_notice_of_a_server_killed_in_the_second_second(granted, outage):
    assert perfdhcp.outage([Second(10, each) for each in granted], 2) == outage


# ---- The command line


def test_each_trial_has_clients_of_its_own():
    first, other = (perfdhcp.load_options(plan(), 500, number) for number in (1, 258))
    assert first[:2] == ["-b", "mac=0c:00:01:00:00:00"]
    assert other[:2] == ["-b", "mac=0c:01:02:00:00:00"]
    assert first[2:] == other[2:]


def test_each_server_has_clients_of_its_own():
    macs = {perfdhcp.load_options(plan(), 500, 1, server)[1] for server in range(1, 9)}
    assert len(macs) == 8
    assert all(int(mac.removeprefix("mac=")[:2], 16) & 1 == 0 for mac in macs)  # no group address


@pytest.mark.parametrize(
    ("rate", "servers", "shares"),
    [(0, 1, [0]), (7, 1, [7]), (7, 2, [4, 3]), (8, 4, [2, 2, 2, 2]), (2, 3, [1, 1, 1])],
)
def test_a_rate_is_dealt_to_servers(rate, servers, shares):
    assert perfdhcp.shares(rate, servers) == shares


def test_requests_beside_those_of_new_clients():
    options = perfdhcp.load_options(plan(renew=50, release=1), 30, 1)
    assert options[options.index("-f") + 1] == "15"
    assert options[options.index("-F") + 1] == "1"


def test_all_clients_of_a_storm_ask_at_once():
    options = perfdhcp.load_options(plan(command="storm", clients=70), 0, 1)
    assert options[2:] == ["--scenario", "avalanche", "-R", "70"]


def test_clients_of_several_subnets_are_behind_relays():
    assert perfdhcp.command(plan(), "relays")[-2:] == ["-g", "single"]
    words = perfdhcp.command(plan(subnets=2, family=6), "relays")
    assert words[-4:] == ["-J", "relays", "-A", "1"]
