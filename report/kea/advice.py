# SPDX-License-Identifier: ISC
"""The losses of a crash with a site's configuration, how many leases can expire, and which settings
to change, the most urgent first.

Facts about Kea are those of its manual (arm/), 2.2 to 3.2.
Where versions differ, they are named."""

from __future__ import annotations

import math
from typing import NamedTuple

from report.answer import short, time_text
from report.kea.file import place
from report.kea.site import FOREVER, Kea, Subnet

ROW_BYTES = 100  # about as long is a lease in the file of memfile
SMALL_SITE = 254  # clients: a home or an office with one subnet
# Threads that the manual recommends (dhcp4-srv and dhcp6-srv, "Multi-Threading Settings With
# Different Database Backends"), by database and family
THREADS = {("mysql", 4): 12, ("mysql", 6): 12, ("postgresql", 4): 8, ("postgresql", 6): 6}
# File systems in memory, and one that is emptied when the machine starts
FORGETFUL = ("/tmp/", "/run/", "/var/run/", "/dev/shm/")

POWER = {
    "mysql": "The database decides what a power cut loses: nothing with "
             "innodb_flush_log_at_trx_commit=1 (and sync_binlog=1 if it has a binary log), the "
             "last second with 2.",
    "postgresql": "The database decides what a power cut loses: nothing with "
                  "synchronous_commit=on, up to 3 times wal_writer_delay (0.6 s by default) with "
                  "off.",
    "memfile": "A power cut loses any number of the last leases: Kea writes them to its file and "
               "never syncs it (docs/crashes.md).",
    "forgetful": "A power cut loses every lease, because persist is false.",
}
ASK = {
    "mysql": "Ask the database: SELECT @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog",
    "postgresql": "Ask the database: SHOW synchronous_commit; SHOW fsync",
}
KILL = {
    "mysql": "If Kea is killed, nothing is lost.  A killed database loses the last second if "
             "innodb_flush_log_at_trx_commit=0.",
    "postgresql": "If Kea is killed, nothing is lost.  A killed database loses up to 3 times "
                  "wal_writer_delay if synchronous_commit=off.",
    "memfile": "If Kea is killed, nothing is lost: a lease is in the file before the client has "
               "its answer.",
    "forgetful": "If Kea is killed or restarted, every lease is lost.",
}


class Change(NamedTuple):
    """A setting to change: its new value, where it is, and why."""
    name: str
    value: str | int
    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.name}: {self.value} ({self.where}): {self.why}"


def losses(kea: Kea, is_measured: bool) -> list[tuple[str, str]]:
    """The losses by a power cut, a killed process and a lost machine.  is_measured: a table has
    those of the settings of its database."""
    kind = kea.kind if kea.is_database or kea.values["persist"] else "forgetful"
    power = POWER[kind]
    if kea.is_database and is_measured:
        power = "The settings of the database decide; the table has what a power cut loses."
    if kea.has_partner and not kea.is_database:
        power = power.replace("A power cut loses", "A power cut of all its servers loses")
    return [("POWER", "  ".join(filter(None, [power, ASK.get(kind, "")]))), ("KILL", KILL[kind]),
            ("MACHINE", machine_text(kea))]


def machine_text(kea: Kea) -> str:
    """The leases that are lost with a machine that never comes back."""
    host = kea.remote_host
    database = f"Losing {host or 'the machine of its database'} loses every lease that no " \
        "replica or backup of the database has."
    if kea.shares_database:
        if host:
            return "Losing a Kea server loses no lease, because the leases are in the database " \
                f"(send-lease-updates is false).  {database}"
        return "This server sends no lease updates: losing the machine loses every lease that no " \
            "replica or backup of its database has."
    if kea.has_partner:
        if not host:
            return partner_text(kea)
        return f"{partner_text(kea)}  If both servers use the database on {host}, losing that " \
            "machine loses every lease that no replica or backup has."
    if host:
        return database
    if kea.is_database:
        return "Losing the machine loses every lease that no replica or backup of the database has."
    return "Losing the machine loses every lease: no other machine has them."


def partner_text(kea: Kea) -> str:
    if kea.is_pair:
        return "Losing one Kea server loses no lease that it gave while its partner was there: " \
            "the partner has each before the client (arm/hooks-ha)."
    if kea.values["wait-backup-ack"]:
        return "Losing the Kea server loses no lease: a backup has each before the client."
    return "Losing the Kea server loses leases that no backup has yet: wait-backup-ack is false."


class Reclaimed(NamedTuple):
    """How many expired leases Kea reclaims in an hour at most, None if that is not known."""
    per_hour: float | None
    text: str


def reclaimed(kea: Kea) -> Reclaimed:
    wait_s, most, most_ms = (kea.values[name] for name in (
        "reclaim-timer-wait-time", "max-reclaim-leases", "max-reclaim-time"))
    if not wait_s:
        return Reclaimed(0.0, "Kea reclaims no expired lease: reclaim-timer-wait-time is 0.")
    if most:
        hour = 3600 * most / wait_s
        return Reclaimed(hour, f"Kea reclaims at most {short(hour)} expired leases an hour "
                         f"(max-reclaim-leases: {most} every {wait_s} s).")
    if most_ms:
        return Reclaimed(None, f"Kea reclaims expired leases for {most_ms} ms every {wait_s} s; "
                         "scripts/dhcp expire measures how many that are.")
    return Reclaimed(None, "Kea reclaims all expired leases at once, and answers no client "
                     "meanwhile.")


def expiry_text(kea: Kea, clients: int) -> str:
    """Whether Kea reclaims as many leases as can expire."""
    hour, text = reclaimed(kea)
    if all(subnet.lifetime >= FOREVER for subnet in kea.used):
        return "Leases without end do not expire."
    if not hour or not clients:
        return text
    expired = math.ceil(kea.expiring_in_an_hour(clients))
    many = "1 lease expires" if expired == 1 else f"{short(expired)} leases expire"
    if expired <= hour:
        return f"{text}  If no client comes back, {many} in the first hour: enough."
    return f"{text}  If no client comes back, {many} in the first hour.  The others wait; Kea " \
        "reclaims one at once if a client needs its address."


def changes(kea: Kea, clients: int, fast_enough: bool | None) -> list[Change]:
    """Settings to change, the most urgent first.  clients: 0 if not known.  fast_enough: None if
    that is not known, or if some measured settings are."""
    found = [*pair_changes(kea), *database_changes(kea), *memfile_changes(kea, clients)]
    if fast_enough is False:
        found.append(Change("valid-lifetime", "longer, or another lease-database", where(
            kea, "valid-lifetime"), "no measured setting of this store is fast enough: see SPEED."))
    return [*found, *expiry_changes(kea, clients), *thread_changes(kea, clients, fast_enough),
            *cache_changes(kea)]


def where(kea: Kea, name: str) -> str:
    """The place of a setting; of an inherited one, of the first subnet that is used."""
    return kea.places.get(name) or place(kea.used[0].members, name, kea.path)


def change(kea: Kea, name: str, value: str | int, why: str) -> Change:
    return Change(name, value, where(kea, name), why)


def pair_changes(kea: Kea) -> list[Change]:
    """Changes for servers that share leases."""
    if kea.ha is None:
        return []
    found, sends, syncs = [], kea.values["send-lease-updates"], kea.values["sync-leases"]
    if "lease_cmds" not in kea.hooks:
        found.append(Change("hooks-libraries", "add libdhcp_lease_cmds.so", place(
            kea.site, "hooks-libraries", kea.path), "libdhcp_ha.so needs it to send leases "
            "(arm/hooks-ha)."))
    if not sends and not kea.is_database:
        found.append(change(kea, "send-lease-updates", "true", "the partner does not learn of "
                            "leases, and grants their addresses (arm/hooks-ha)."))
    elif sends != syncs and kea.is_database:
        name = "sync-leases" if syncs else "send-lease-updates"
        found.append(change(kea, name, "false", "both send-lease-updates and sync-leases are false "
                            "if the servers share or replicate their database, and both are true "
                            "if they do not (arm/hooks-ha)."))
    if kea.shares_database and "flq" in kea.allocators:
        found.append(change(kea, "allocator", "random", "flq is not suitable for a database that "
                            "servers share: it never learns which leases the other server "
                            f"reclaimed (arm/dhcp{kea.family}-srv)."))
    if kea.is_pair and kea.values["max-response-delay"] <= kea.values["heartbeat-delay"]:
        found.append(change(kea, "max-response-delay", 6 * kea.values["heartbeat-delay"],
                            "it should be a multiple of heartbeat-delay, or the partner seems to "
                            "be down between two heartbeats (arm/hooks-ha)."))
    if kea.is_pair and kea.remote_host and sends and syncs:
        found.append(change(kea, "send-lease-updates", "false, and sync-leases: false", "if both "
                            f"servers use the database on {kea.remote_host}, or replicas of it.  "
                            "If each has a database of its own, leave both true (arm/hooks-ha)."))
    return found


def database_changes(kea: Kea) -> list[Change]:
    """Changes for a site whose leases are in a database server."""
    if not kea.is_database:
        return []
    page, found = f"arm/dhcp{kea.family}-srv", []
    tries, wait_ms = kea.values["max-reconnect-tries"], kea.values["reconnect-wait-time"]
    if not tries:
        also = "" if wait_ms else ", with reconnect-wait-time: 5000"
        found.append(change(kea, "max-reconnect-tries", f"10{also}", "with 0 Kea exits when it "
                            f"loses its database: a restart of the database ends DHCP ({page})."))
    elif not wait_ms:
        found.append(change(kea, "reconnect-wait-time", 5000, "with 0 Kea exits when it loses its "
                            f"database, whatever max-reconnect-tries is ({page})."))
    if kea.values["on-fail"].startswith("serve"):
        found.append(change(kea, "on-fail", "stop-retry-exit", "Kea answers clients without its "
                            f"leases, of which its manual warns ({page})."))
    return found


def memfile_changes(kea: Kea, clients: int) -> list[Change]:
    """Changes for a site whose leases are in a file."""
    if kea.is_database:
        return []
    page, found = f"arm/dhcp{kea.family}-srv", []
    if not kea.values["persist"]:
        return [change(kea, "persist", "true", "Kea forgets its leases when it ends, and then "
                       f"grants addresses that are in use ({page}).")]
    if kea.values["name"].startswith(FORGETFUL):
        found.append(change(kea, "name", "a file on a disk", "this directory is usually in memory, "
                            "or emptied when the machine starts: then every lease is lost."))
    if not kea.values["lfc-interval"]:
        grown = clients / kea.renew_s * 86400 * ROW_BYTES / 1e6
        rate = f", about {short(grown)} MB a day" if grown >= 0.1 else ""
        found.append(change(kea, "lfc-interval", 3600, f"the file grows with each renewal{rate}, "
                            "and Kea reads all of it when it starts (arm/lfc)."))
    return found


def expiry_changes(kea: Kea, clients: int) -> list[Change]:
    """Changes for expired leases, where it does harm that they wait."""
    hour, expired = reclaimed(kea).per_hour, kea.expiring_in_an_hour(clients)
    harms = []
    if kea.updates_dns:
        harms.append("expired leases keep their DNS names")
    if "flq" in kea.allocators:
        harms.append("flq grants no address whose lease expired")
    if hour == 0:
        why = " and ".join(harms) or "expired leases stay in the lease database and count as " \
            "assigned"
        return [change(kea, "reclaim-timer-wait-time", 10, f"{why} (arm/lease-expiration).")]
    if hour is None or not harms or expired <= hour:
        return []
    wait_s = math.floor(3600 * kea.values["max-reclaim-leases"] / expired)
    most = f", with max-reclaim-leases: {math.ceil(expired / 360000) * 100}" if wait_s < 1 else ""
    return [change(kea, "reclaim-timer-wait-time", f"{max(wait_s, 1)}{most}",
                   f"{short(expired)} leases can expire in an hour and {short(hour)} are "
                   f"reclaimed; until then {' and '.join(harms)} (arm/lease-expiration).")]


def thread_changes(kea: Kea, clients: int, fast_enough: bool | None) -> list[Change]:
    """Changes for threads and queues."""
    page, found = f"arm/dhcp{kea.family}-srv", []
    if kea.is_database and not fast_enough and clients > SMALL_SITE:
        count = THREADS[kea.kind, kea.family]
        why = f"while one waits for {kea.kind}, others work; Kea's manual recommends " \
            f"{count} threads"
        if not kea.values["enable-multi-threading"]:
            found.append(change(kea, "enable-multi-threading", f"true, with thread-pool-size: "
                                f"{count}", f"{why} ({page})."))
        elif kea.threads is None or kea.threads == 1:
            found.append(change(kea, "thread-pool-size", count, f"{why} ({page})."))
    if not kea.values["enable-multi-threading"]:
        return found
    if not kea.values["packet-queue-size"]:
        found.append(change(kea, "packet-queue-size", 64, "0 is no limit: Kea answers packets of "
                            f"clients that have long asked again ({page})."))
    if kea.values["enable-queue"]:
        found.append(change(kea, "enable-queue", "false", "with multi-threading Kea ignores it "
                            "(arm/congestion-handling)."))
    return found


def cache_changes(kea: Kea) -> list[Change]:
    """If clients renew while their leases still count as new (setLeaseReusable of Kea)."""
    for subnet in kea.used:
        if is_cached(subnet):
            by = "" if "cache-threshold" in subnet.members else " 3.0 by default"
            return [Change("cache-threshold", f"{subnet.renewal / subnet.lifetime / 2:.2g}",
                           place(subnet.members, "cache-threshold", kea.path),
                           f"Kea{by} gives a client that renews after "
                           f"{time_text(subnet.renewal)} no new time, only the rest of the old "
                           f"(arm/dhcp{kea.family}-srv).")]
    return []


def is_cached(subnet: Subnet) -> bool:
    """Whether a renewal comes so early that Kea repeats the lease."""
    age = subnet.value("cache-max-age")
    most = subnet.value("cache-threshold") * subnet.lifetime
    return subnet.lifetime < FOREVER and subnet.renewal < (most if age is None else min(most, age))


def safer_text(kea: Kea, clients: int, explain: bool) -> str:
    """How to keep leases that no setting of this file keeps; "" for a small site."""
    if kea.is_database or kea.ha is not None or not kea.values["persist"]:
        return ""
    if clients <= SMALL_SITE and not explain:
        return ""
    return "No setting of memfile keeps leases through a power cut or the loss of the machine.  " \
        "A second Kea server does (libdhcp_ha.so, which needs libdhcp_lease_cmds.so: arm/hooks-" \
        "ha), or a database that syncs each commit (README.md)."
