# SPDX-License-Identifier: ISC
"""Runs perfdhcp, the load generator of Kea, and reads its output."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import statistics
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench.dhcp.plan import Plan
from ubench.dhcp.trial import RateTrial, StormTrial, Trial
from ubench.records.perfdhcp_output import OutputError, read_count, read_sections
from ubench.records.server import Second
from ubench.run import process

# The queue of a server grows if it gets longer by more than this share of what the clients send
# while one of them waits; trial_queue_growing() of the runners has the same.
QUEUE_GROWTH = 0.05
LEAST_GROWTH = 3  # clients: a few may be under way at any time
KEPT_UP = 0.98  # the share of the clients that perfdhcp has to send
# A shell that waits until its standard input ends, and then becomes the command.
AT_THE_END_OF_INPUT = ("sh", "-c", 'read -r line; exec "$@"', "sh")
FIRST_CLIENT = "0e:00:00:00:00:01"  # the one that shows that a server answers


# ---- The command line


def command(plan: Plan, relays: str, *options: str) -> list[str]:
    """Return the command line for clients of the family and the subnets of a plan.

    `relays` is the file with the addresses of the relays, if there are several subnets.
    """
    words = ["perfdhcp", f"-{plan.family}", "-l", "load0", "-g", "single", *options]
    if plan.subnets > 1:
        words += ["-J", relays]
        if plan.family == 6:
            words += ["-A", "1"]  # behind one relay
    return words


def probe_options() -> list[str]:
    """Return the options for one client, which waits 0.1 s for an answer."""
    return ["-n", "1", "-r", "10", "-R", "1", "-b", f"mac={FIRST_CLIENT}", "-W", "100000"]


def answered(output: str) -> bool:
    """Return whether that client got an answer."""
    return "received packets: 1\n" in output


def shares(rate: int, servers: int) -> list[int]:
    """Divide a rate among the clients of the servers; those of each have at least 1."""
    least, more = divmod(rate, servers)
    return [max(1, least + (number < more)) for number in range(servers)] if rate else [0] * servers


def load_options(plan: Plan, rate: int, trial_number: int, server: int = 1) -> list[str]:
    """Return the options for the load of a server in a trial.

    Its clients differ from those of other trials and of other servers.
    """
    network = (server - 1) << 4 | 0x0C
    mac = f"{network:02x}:{trial_number >> 8 & 255:02x}:{trial_number & 255:02x}:00:00:00"
    clients = ["-b", f"mac={mac}"]
    if plan.is_storm:
        return [*clients, "--scenario", "avalanche", "-R", str(plan.clients)]
    options: dict[str, object] = {
        "-r": rate,  # new clients a second
        "-p": plan.seconds,
        "-R": rate * plan.seconds * 2 + 10,  # clients, more than can ask
        "-d": f"{plan.within_s:g}",  # an answer after this time does not count
        "-W": int(plan.within_s * 1000000),  # microseconds to wait for the last answers
        "-t": 1,  # a report each second ...
        "-C": ",",  # ... of numbers with commas between them
    }
    if plan.renew:
        options["-f"] = max(1, rate * plan.renew // 100)
    if plan.release:
        options["-F"] = max(1, rate * plan.release // 100)
    return [*clients, *map(str, itertools.chain.from_iterable(options.items()))]


# ---- The load


@dataclass(frozen=True)
class Load:
    """The clients of all networks in a trial."""

    programs: Sequence[subprocess.Popen[str]]

    @property
    def is_running(self) -> bool:
        """True if any of them still asks or waits for answers."""
        return any(program.poll() is None for program in self.programs)

    def kill(self) -> None:
        """End it at once: perfdhcp would wait for answers, some of them for ever."""
        for program in self.programs:
            program.kill()


@contextlib.contextmanager
def running(
    commands: Mapping[Path, Sequence[str]], environment: Mapping[str, str]
) -> Iterator[Load]:
    """Start commands, each by the file of its output, all at once; wait for their end."""
    with contextlib.ExitStack() as stack:
        waiting, gate = os.pipe()
        with os.fdopen(waiting) as entrance, os.fdopen(gate, "w"):
            programs = [
                stack.enter_context(
                    process.started(
                        [*AT_THE_END_OF_INPUT, *command],
                        env=environment,
                        stdin=entrance.fileno(),
                        stdout=stack.enter_context(open(path, "wb")).fileno(),
                        stderr=subprocess.STDOUT,
                    )
                )
                for path, command in commands.items()
            ]
        yield Load(programs)  # the gate is closed, so all have begun
        for program in programs:
            program.wait()


# ---- The output


def read_trial(
    output: str, plan: Plan, rate: int, processor_s: Mapping[str, float], elapsed_s: float
) -> Trial:
    """Read what became of the clients of a trial.

    `processor_s` is the processor time that each part used. Raises OutputError if the output is
    incomplete.
    """
    sections = list(read_sections(output).values())
    if len(sections) < 2:
        raise OutputError("it printed no statistics")
    discover, request, *beside = sections
    renew = beside.pop(0) if plan.renew and beside else None
    release = beside.pop(0) if plan.release and beside else None
    cores = os.cpu_count() or 1
    if plan.is_storm:
        return StormTrial(
            discover,
            request,
            renew,
            release,
            processor_s,
            elapsed_s,
            cores,
            resent=read_count(output, "Requests resent: "),
            duration_s=_read_duration(output),
        )
    sums = _sums_while_sending(output, plan.seconds, discover.sent)
    lost = discover.sent - request.received
    return RateTrial(
        discover,
        request,
        renew,
        release,
        processor_s,
        elapsed_s,
        cores,
        offered=rate,
        kept_up=discover.sent + 1 >= KEPT_UP * rate * plan.seconds,
        granted_per_s=(sums[-1].granted if sums else request.received) / plan.seconds,
        queue_grew=queue_grew(sums, lost, rate * plan.within_s),
        max_lost=plan.max_lost,
    )


def _read_duration(output: str) -> float:
    match = re.search(r"It took (\d+):(\d+):([0-9.]+)", output)
    if match is None:
        raise OutputError("it did not say how long the storm took")
    return int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3])


# ---- Second by second


@dataclass(frozen=True)
class Sums:
    """The clients that have asked, and those that were granted a lease, until some second."""

    asked: int
    granted: int

    @property
    def waiting(self) -> int:
        """The clients that have asked and have no lease yet."""
        return self.asked - self.granted


def read_sums(output: str, seconds: int) -> list[Sums]:
    """Return the sums at the end of each second.

    The line that perfdhcp prints with -C has discovers, requests, renewals and releases that were
    sent, then their answers, and others.
    """
    lines = [
        line.split(",") for line in output.splitlines() if re.fullmatch("[0-9]+(,[0-9]+){7,}", line)
    ]
    return [Sums(int(words[0]), int(words[len(words) // 4 + 1])) for words in lines[:seconds]]


def read_seconds(output: str, seconds: int) -> tuple[Second, ...]:
    """Return what clients asked and were granted in each second."""
    sums = [Sums(0, 0), *read_sums(output, seconds)]
    return tuple(
        Second(after.asked - before.asked, after.granted - before.granted)
        for before, after in itertools.pairwise(sums)
    )


def _sums_while_sending(output: str, seconds: int, sent: int) -> list[Sums]:
    """Return the sums until the last client has asked.

    Clients that are served later have waited in a queue and do not count for the rate.
    """
    sums = read_sums(output, seconds)
    while len(sums) > 1 and sums[-2].asked >= sent:  # perfdhcp was late with its lines
        sums.pop()
    return sums


def queue_grew(sums: Sequence[Sums], lost: int, waiting_most: float) -> bool:
    """Return whether more clients waited in the last third of the trial than in the first.

    A client that is never served also seems to wait; all of these are assumed to have been lost
    between the two thirds. `waiting_most` is the number of clients that ask while one of them
    waits for an answer.
    """
    if not sums:
        return False
    third = max(1, len(sums) // 3)
    growth = _mean_waiting(sums[-third:]) - _mean_waiting(sums[:third])
    return growth - lost > max(LEAST_GROWTH, QUEUE_GROWTH * waiting_most)


def _mean_waiting(sums: Iterable[Sums]) -> float:
    return statistics.fmean(each.waiting for each in sums)


# ---- What clients notice


def silent_s(trial: Trial, seconds: Iterable[Second]) -> float:
    """Return for how long nobody was answered: seconds without an answer, or the longest wait."""
    return max(silent_seconds(seconds), trial.longest_wait_s)


def silent_seconds(seconds: Iterable[Second]) -> int:
    """Return the longest run of seconds in which clients asked and none was answered."""
    longest = current = 0
    for second in seconds:
        is_silent = second.asked > 0 and second.granted == 0
        current = current + 1 if is_silent else 0
        longest = max(longest, current)
    return longest


@dataclass(frozen=True)
class Outage:
    """What clients noticed of a killed server."""

    lost: int  # clients without an answer
    back_s: int | None  # until nine of ten were answered again; None if they never were


def outage(seconds: Sequence[Second], kill_s: int) -> Outage:
    """Return what clients noticed of a server that was killed in second `kill_s`."""
    after = seconds[kill_s:]
    well = [second.granted >= 0.9 * second.asked for second in after]
    first_bad = well.index(False) if False in well else 0
    back_s = well.index(True, first_bad) if True in well[first_bad:] else None
    return Outage(max(0, sum(second.asked - second.granted for second in after)), back_s)
