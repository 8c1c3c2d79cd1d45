# SPDX-License-Identifier: ISC
"""The sentences about lease files."""

from __future__ import annotations

HEADLINE = "{clients} with {leases} (IPv{family}) in {subnets}, as of {time} UTC"
HEADLINE_WITHOUT_SUBNETS = (
    "{clients} with {leases} (IPv{family}), as of {time} UTC; dhcpd's file names no subnets"
)

NO_LEASES = "The files have no lease that can be read."

HISTORY = (
    "The files record {changes} in {period}, from {begun} to {ended} UTC: {new} new, {renewed} "
    "renewed, {released} released, {declined} declined, {expired} expired."
)
SNAPSHOT = (
    "The files are a snapshot: they have the last transaction of each lease, and nothing before "
    "it. Clients that renew on time each appear once in the last half of their lifetime, so the "
    "rates of that time are right; earlier ones are lower limits. A snapshot does not tell new "
    "clients from renewals, and shows no releases by time. The server's own lease file, which is "
    "a log, does."
)
MIXED = "{records} of a snapshot come before the history; they say which clients were known."
UNCERTAIN = (
    "{uncertain} of the new clients may have renewed a lease from before the files begin. The "
    "snapshot would tell: give {hint} as well."
)
KEA_SNAPSHOT = "kea-leases4.csv.2 (or 6), which Kea keeps beside the file,"
DHCPD_SNAPSHOT = "the file from its beginning"

BUSIEST = (
    "At most {worst} changes/s in a minute ({renewed} renewals/s, {new} new clients/s), and "
    "{hour} in an hour, the one from {start}."
)
BUSIEST_SNAPSHOT = "At most {worst} transactions/s in a minute, and {hour} in an hour from {start}."
RENEW_AT = "Half of the renewals come before {share} of the lifetime is over."
CACHED = (
    "{share} of {renewals} came before {threshold} of the lifetime was over, so Kea with this "
    "cache-threshold writes nothing for them. A server whose cache is on does not record them."
)
NONE_CACHED = (
    "None of {renewals} came before {threshold} of the lifetime was over, so Kea with this "
    "cache-threshold writes all of them. A server whose cache is on does not record others."
)
NOT_CACHED = "Not known: no lease has two records."
BACKLOG = "{overdue} expired and not yet reclaimed, the oldest {oldest} ago; {others}."
NO_BACKLOG = "No expired lease waits to be reclaimed; {others}."
OTHERS = "{declined} declined, {reclaimed} reclaimed, {released} released"
RESTART = (
    "If all clients restart within {period}, {rate} ask per second; those of the largest subnet "
    "alone, {subnet_rate}."
)
RESTART_WITHOUT_SUBNETS = "If all clients restart within {period}, {rate} ask per second."
FOREVER = "never expires"
DAMAGED = "{path}:{line}: {what}; the line is left out"
AHEAD = (
    "{path}: most of its times are in the future, as in the lease files of ubench; the counts hold "
    "for its latest time"
)
STALE = (
    "{path}: {records} left out: an earlier file has later records of these leases; give the files "
    "of one server, the oldest first"
)
MORE_DAMAGED = "{lines} more are damaged and left out"
PARTIAL = (
    "Hours are in UTC; the first and the last one may not be whole. worst/s is the rate of the "
    "worst minute."
)
LEFT_OUT = "{hours} before these are left out; --format=json has all of them."
