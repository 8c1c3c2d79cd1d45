# SPDX-License-Identifier: ISC
"""Every sentence of the answer for a Kea configuration, with places for names and figures.

"arm/X" is a page of Kea's manual; if a sentence names one, the screen's last line has its address.
"""

from __future__ import annotations

from collections.abc import Mapping

from ubench.report.advice.losses import Keeper, MachineLoss
from ubench.report.advice.measured import PairMatch
from ubench.report.advice.population import Counted, Harm, Reclaiming

MANUAL = "arm/X is kea.readthedocs.io/en/latest/arm/X.html"
MANUAL_PAGE = "arm/"  # in a sentence that names a page
MORE = "--explain has more."

# ---- Kea's defaults

CHANGED_DEFAULT = "{value} since {since}, {before} before"
NO_VALUE = "none"
NOT_IN_FILE = "not in the file"
DEFAULT = "the default"

# ---- The headline

HEADLINE = "{file}: DHCPv{family}, {database}, {size}, {lifetimes}"
SERVERS = "{file} and {others} more"
LARGE_POOLS = "large pools"
NO_POOLS = "no pools"
ALIKE = "leases of {least}"
DIFFERENT = "leases of {least} to {most}"
FOREVER = "leases that never expire"
UNLIMITED = "unlimited"
SOME_FOREVER = "leases of {least} and more, some that never expire"

# ---- CLIENTS

ADDRESS = "address"
PREFIX = "prefix"
ADDRESS_AND_PREFIX = "address and each prefix"
CLIENTS: Mapping[Counted, str] = {
    Counted.GIVEN: "{clients} by {option}.",
    Counted.GIVEN_BEYOND_FILE: (
        "{clients} by {option}.  The file has only {addresses} in pools and {reservations} "
        "outside of them."
    ),
    Counted.ADDRESSES: "{clients}, one for each {pooled} of the pools (or --clients=N).",
    Counted.RESERVATIONS: "{clients}, one for each reserved address (or --clients=N).",
    Counted.ADDRESSES_AND_RESERVATIONS: (
        "{clients}, one for each {pooled} of the pools and each reservation outside of them "
        "(or --clients=N)."
    ),
    Counted.LARGE_POOLS: (
        "not known: the pools have {addresses}, more than there can be clients.  Add --clients=N."
    ),
    Counted.NOTHING: (
        "not known: the file has no pools and no reserved addresses.  Add --clients=N."
    ),
}

CONFIGURATION_DATABASE = (
    "Subnets in the configuration database are not read (config-control, {place})."
)
HOST_DATABASE = "Reservations in the database are not read ({name}, {place})."
CLASS_LIFETIMES = "Lifetimes of client classes are not counted; the shortest is {least}."
SHORT_CLASS_LIFETIMES = (
    "Lifetimes of client classes are not counted; if all clients had the shortest, {least}, that "
    "would be {renewals} renewals/s."
)
LIFETIMES_ON_REQUEST = (
    "Clients that ask for a lifetime get {least} to {most} (min-valid-lifetime, "
    "max-valid-lifetime), which is not counted."
)
RELATIONSHIPS = "This server keeps the leases of {count} HA relationships (arm/hooks-ha)."
OTHER_MEMBERS = "The file also has {names}, not counted here."
OTHER_SERVER = {
    4: "The file also has Dhcp6, not counted here (-6 counts it).",
    6: "The file also has Dhcp4, not counted here (leave out -6).",
}
OTHER_SERVER_SHARES = {
    4: "Dhcp6 has the same database, which must serve both; it is not counted (-6 counts it).",
    6: "Dhcp4 has the same database, which must serve both; it is not counted (leave out -6).",
}
FOREIGN_MEMBER = "a member of another name"
ABSENT_FILE = (
    "The included file {names} is missing, so its contents are not counted: copy it next to this "
    "file."
)
ABSENT_FILES = (
    "{count} included files are missing ({names}), so their contents are not counted: copy them "
    "next to this file."
)
ABSENT_DATABASE = "If lease-database is there, this answer, for memfile, does not hold."
SHARED_BY_FILES = (
    "These are the clients of {count} servers with one database; equal subnets count once."
)

# ---- POWER, KILL, MACHINE

POWER: Mapping[Keeper, str] = {
    Keeper.MEMORY: "A power cut loses every lease, because persist is false.",
    Keeper.MEMORY_FILE: (
        "A power cut or a restart of the machine loses every lease: the file's directory is in "
        "memory, or emptied when the machine starts."
    ),
    Keeper.FILE: (
        "A power cut loses any number of recent leases: Kea writes them to its file but never "
        "syncs it (docs/crashes.md)."
    ),
    Keeper.MYSQL: (
        "The database's settings decide what a power cut loses: nothing with "
        "innodb_flush_log_at_trx_commit=1 (and sync_binlog=1 if it has a binary log), the last "
        "second with 2."
    ),
    Keeper.POSTGRESQL: (
        "The database's settings decide what a power cut loses: nothing with "
        "synchronous_commit=on, up to 3 times wal_writer_delay (0.6 s by default) with off."
    ),
}
POWER_OF_SEVERAL: Mapping[Keeper, str] = {
    Keeper.MEMORY: "A power cut of all servers loses every lease, because persist is false.",
    Keeper.MEMORY_FILE: (
        "A power cut of all servers loses every lease: the file's directory is in memory, or "
        "emptied when the machine starts."
    ),
    Keeper.FILE: (
        "A power cut of all servers loses any number of recent leases: Kea writes them to its "
        "file but never syncs it (docs/crashes.md)."
    ),
}
POWER_MEASURED = "The database's settings decide; the table shows what a power cut loses."
SHOW_SETTINGS: Mapping[Keeper, str] = {
    Keeper.MYSQL: "To see them: SELECT @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog",
    Keeper.POSTGRESQL: "To see them: SHOW synchronous_commit; SHOW fsync",
}
KILL: Mapping[Keeper, str] = {
    Keeper.MEMORY: "If Kea is killed or restarted, every lease is lost.",
    Keeper.MEMORY_FILE: (
        "If Kea is killed, nothing is lost: Kea writes a lease to its file before it answers the "
        "client."
    ),
    Keeper.FILE: (
        "If Kea is killed, nothing is lost: Kea writes a lease to its file before it answers the "
        "client."
    ),
    Keeper.MYSQL: (
        "If Kea is killed, nothing is lost.  If the database is killed, the last second is lost "
        "with innodb_flush_log_at_trx_commit=0."
    ),
    Keeper.POSTGRESQL: (
        "If Kea is killed, nothing is lost.  If the database is killed, up to 3 times "
        "wal_writer_delay is lost with synchronous_commit=off."
    ),
}

DATABASE_LOST = "Losing {machine} loses every lease that no replica or backup of the database has."
ITS_MACHINE = "the machine"
MACHINE: Mapping[MachineLoss, str] = {
    MachineLoss.ALL: "Losing the machine loses every lease: no other machine has them.",
    MachineLoss.DATABASE: DATABASE_LOST,
    MachineLoss.PARTNER: (
        "Losing one Kea server loses no lease that it granted while its partner was up: the "
        "partner has each lease before the client (arm/hooks-ha)."
    ),
    MachineLoss.BACKUP: (
        "Losing the Kea server loses no lease: a backup has each lease before the client."
    ),
    MachineLoss.BACKUP_LATE: (
        "Losing the Kea server loses the leases that no backup has received yet, because "
        "wait-backup-ack is false."
    ),
    MachineLoss.SHARED_ELSEWHERE: (
        "Losing a Kea server loses no lease, because the leases are in the database "
        "(send-lease-updates is false)."
    ),
    MachineLoss.SHARED_HERE: (
        "This server sends no lease updates: losing the machine loses every lease that no replica "
        "or backup of its database has."
    ),
}
PERHAPS_SHARED = (
    "If both servers use the database on {machine}, losing that machine loses every lease that no "
    "replica or backup has."
)

# ---- SPEED

RENEWALS = "{clients} renew after {period}."
RENEWALS_BETWEEN = "{clients} renew after {least} to {most}."
RENEWAL_OF_ONE = "1 client renews after {period}."
REQUIRED = "That is {renewals} renewals/s, and {restarts} restarts/s if all are back in {period}."
REQUIRED_BY_LEASES = (
    "By the worst minute of the lease file that is {renewals} changes/s, and {restarts} restarts/s "
    "if all are back in {period}."
)
NO_RESULT = "No result of Kea's {database} with DHCPv{family} was given; {remedy}."
REMEDIES = {
    4: (
        "add our results (results/kea-3.0-2026-11.jsonl), or those of your machine "
        "(scripts/bench.sh kea)"
    ),
    6: "scripts/dhcp rate -6 measures it",
}
LESS_THAN = "less than 0.01"
CLIENTS_UNKNOWN = (
    "Not known without the number of clients.  The table has how many each store can serve."
)
PAIRS: Mapping[PairMatch, str] = {
    PairMatch.AS_CONFIGURED: "",
    PairMatch.NO_PAIR: (
        "These are single servers; how much slower a pair is was not measured: scripts/dhcp ha "
        "measures it."
    ),
    PairMatch.OTHER_MODE: "The measured pair is {measured}, and that of the file is {configured}.",
    PairMatch.PASSIVE_BACKUP: "passive-backup was not measured: these are single servers.",
    PairMatch.SHARED_DATABASE: "No pair with one database was measured: these are single servers.",
}
OTHER_THREADS = "Measured with {measured}; this file has {configured}."
AUTOMATIC_THREADS = (
    "Measured with {measured}; this file sets no number, so Kea starts one for each processor "
    "(before 2.3.5 a single one)."
)
ONE_THREAD = "1 thread"
SEVERAL_THREADS = "{counts} threads"
REMOTE_HOST = "This file has its database on {host}."
PERHAPS_SEVERAL = "If more servers use it, add --servers=N."

# ---- EXPIRE

RECLAIMING: Mapping[Reclaiming, str] = {
    Reclaiming.NEVER: "Kea reclaims no expired lease: reclaim-timer-wait-time is 0.",
    Reclaiming.LEASES: (
        "Kea reclaims at most {hour} expired leases an hour (max-reclaim-leases: {leases} every "
        "{wait_s} s)."
    ),
    Reclaiming.TIME: (
        "Kea reclaims expired leases for {time_ms} ms every {wait_s} s; scripts/dhcp expire "
        "measures how many that are."
    ),
    Reclaiming.UNLIMITED: (
        "Kea reclaims all expired leases at once, and answers no client meanwhile."
    ),
}
NO_EXPIRY = "These leases never expire."
ONE_EXPIRES = "If no client comes back, 1 lease expires in the first hour: Kea keeps up."
ENOUGH_RECLAIMED = (
    "If no client comes back, {expiring} leases expire in the first hour: Kea keeps up."
)
TOO_FEW_RECLAIMED = (
    "If no client comes back, {expiring} leases expire in the first hour, and the rest wait.  Kea "
    "reclaims one at once if a client needs its address."
)

# ---- FIRST and THEN: a parameter, its new value, its place, and why

CHANGE = "{name}: {value} ({place}): {reason}"
NO_CHANGE = "No parameter of this file needs a change."

NEEDS_LEASE_COMMANDS = "libdhcp_ha.so needs it to send leases (arm/hooks-ha)."
PARTNER_IGNORANT = (
    "the partner does not receive leases, and grants their addresses to other clients "
    "(arm/hooks-ha)."
)
BOTH_OR_NEITHER = (
    "send-lease-updates and sync-leases are both false if the servers share or replicate their "
    "database, and both true if they do not (arm/hooks-ha)."
)
FLQ_ON_SHARED_DATABASE = (
    "flq is not suitable for a database that servers share: it never learns which leases the "
    "other server reclaimed (arm/dhcp{family}-srv)."
)
ITERATIVE_ON_SHARED_DATABASE = (
    "servers that share a database and a pool offer the same addresses in the same order, so their "
    "clients lose them to each other (docs/dhcp.md); Kea 2.2 has no other allocator."
)
FEW_HEARTBEATS = (
    "it should be a multiple of heartbeat-delay; otherwise the partner seems to be down between "
    "two heartbeats (arm/hooks-ha)."
)
MAY_SHARE_DATABASE = (
    "if both servers use the database on {host}, or replicas of it.  If each has a database of "
    "its own, leave both true (arm/hooks-ha)."
)
NO_TRIES = (
    "with 0 Kea exits when it loses its database, so a restart of the database ends DHCP "
    "(arm/dhcp{family}-srv)."
)
NO_WAIT = (
    "with 0 Kea exits when it loses its database, whatever max-reconnect-tries is "
    "(arm/dhcp{family}-srv)."
)
SERVES_WITHOUT_LEASES = (
    "Kea answers clients without access to its leases, which its manual advises against "
    "(arm/dhcp{family}-srv)."
)
FORGETS_LEASES = (
    "Kea forgets its leases when it exits, and then grants addresses that are in use "
    "(arm/dhcp{family}-srv)."
)
FORGETFUL_FOLDER = "this directory is in memory, or emptied when the machine starts."
CONTAINER_LAYER = (
    "here this directory is in the container's own layer; removing the container loses every lease."
)
GROWS = "the file grows with each renewal, and Kea reads all of it when it starts (arm/lfc)."
GROWS_MUCH = (
    "the file grows with each renewal, about {growth} MB a day, and Kea reads all of it when it "
    "starts (arm/lfc)."
)
TOO_SLOW = "no measured setting of this store is fast enough: see SPEED."
NEVER_RECLAIMS = "{harm} (arm/lease-expiration)."
RECLAIMS_LITTLE = (
    "{expiring} leases can expire in an hour, but only {reclaimed} are reclaimed; meanwhile {harm} "
    "(arm/lease-expiration)."
)
FEW_PROCESSORS = (
    "without a number Kea starts a thread for each processor that it sees, {processors} here, but "
    "the container's limit is {limit}."
)
FEW_THREADS = (
    "while one waits for {database}, others work; Kea's manual recommends {threads} threads "
    "(arm/dhcp{family}-srv)."
)
ENDLESS_QUEUE = (
    "0 means no limit, so Kea answers packets whose clients have long asked again "
    "(arm/dhcp{family}-srv)."
)
USELESS_QUEUE = "with multi-threading Kea ignores it (arm/congestion-handling)."
CACHES = (
    "a client that renews after {renewal} gets no new lifetime, only what is left of the old one "
    "(arm/dhcp{family}-srv)."
)
CACHES_BY_DEFAULT = (
    "by default in Kea 3.0, a client that renews after {renewal} gets no new lifetime, only what "
    "is left of the old one (arm/dhcp{family}-srv)."
)

HARMS: Mapping[Harm, str] = {
    Harm.NAMES: "expired leases keep their DNS names",
    Harm.ALLOCATOR: "flq grants no address whose lease expired",
    Harm.BOTH: "expired leases keep their DNS names and flq grants no address whose lease expired",
    Harm.NONE: "expired leases stay in the lease database and count as assigned",
}

# ---- SAFER, FROM, CACHE

SAFER = (
    "No parameter of memfile keeps leases through a power cut or the loss of the machine.  A "
    "second Kea server does (libdhcp_ha.so, which needs libdhcp_lease_cmds.so: arm/hooks-ha), or a "
    "database that syncs each commit (README.md)."
)
FILES = "{files}."
MORE_FILES = "{files} and {others} more."
STORE_ALONE = "The rates do not include Kea's own work."
ONE_TOO_SHORT = "1 run was too short and is left out."
TOO_SHORT = "{count} runs were too short and are left out."
CACHE = (
    "Kea 3.0 writes nothing if a client asks again within a quarter of its lease "
    "(cache-threshold); a restart is counted as a write."
)
PLACE = "{place}"
PLACE_OF_SOME = "{place} ({count:,} of {subnets:,} subnets)"
OTHER_VALUES = "{count} other values or places"
