# SPDX-License-Identifier: ISC
"""The answer for a site by the configuration of its Kea: what a crash takes, how many clients it
serves, how many leases can expire, and which setting to change first.

Facts about Kea are of its manual (arm/), 2.2 and 3.2; where 2.2, 2.6 and 3.0 have different
defaults, the versions are named.  What was measured has its page or results beside it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from report import Problem, answer, results, rows, screen
from report.answer import Answer, Site, short, time_text
from report.kea.file import SETTINGS, Kea, place
from report.rows import Row
from report.table import Output, Table

ARM = "arm/X is kea.readthedocs.io/en/latest/arm/X.html"
FOREVER = 0xffffffff  # a lifetime
ROW_BYTES = 100  # of a lease in memfile's file
# Leases a second of ISC's servers, with one and with several threads, and the threads it advises.
THREADS = {"mysql": ("2,559", "10,135", 12), "postgresql": ("2,396", "7,441", 8)}
# The losses by a power cut and a kill; a database decides by settings that Kea's file has not.
CRASHES = {
    "mysql": (
        "The database decides what a power cut takes: nothing with innodb_flush_log_at_trx_commit"
        "=1 (and sync_binlog=1 if it has a binary log), with 2 the last second (docs/crashes.md).",
        "nothing.  A killed database takes the last second if innodb_flush_log_at_trx_commit=0.",
        "SELECT @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog"),
    "postgresql": (
        "The database decides what a power cut takes: nothing with synchronous_commit=on, with off "
        "up to 0.6 s, which is 3 times wal_writer_delay (docs/crashes.md).",
        "nothing.  A killed database takes up to 0.6 s if synchronous_commit=off.",
        "SHOW synchronous_commit; SHOW fsync"),
    "memfile": (
        "A power cut takes any number of the last leases: Kea writes them to its file and never "
        "syncs it.  79 of 79 cuts took some, 1.3 s of them at 500 a second (docs/crashes.md).",
        "nothing: a lease is in the file before the client has its answer."),
    "forgetful": ("A power cut takes every lease, as persist is false.",
                  "every lease, and so does each restart.")}


def crash_lines(kea: Kea, made: Answer | None) -> list[tuple[str, str]]:
    database, host = kea.kind != "memfile", kea.values["host"][:40] or "localhost"
    power, kill, *ask = CRASHES[kea.kind if kea.values["persist"] or database else "forgetful"]
    if made and database:
        power = "The settings of the database decide: the table says what a power cut takes."
    if partner(kea):
        power = power.replace("A power cut", "A power cut of both servers")
    lost = f"Losing {host if database and host != 'localhost' else 'the machine'} takes every " \
        "lease" + (" that no replica or backup of the database has." if database else
                   ": no other machine has them.")
    return [("POWER", power + "".join(f"  Ask the database: {words}" for words in ask)),
            ("KILL", f"A killed Kea takes {kill}"), ("MACHINE", partner(kea) or lost)]


def partner(kea: Kea) -> str:
    """The losses with a machine if another server has the leases, too."""
    if not kea.ha or not kea.values["send-lease-updates"]:
        return ""
    if kea.ha.get("mode") == "passive-backup" and not kea.ha.value("wait-backup-ack", "flag", 0):
        return "Losing a machine takes leases that no backup has yet: wait-backup-ack is false."
    return "Losing a machine takes no lease that it gave while its partner was there: the " \
        "partner has each before the client (docs/dhcp.md)."


def reclaimed(kea: Kea) -> tuple[float | None, str]:
    """How many leases an hour at most, None if that is not known; and why."""
    wait, most, ms = (kea.values[name] for name in list(SETTINGS["expired-leases-processing"])[:3])
    if not wait:
        return 0.0, "Kea reclaims no expired lease: reclaim-timer-wait-time is 0."
    if not most:
        return None, f"Kea reclaims expired leases for {ms} ms every {wait} s; how many, " \
            "scripts/dhcp expire measures." if ms else \
            "Kea reclaims all expired leases at once; clients wait until it is done."
    hour = 3600 * most / wait
    return hour, f"Kea reclaims at most {short(hour)} expired leases an hour: " \
        f"max-reclaim-leases allows {short(most)} every {wait} s."


def expiry_text(kea: Kea, clients: int) -> str:
    hour, words = reclaimed(kea)
    life = kea.mean(kea.lifetimes)
    if not hour:
        return words
    if not clients:
        return f"{words}  Enough for {short(hour * life / 3600)} clients that come and go."
    asked = clients / life * 3600
    return f"{words}  If no client comes back, {short(asked)} leases an hour expire: " + (
        "enough." if asked <= hour else "more than that.")


def matching(kea: Kea, site: Site, found: list[dict], where: list) -> Answer | None:
    """The answer for its store, family and pair; with its threads, if they were measured."""
    mode, size = kea.mode.replace("none", ""), kea.values["thread-pool-size"]
    found = [one for one in found if one["family"] == kea.family
             and (one["kind"] == "store" or results.parameter(one, "ha") == mode)]
    for chosen in ([*where, ("threads", str(size))], where):
        try:
            made = answer.Answer(site, found, chosen)
        except Problem:
            continue
        for section in made.classes:
            section.rows = [row for row in section.rows if screen.in_kea(row) == kea.kind]
        made.classes = [section for section in made.classes if section.rows]
        made.results = [one for row in made.setups for one in row.results]
        if made.setups:
            return made
    return None


def changes(kea: Kea, site: Site, made: Answer | None) -> list[str]:
    """Settings, the most urgent first: the new value, where it is, and why."""
    def row(needed, name: str, value, why: str):
        where = kea.places.get(name, "not in the file")
        return f"{name}: {value} ({where}): {why}" if needed else ""

    of, page, memfile = kea.values, f"arm/dhcp{kea.family}-srv", kea.kind == "memfile"
    clients, threads = site.clients, of["enable-multi-threading"]
    one, several, count = THREADS.get(kea.kind, ("", "", 0))
    asked = clients * 3600 / kea.mean(kea.lifetimes)
    setups = made.setups if made and clients else []
    is_slow = setups and all(made.fits[one].verdict == answer.SLOW for one in setups)
    hour = reclaimed(kea)[0]
    sooner = math.floor(3600 * of["max-reclaim-leases"] / asked) if asked else 0
    grown = clients / kea.mean(kea.renewals) * 86400 * ROW_BYTES / 1e6
    return list(filter(None, [
        row(memfile and not of["persist"], "persist", "true",
            f"Kea forgets its leases when it ends, and then grants addresses in use ({page})."),
        row(kea.ha and not of.get("send-lease-updates", True), "send-lease-updates", "true",
            "the partner does not learn of leases, and grants their addresses (arm/hooks-ha)."),
        row(not memfile and not of["max-reconnect-tries"], "max-reconnect-tries",
            "10, with reconnect-wait-time: 5000", "with 0 Kea ends when it loses its database, so "
            f"a restart of the database ends DHCP; 10 tries every 5 s outlast it ({page})."),
        row(not memfile and of["on-fail"].startswith("serve"), "on-fail", "stop-retry-exit",
            f"Kea answers clients without its leases, of which its manual warns ({page})."),
        row(is_slow, "valid-lifetime", "longer, or another type of lease-database",
            "no measured setting of this store is fast enough: see SPEED."),
        row(memfile and of["persist"] and not of["lfc-interval"], "lfc-interval", 3600,
            "the file grows with each renewal" + f", {short(grown)} MB a day" * bool(clients)
            + ", and Kea reads all of it when it starts (arm/lfc)."),
        row(hour == 0, "reclaim-timer-wait-time", 10,
            "expired leases keep their DNS names and their place (arm/lease-expiration)."),
        row(hour and hour < asked, "reclaim-timer-wait-time", f"{max(sooner, 1)}" + (
            f", with max-reclaim-leases: {math.ceil(asked / 360000) * 100}" if sooner < 1 else ""),
            f"{short(asked)} leases an hour can expire, and {short(hour or 0)} are reclaimed; the "
            "others keep their DNS names" + " and addresses" * (of["allocator"] == "flq")
            + " (arm/lease-expiration)."),
        row(not memfile and (threads is not True or of["thread-pool-size"] == 1),
            "thread-pool-size" if of["thread-pool-size"] == 1 else "enable-multi-threading",
            count if of["thread-pool-size"] == 1 else f"true, with thread-pool-size: {count}",
            "one thread waits for the database"
            + ", as in Kea 2.2 if nothing is set" * (type(threads) is str) + f"; ISC granted {one} "
            f"leases/s with one, {several} with several (results/kea-2.0-isc.jsonl)."),
        row(not of["packet-queue-size"] and threads is not False, "packet-queue-size", 64,
            f"without a limit Kea answers clients that have long asked again ({page})."),
        row(of["enable-queue"] and threads is not False, "enable-queue", "false",
            "with several threads Kea ignores it (arm/congestion-handling)."),
        row(memfile and not kea.ha, "hooks-libraries", "libdhcp_ha.so", "no setting of memfile "
            "keeps leases through a power cut; a partner elsewhere does.  It costs: a pair "
            "granted 2,708 leases/s, one server 20,280 (docs/dhcp.md)."),
        cache_fault(kea, page)]))


def cache_fault(kea: Kea, page: str) -> str:
    """If clients renew while their leases still count as new (setLeaseReusable of Kea)."""
    for subnet, lifetime, renews in zip(kea.subnets, kea.lifetimes, kea.renewals):
        share = subnet.value("cache-threshold", "number", 0.25)
        age = subnet.value("cache-max-age", "count", math.inf)
        if share <= 1 and renews < min(share * lifetime, age) and lifetime < FOREVER:
            where = place(subnet, "cache-threshold", kea.path)
            return f"cache-threshold: {renews / lifetime / 2:.2g} ({where}): Kea" \
                + " 3.0 by default" * ("cache-threshold" not in subnet) + " gives a client that " \
                f"renews after {time_text(renews)} no new time, only the rest of the old ({page})."
    return ""


def headline(kea: Kea) -> str:
    low, high = min(kea.lifetimes), max(kea.lifetimes)
    times = "without end" if low >= FOREVER else "of " + time_text(low) + " and more" * (low < high)
    pools = f"{kea.addresses:,} addresses" if kea.addresses else \
        "large pools" if sum(kea.sizes) else "no pools"
    return f"{os.path.basename(kea.path)[-24:]}: DHCPv{kea.family}, {kea.kind}, {pools}, " \
        f"leases {times}"


def speed_text(kea: Kea, site: Site, made: Answer | None) -> str:
    renews = time_text(round(kea.mean(kea.renewals)))
    clients = made.clients if made else site.clients
    text = f"{clients:,} clients renew after {renews}" if clients else ""
    if not made:
        needs = [short(answer.need(site, demand, clients)) for demand in (0, 1)]
        return text + f": {needs[0]} renewals/s, and {needs[1]} restarts/s if all are back " \
            f"within {time_text(site.restart_s)}.  " * bool(clients) + \
            f"No result of Kea's {kea.kind} with DHCPv{kea.family} is there; scripts/" \
            f"{'bench.sh kea' if kea.family == 4 else 'dhcp rate -6'} measures it."
    size, threads = kea.values["thread-pool-size"], results.parameter(made.results[0], "threads")
    alone = not any(setup.is_server for setup in made.setups)
    return f"{text}.  {screen.speed_text(made)}" \
        + f"  Measured with {threads} of {size} threads." * (size > 1 and threads != str(size)) \
        + "  A pair is slower: scripts/dhcp ha." * (kea.mode != "none" and alone)


def sources(setups: list[Row]) -> str:
    files = dict.fromkeys(os.path.basename(one["file"])[-30:] for setup in setups
                          for one in setup.results)
    return f"{', '.join(files)}.  " * bool(files) + (
        "* is a whole server." if any(one.is_server for one in setups) else
        "Kea's own work is not counted." * bool(files))


def run(options: dict, site: Site, found: list[dict], short_runs: Sequence[str] = ()) -> int:
    """options and site: of the answer's command line; what the file says of the site counts.
    short_runs: those that were too short to count."""
    kea = Kea(options["kea"])
    life = kea.mean(kea.lifetimes)
    site = site._replace(clients=site.clients or kea.addresses or 0, lease_s=life,
                         renew_at=kea.mean(kea.renewals) / life)
    rows.check_settings("where", options["where"], found)
    made = matching(kea, site, found, options["where"]) if found else None
    explain, out = options["explain"], Output(options["format"])
    setups = screen.ordered(made) if made else []
    above = [*crash_lines(kea, made), ("SPEED", speed_text(kea, site, made))]
    first, *others = changes(kea, site, made) or ["No setting of this file needs a change."]
    more = f"{len(others)} more: --explain.  " * bool(others and not explain)
    below = [("EXPIRE", expiry_text(kea, site.clients)), ("FIRST", first),
             ("FROM", sources(setups) + (f"  {answer.short_text(short_runs)}." if short_runs else
                                          "")), *(("THEN", what) for what in others if explain),
             ("MORE", more + ARM)]
    while not explain and setups[1:] and not screen.fits(
            [*above, *below], screen.table(made, setups)):
        setups = screen.shown_rows(made, len(setups) - 1)
    out.note(headline(kea))
    out.pairs(above, screen.INDENT)
    if setups:
        out.gap()
        out.table(screen.table(made, setups))
    out.pairs(below, screen.INDENT)
    if explain:
        out.labelled("CACHE", "Kea 3.0 writes nothing if a client asks again within a quarter of "
                     "its lease (cache-threshold); a restart is counted as a write.", screen.INDENT)
        table = Table("setting|value|where")
        for name, value in {"type": kea.kind, "mode": kea.mode, **kea.values}.items():
            table.add(name, str(value).lower() if type(value) is bool else str(value)[:40],
                      kea.places.get(name, "").replace("not in the file", "the default"))
        out.gap()
        out.table(table)
    return 0
