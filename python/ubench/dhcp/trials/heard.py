# SPDX-License-Identifier: ISC
"""What clients heard from several servers on one database, and whether their leases agree with it.

No address may be granted to two clients, and each client that was granted one has exactly that
lease. `listener` writes the answers down, because perfdhcp prints only how many there were.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from ipaddress import IPv4Address
from pathlib import Path

from ubench.dhcp.netns import LOAD_INTERFACE
from ubench.dhcp.store import Dialect, LeaseKey
from ubench.dhcp.testbed import Testbed, read_text
from ubench.dhcp.trials import listener
from ubench.errors import Problem
from ubench.run import process

WRONG_ANSWER = 3  # exit status, as that of the runners
# Types of messages (RFC 2132, 9.6).
OFFER, ACK, NAK = 2, 5, 6


@dataclass(frozen=True)
class Grant:
    """An address that a client was told; both in hexadecimal."""

    address: str
    client: str

    def __str__(self) -> str:
        """Return the address and the client for people."""
        return f"{shown_address(self.address)} to {shown_client(self.client)}"


@dataclass(frozen=True)
class Answers:
    """What the clients of all networks heard in a trial."""

    offers: tuple[Grant, ...] = ()
    grants: tuple[Grant, ...] = ()
    refusals: int = 0  # DHCPNAK
    dropped: int = 0  # frames that the kernel had no room for

    def summary(self, granted: int) -> Heard:
        """Return the numbers; `granted` is the number of leases that perfdhcp counted."""
        clients = {grant.client for grant in self.grants}
        return Heard(
            offers=len(self.offers),
            offered_twice=sum(len(each) > 1 for each in clients_by_address(self.offers).values()),
            grants=len(self.grants),
            granted_twice=sum(len(each) > 1 for each in clients_by_address(self.grants).values()),
            refusals=self.refusals,
            missed=max(self.dropped, granted - len(clients)),
        )


@dataclass(frozen=True)
class Heard:
    """The numbers of the answers (results/kea.schema.json)."""

    offers: int = 0
    offered_twice: int = 0  # addresses that more than one client was offered in a trial
    grants: int = 0
    granted_twice: int = 0  # addresses that more than one client was granted
    refusals: int = 0
    missed: int = 0  # answers that were not written down, at least

    def members(self) -> dict[str, int]:
        """Return the numbers as a line of results has them."""
        return asdict(self)

    def __str__(self) -> str:
        """Return one line for people."""
        missed = f"; {self.missed} answers were missed" if self.missed else ""
        return (
            f"clients heard {self.offers} offers and {self.grants} grants; {self.offered_twice} "
            f"addresses were offered twice, {self.granted_twice} granted twice, and "
            f"{self.refusals} requests refused{missed}"
        )


def total(parts: Iterable[Heard]) -> Heard:
    """Return the sum of the numbers of several trials."""
    sums: Counter[str] = Counter()
    for part in parts:
        sums.update(part.members())
    return Heard(**sums)


# ---- Listening


@contextlib.contextmanager
def listening(testbed: Testbed, number: int) -> Iterator[None]:
    """Write down what the clients of a network hear during the block.

    Raises Problem if that cannot begin.
    """
    path = testbed.heard(number)
    path.unlink(missing_ok=True)
    command = [sys.executable, "-I", str(Path(listener.__file__)), LOAD_INTERFACE, str(path)]
    with process.started(
        testbed.on_load_side(command, number),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdin
        assert program.stdout
        if program.stdout.readline() != "ready\n":
            raise Problem("the listener beside perfdhcp does not start; see above")
        yield
        program.stdin.close()
        program.wait()
        program.stdout.close()


# ---- Reading


def read_answers(paths: Iterable[Path]) -> Answers:
    """Read the files of all listeners. Raises Problem if one did not come to its end."""
    grants: dict[int, list[Grant]] = {OFFER: [], ACK: [], NAK: []}
    dropped = 0
    for path in paths:
        *lines, end = read_text(path).splitlines() or [""]
        if not end.isdigit():
            raise Problem(f"{path} is not complete: the listener beside perfdhcp ended early")
        dropped += int(end)
        for line in lines:
            kind, address, client = line.split(" ")
            grants.setdefault(int(kind), []).append(Grant(address, client))
    return Answers(tuple(grants[OFFER]), tuple(grants[ACK]), len(grants[NAK]), dropped)


def clients_by_address(grants: Iterable[Grant]) -> dict[str, set[str]]:
    """Return the clients that were told each address."""
    clients: dict[str, set[str]] = {}
    for grant in grants:
        clients.setdefault(grant.address, set()).add(grant.client)
    return clients


# ---- Verification


def check_answers(answers: Answers, leases: Iterable[LeaseKey], dialect: Dialect) -> None:
    """Raise Problem, with the exit status of a wrong answer, if clients and leases disagree.

    `leases` are all those in the database; `dialect` says how it writes addresses and clients.
    """
    for address, clients in clients_by_address(answers.grants).items():
        if len(clients) > 1:
            names = " and ".join(shown_client(client) for client in sorted(clients))
            raise _wrong(f"{shown_address(address)} was granted to {len(clients)} clients, {names}")
    stored = _addresses_by_client(leases)
    for grant in answers.grants:
        known = stored.get(dialect.client(grant.client), [])
        if known != [dialect.address(grant.address)]:
            raise _wrong(f"{grant} was granted, and that client has {_leases(known)} in the store")


def _addresses_by_client(leases: Iterable[LeaseKey]) -> Mapping[str, list[str]]:
    addresses: dict[str, list[str]] = {}
    for lease in leases:
        addresses.setdefault(lease.client, []).append(lease.address)
    return addresses


def _leases(addresses: list[str]) -> str:
    if not addresses:
        return "no lease"
    return "another lease" if len(addresses) == 1 else f"{len(addresses)} leases"


def _wrong(text: str) -> Problem:
    return Problem(f"{text}: no figures", WRONG_ANSWER)


def shown_address(address: str) -> str:
    """Return an address in hexadecimal as people write it."""
    return str(IPv4Address(int(address, 16)))


def shown_client(client: str) -> str:
    """Return a hardware address in hexadecimal as people write it."""
    return bytes.fromhex(client).hex(":")
