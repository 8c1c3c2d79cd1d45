#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Writes the lease files of made-up sites, from which the traces in results/traces/ were made.

    scripts/sites.py campus FOLDER

writes FOLDER/kea-leases4.csv, as Kea's memfile would, and FOLDER/kea-leases4.csv.2, the leases
that there are at the start; of a site with IPv6 kea-leases6.csv, as Kea 3.0 would. Then

    ./ubench_report trace FOLDER/kea-leases4.csv -O campus.trace.gz

makes the trace. The same seed gives the same files.

A site has clients that arrive at a rate which changes over the day, stay for a while, renew after
half of the lifetime, and then leave: some release their lease, the others only go, and the server
reclaims it when it has expired. An hour later it deletes the row. Some clients come back.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

HEADERS = {
    4: (
        "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,"
        "user_context,pool_id"
    ),
    6: (
        "address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,"
        "fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context,hwtype,hwaddr_source,pool_id"
    ),
}
START_S = 1_710_720_000  # midnight UTC
HOUR_S = 3600
RECLAIM_S = 5  # after a lease has expired
PURGE_S = 3600  # Kea's hold-reclaimed-time
DECLINE_S = 86400  # Kea's decline-probation-period
ACTIVE, DECLINED, RECLAIMED, RELEASED = range(4)  # Kea's states of a lease


@dataclass(frozen=True)
class Site:
    """A site. Times are in seconds from the start; `arrivals` are new clients per second."""

    seconds: int
    lifetime_s: int
    online: int  # clients at the start
    arrivals: Callable[[float], float]
    stay_s: Callable[[random.Random], float]
    released: float = 0.2  # the share of clients that release their lease when they leave
    declined: float = 0.0  # of those that find their address taken
    back: float = 0.2  # of arrivals of clients that were there before
    restart_s: float = 0.0  # within which all clients ask again after a power cut; 0: none
    subnets: int = 1
    family: int = 4  # with IPv6 every other lease is a prefix, of the client of the lease before
    pools: int = 1  # of each subnet

    @property
    def file(self) -> str:
        """The name of the lease file."""
        return f"kea-leases{self.family}.csv"


def bell(time_s: float, hour: float, hours: float) -> float:
    """Return a curve that is 1 at an hour of the day and falls off within some hours."""
    return math.exp(-(((time_s / HOUR_S - hour) / hours) ** 2) / 2)


def campus_arrivals(time_s: float) -> float:
    """12.5 new clients per second at 8:00, fewer over the day, hardly any at night."""
    return 0.3 + 11.3 * bell(time_s, 8, 1.6) + 3.2 * bell(time_s, 12.5, 2.5)


def subscriber_arrivals(time_s: float) -> float:
    """0.5 new leases per second in the evening, fewer over the day: routers that are replaced."""
    return 0.1 + 0.4 * bell(time_s, 20, 3)


def guest_arrivals(time_s: float) -> float:
    """0.85 new clients per second in the evening, hardly any later: a hotel."""
    return 0.05 + 0.8 * bell(time_s, 4, 1.5)


def mixed_stay_s(short: float, short_s: float, long_s: float) -> Callable[[random.Random], float]:
    """Draw times of stay: short for a share of the clients, long for others, exponentially."""
    return lambda draw: draw.expovariate(1 / (short_s if draw.random() < short else long_s))


def steady_stay_s(least_s: float, most_s: float) -> Callable[[random.Random], float]:
    """Draw times of stay between two limits, all equally likely."""
    return lambda draw: draw.uniform(least_s, most_s)


SITES = {
    # A campus: at most 150,000 clients at a time, which renew each 900 s: 167 per second. The
    # curve is that of SpatiumDDI's harness (perf/README.md, 2026).
    "campus": Site(86400, 1800, 20_000, campus_arrivals, steady_stay_s(2.8 * 3600, 7.1 * 3600)),
    # An Internet provider: all 40,000 subscribers come back within five minutes of a power cut.
    "isp": Site(7200, 3600, 40_000, lambda _: 0.2, steady_stay_s(86400, 864000), restart_s=300),
    # Guests stay for minutes or hours, with leases of 10 minutes.
    "guests": Site(
        8 * HOUR_S, 600, 300, guest_arrivals, mixed_stay_s(0.4, 600, 5400), 0.1, 0.002, 0.3
    ),
    # Subscribers with IPv6: routers with an address and a prefix, in pools of several subnets. Some
    # find their address taken, and many give back what they have.
    "subscribers": Site(
        86400, 7200, 50_000, subscriber_arrivals, steady_stay_s(3600, 10 * 86400), 0.5, 0.02, 0.4,
        subnets=40, family=6, pools=3,
    ),
}  # fmt: skip


@dataclass
class Truth:
    """What is known of the files, by hour of Unix time and by kind of event."""

    hours: Counter[tuple[int, str]] = field(default_factory=Counter)
    minutes: Counter[tuple[int, str]] = field(default_factory=Counter)

    def count(self, second: int, kind: str) -> None:
        """Count an event."""
        self.hours[second // HOUR_S, kind] += 1
        self.minutes[second // 60, kind] += 1


@dataclass
class Client:
    """A client: which one, when it last asked, when it will leave and when it left."""

    number: int
    last_s: int
    leaves_s: float
    left_s: int = -1


class Simulation:
    """Writes a site's lease file, record by record in the order of time."""

    def __init__(self, site: Site, seed: int) -> None:
        self.site = site
        self.draw = random.Random(seed)
        self.truth = Truth()
        self.clients = 0
        self.gone: list[int] = []  # clients that may come back
        self.left_s: dict[int, int] = {}  # when each client left whose row is still there
        lifetime_s = site.lifetime_s
        self.forms = {
            "renewed": (lifetime_s, ACTIVE),
            "declined": (DECLINE_S, DECLINED),
            "released": (0, RELEASED),
            "expired": (lifetime_s, RECLAIMED),
            "cleaned": (0, RECLAIMED),
        }
        self.shown_s = 0  # the latest time that the records show: some have none of their own
        self.plans: list[tuple[int, int, str, Client]] = []
        self.planned = 0

    def plan(self, second: float, what: str, client: Client) -> None:
        """Have something happen to a client later."""
        self.planned += 1
        heapq.heappush(self.plans, (int(second), self.planned, what, client))

    def row(self, client: Client, valid_s: int, state: int) -> str:
        """Return the record of a client's lease."""
        if self.site.family == 6:
            return self.row6(client, valid_s, state)
        number = client.number
        mac = f"0a:00:{number >> 24:02x}:{number >> 16 & 255:02x}:{number >> 8 & 255:02x}"
        mac += f":{number & 255:02x}"
        ends_s = START_S + client.last_s + valid_s
        names = f"{mac},01:{mac}" if state != DECLINED else ","
        address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        subnet = 1 + number % self.site.subnets
        name = f"host-{number}.example.org" if state in (ACTIVE, RELEASED) else ""
        return f"{address},{names},{valid_s},{ends_s},{subnet},0,0,{name},{state},,0\n"

    def row6(self, client: Client, valid_s: int, state: int) -> str:
        """Return the record of an address or of a prefix, with escapes as Kea writes them.

        A declined address has the DUID 00, no host name and no hardware address.
        """
        router, is_prefix = divmod(client.number, 2)
        subnet = 1 + router % self.site.subnets
        pool = router // self.site.subnets % self.site.pools
        place = f"{router >> 16:x}:{router & 0xFFFF:x}"
        address = f"2001:db8:{place}::" if is_prefix else f"2001:db8:ffff:{subnet:x}::{place}"
        mac = ":".join(f"{byte:02x}" for byte in (10, 0, *router.to_bytes(4, "big")))
        duid = f"00:03:00:01:{mac}"
        name = f"router-{router}&#x2chome.example.org" if state in (ACTIVE, RELEASED) else ""
        relay = f'{{ "hop": 0&#x2c "link": "2001:db8::{subnet:x}" }}'
        context = f'{{ "ISC": {{ "relay-info": [ {relay} ] }} }}'
        if state == DECLINED:
            duid, mac, context = "00", "", ""
        fields = (
            address, duid, valid_s, START_S + client.last_s + valid_s, subnet, valid_s * 5 // 8,
            2 if is_prefix else 0, router & 0xFFFF, 64 if is_prefix else 128, 0, 0, name, mac,
            state, context, 1 if mac else "", 0 if mac else "", pool,
        )  # fmt: skip
        return ",".join(map(str, fields)) + "\n"

    def snapshot(self) -> Iterator[str]:
        """Yield the leases that there are at the start, in the order of their addresses."""
        site = self.site
        for number in range(site.online):
            age_s = self.draw.randrange(site.lifetime_s // 2)
            client = Client(number, -age_s, site.stay_s(self.draw) * self.draw.random())
            if site.restart_s:
                asks_s = self.draw.triangular(0, site.restart_s, site.restart_s / 6)
            else:
                asks_s = site.lifetime_s // 2 - age_s
            self.plan(asks_s, "renewed", client)
            yield self.row(client, site.lifetime_s, ACTIVE)
        self.clients = site.online

    def log(self) -> Iterator[str]:
        """Yield the records of the lease file."""
        arrived = 0.0
        for second in range(self.site.seconds):
            arrived += self.site.arrivals(second) * self.draw.uniform(0.5, 1.5)
            while arrived >= 1:
                arrived -= 1
                yield self.arrive(second)
            while self.plans and self.plans[0][0] <= second:
                _, _, what, client = heapq.heappop(self.plans)
                yield from self.happen(second, what, client)

    def arrive(self, second: int) -> str:
        """Return a client comes, a new one or one that was there before."""
        is_back = self.gone and self.draw.random() < self.site.back
        if is_back:
            position = self.draw.randrange(len(self.gone))
            self.gone[position], self.gone[-1] = self.gone[-1], self.gone[position]
            number = self.gone.pop()
        else:
            number = self.clients
            self.clients += 1
        self.shown_s = second
        client = Client(number, second, second + self.site.stay_s(self.draw))
        had_row = self.left_s.pop(number, None) is not None
        self.truth.count(START_S + second, "returned" if had_row else "new")
        may_decline = self.site.family == 4 or client.number % 2 == 0  # no prefix is declined
        if may_decline and self.draw.random() < self.site.declined:
            self.plan(second + 1, "declined", client)
        else:
            self.go_on(client)
        return self.row(client, self.site.lifetime_s, ACTIVE)

    def go_on(self, client: Client) -> None:
        """Plan what a client does next."""
        renews_s = client.last_s + self.site.lifetime_s // 2
        if renews_s <= client.leaves_s:
            self.plan(renews_s, "renewed", client)
        elif self.draw.random() < self.site.released:
            self.plan(max(client.leaves_s, client.last_s + 1), "released", client)
        else:
            self.plan(client.last_s + self.site.lifetime_s + RECLAIM_S, "expired", client)

    def happen(self, second: int, what: str, client: Client) -> Iterator[str]:
        """Yield what was planned happens, unless a client came back before its row was deleted."""
        if what == "cleaned" and self.left_s.get(client.number) != client.left_s:
            return
        if what in ("renewed", "declined"):
            client.last_s = self.shown_s = second
        self.truth.count(START_S + self.shown_s, what)
        if what == "renewed":
            self.go_on(client)
        elif what in ("released", "expired"):
            self.leave(client, second)
        elif what == "cleaned":
            del self.left_s[client.number]
        yield self.row(client, *self.forms[what])

    def leave(self, client: Client, second: int) -> None:
        """Return a client has no lease any more; its row stays for a while."""
        client.left_s = self.left_s[client.number] = second
        self.gone.append(client.number)
        self.plan(second + PURGE_S, "cleaned", client)


def write(site: Site, folder: Path, seed: int) -> Truth:
    """Write a site's lease file and its snapshot; return what happened."""
    simulation = Simulation(site, seed)
    path = folder / site.file
    for name, rows in ((f"{path}.2", simulation.snapshot()), (str(path), simulation.log())):
        with open(name, "w", encoding="ascii") as file:
            write_rows(file, HEADERS[site.family], rows)
    return simulation.truth


def write_rows(file: TextIO, header: str, rows: Iterator[str]) -> None:
    """Write the header and the rows."""
    file.write(f"{header}\n")
    file.writelines(rows)


def main() -> int:
    """Write the files of the site that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("site", choices=SITES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    truth = write(SITES[options.site], options.folder, options.seed)
    totals: Counter[str] = Counter()
    for (_, kind), count in truth.hours.items():
        totals[kind] += count
    print(", ".join(f"{kind}: {count:,}" for kind, count in sorted(totals.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
