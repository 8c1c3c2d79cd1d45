# SPDX-License-Identifier: ISC
"""The words of the answer: for each verdict a whole sentence, with places for figures and names.

`sentences` chooses among them and fills them in. No sentence is built of pieces.
"""

from __future__ import annotations

from collections.abc import Mapping

from ubench.report.capacity.evidence import Doubt, Search
from ubench.report.capacity.fit import Verdict
from ubench.report.capacity.rates import Unknown
from ubench.report.capacity.setups import PowerLoss
from ubench.report.capacity.site import Demand

# ---- The site

HEADLINE = "{clients}, leases of {lease}, all restart in {restart}"
HEADLINE_BY_FILE = (
    "{clients} and {renewals} changes/s, their lease file's worst minute; all restart in {restart}"
)
ASSUMED_LEASE = "{lease} (--lease-time)"
NEEDS_OF_ONE = (
    "1 client with a lease of {lease} needs {renewals} renewals per second, and {restarts} "
    "restarts per second if it restarts within {restart}"
)
NEEDS = (
    "{clients} clients with leases of {lease} need {renewals} renewals per second, and {restarts} "
    "restarts per second if all restart within {restart}"
)
NEEDS_BY_FILE = (
    "{clients} clients need {renewals} changes per second, as in the worst minute of their lease "
    "file, and {restarts} restarts per second if all restart within {restart}"
)
NEEDS_BY_FILE_OF_ONE = (
    "1 client needs {renewals} changes per second, as in the worst minute of its lease file, and "
    "{restarts} restarts per second if it restarts within {restart}"
)
SERVES = "{rate} renewals per second serve {clients} clients with leases of {lease}"
SERVES_ALL = (
    "{rate} renewals per second serve {clients} clients with leases of {lease}: IPv4 has no more "
    "addresses"
)


# ---- SPEED

PUBLISHED = "Published or imported, not measured by ubench."
EVERY_KEA_STORE = (
    "Every measured store of Kea is fast enough: at least {times} times the required rate."
)
ONE_KEA_STORE = "{store} is fast enough: at least {times} times the required rate."
EVERY_OTHER_STORE = (
    "Every measured store is fast enough, but Kea has none of them: at least {times} times the "
    "required rate."
)
VERDICTS: Mapping[Verdict, str] = {
    Verdict.ENOUGH: "Fast enough: {stores}.",
    Verdict.NEAR: "Between 1 and {headroom} times the required rate: {stores}.",
    Verdict.SLOW: "Too slow: {stores}.",
}
VERDICT_STORES: Mapping[Verdict, str] = {  # how they are named there
    Verdict.ENOUGH: "{store}",
    Verdict.NEAR: "{store} ({times} times)",
    Verdict.SLOW: "{store}",
}
NOT_KNOWN = "Not known."
NOT_KNOWN_OF = "Not known: {stores}."
NOT_BEYOND = "Not known, as we do not extrapolate beyond {most} times the leases tested."
NOT_BEYOND_OF = (
    "Not known, as we do not extrapolate beyond {most} times the leases tested: {stores}."
)
MEASURE_RATE: Mapping[Demand, str] = {
    Demand.RENEWALS: "Measure the renewals: {command} -O FILE.",
    Demand.RESTARTS: "Measure the restarts: {command} -O FILE.",
}
OTHER_RATE: Mapping[Demand, str] = {
    Demand.RENEWALS: "The slowest store restarts clients at {times} times the required rate.",
    Demand.RESTARTS: "The slowest store renews leases at {times} times the required rate.",
}
MEASURE_LEASES = "Measure with {option}={leases}."
NO_SYNC = (
    "--sync cannot be computed for {stores}: syncs were not measured, or their number is not known."
)


# ---- Where the database was

COMPUTED_NETWORK = "Computed with {time} more for each round trip to the database (--rtt)."
REMOTE = "The database was on another machine (--rtt adds to it)."
REMOTE_TIMED = (
    "The database was on another machine: a round trip took {time} (--rtt adds to it)."
)
SOME_REMOTE = "Some databases were on another machine, others were local (--rtt adds to both)."
SOME_REMOTE_TIMED = (
    "Some databases were on another machine, where a round trip took {time}; others were local "
    "(--rtt adds to both)."
)
LOCAL = "Databases were local (--rtt=1ms adds a network)."
LOCAL_TIMES = "Databases were local; at --rtt=1ms it is {times} times."


# ---- SERVERS, on one database

SHARED_NEED = (
    "Each of {servers} servers on one database has to do {renewals} renewals/s and {restarts} "
    "restarts/s; if one fails, {renewals_left} and {restarts_left}."
)
SHARED_NEED_BY_FILE = (
    "Each of {servers} servers on one database has to do {renewals} changes/s and {restarts} "
    "restarts/s; if one fails, {renewals_left} and {restarts_left}."
)
MEASURE_SHARED = "scripts/duel -O shared.jsonl @shared-{store}"
NO_SEVERAL = (
    "No result has several servers.  Each of them does at most what one does alone; all together "
    "may do more or less than that, because their clients compete for addresses and locks.  To "
    "know: {command}"
)
TOGETHER: Mapping[Verdict, str] = {
    Verdict.ENOUGH: (
        "Together they serve {rate} new clients/s ({store}, {case}): {times} times the required "
        "restarts, enough."
    ),
    Verdict.NEAR: (
        "Together they serve {rate} new clients/s ({store}, {case}): {times} times the required "
        "restarts; {headroom} times is enough."
    ),
    Verdict.SLOW: (
        "Together they serve {rate} new clients/s ({store}, {case}): {times} times the required "
        "restarts, too slow."
    ),
    Verdict.UNKNOWN: "{servers} servers were not measured ({store}, {case}).",
}
WITHOUT_ONE = "If one fails, it is {times} times."
FOR_NEW_CLIENTS = (
    "This assumes that no client has a lease; a client that has one needs no new address."
)
NEW_CLIENTS = "{clients}."
ONE_SERVES = "1 server serves {rate}/s"
SOME_SERVE = "{servers} servers serve {rate}/s"
CASE = "{allocator}"
CASE_FULL = "{allocator}, a pool {full} full"
CASE_THREADS = "{allocator}, {threads} each"
CASE_FULL_THREADS = "{allocator}, a pool {full} full, {threads} each"
WORTH = "{servers} serve {ratio} times as many ({low} to {high})"
WORTH_UNSURE = "{servers} serve {ratio} times as many"
ORDER = "Scale in this order: {steps}."
ORDER_UNKNOWN = (
    "The order in which to scale is not known: {least} runs of each case are needed, in one sweep "
    "or duel: {command}"
)
NOTHING_GAINS = "No change that was measured is shown to gain more than 3 %."
SERVERS_STEP = "from {before} to {after} servers ({ratio} times)"
FULL_STEP = "the pool from {before} full to {after} ({ratio} times)"
ALLOCATOR_STEP = "the allocator from {before} to {after} ({ratio} times)"
EXPERIMENTAL_STEP = (
    "the allocator from {before} to {after}, experimental in Kea 3.2 ({ratio} times)"
)
THREADS_STEP = "from {before} to {after} threads in each server ({ratio} times)"
SERVERS_FASTER = "{after} servers are faster than {before} ({low} to {high} times)."
SERVERS_SLOWER = "{after} servers are slower than {before} ({low} to {high} times)."
SERVERS_SAME = "{after} servers gain nothing over {before} ({low} to {high} times)."
SERVERS_UNSURE = "No gain of {after} servers over {before} is shown ({low} to {high} times)."
MOST_MEASURED = "The most that was measured is {rate}/s with {servers} ({case})."
SAFETY_LAST = "Only then give up safety: {store}, which can lose leases, is {ratio} times as fast."
NOT_ELSEWHERE = "These are as measured, without --rtt and --sync."
OTHER_SCALINGS = "Other settings: --explain."
SCALING = "{store}, {case}: {text}"
SHARED_NOTE = (
    "servers on one database, whose clients compete for the addresses of one pool.  new/s: new "
    "clients of all servers together, with half of the 95 % interval.  times: as many as with "
    "the fewest servers of the row.  lost: offers whose address another client had been given "
    "meanwhile.  Renewals, and restarts with a lease, take no address"
)


# ---- SAFETY

NOTHING_LOST = "If nothing may be lost: {stores}."
NOTHING_LOST_IS_SLOW = "The stores of Kea that lose nothing are too slow here."
NOTHING_LOST_UNMEASURED = (
    "Every measured store of Kea can lose leases; MySQL and PostgreSQL can be set to lose none."
)
NO_KEA_STORE = "No store of Kea was measured; MySQL and PostgreSQL can be set to lose nothing."
LATEST_LOST = "If the last second may be lost: {stores}."
LATEST_LOST_EITHER = (
    "If the last second may be lost: {stores}; or {others}, where it is also lost if only the "
    "database is killed."
)
LATEST_LOST_OR_KILL = (
    "If the last second may be lost, even if only the database is killed: {stores}."
)
LATEST_LOST_UNMEASURED = "No setting that may lose the last second was measured."
MEMFILE_LOSES = "With memfile a power cut can lose any number of recent leases."
WITH_SETTINGS = "{store} with {settings}"


# ---- The table

LOSSES: Mapping[PowerLoss, str] = {
    PowerLoss.NOTHING: "nothing",
    PowerLoss.LATEST: "the last second",
    PowerLoss.LATEST_OR_KILL: "the last second +",
    PowerLoss.ANY: "any number",
    PowerLoss.ANY_OR_KILL: "any number +",
    PowerLoss.UNKNOWN: "not known",
}
LAST_SECONDS: Mapping[PowerLoss, str] = {
    PowerLoss.LATEST: "the last {seconds} s",
    PowerLoss.LATEST_OR_KILL: "the last {seconds} s +",
}
REQUIRED = "required"
TIMES_ENOUGH = "({headroom} times is enough)"
MARKS: Mapping[str, str] = {
    "+": "+ also if only the process is killed.",
    "~": "~ estimated.",
    "#": "# published or imported, not measured by ubench.",
}
WHOLE_SERVERS = "* whole DHCP server."
SOME_SERVERS = "* whole DHCP server: do not compare it with rows without *."
TESTED = "> at least: not extrapolated beyond {most} times the leases tested ({leases})."
TESTED_RANGE = (
    "> at least: not extrapolated beyond {most} times the leases tested ({fewest} to {leases})."
)


# ---- COST

FASTER = "{name} is {ratio} times as fast as {other} ({low} to {high})."
ABOUT = "{name} is about {ratio} times as fast as {other}."
NO_DIFFERENCE = "{name} and {other} differ by less than 3 %."
NOT_SHOWN = "No difference is shown between {name} and {other} ({low} to {high} times as fast)."
INTERVALS = "Renewals, run by run; ranges are 95 % intervals."
STORES_ALONE = "Stores compared without Kea."


# ---- TRUST

ONE_TOO_SHORT = (
    "1 run was too short to count (under {seconds} s or {exchanges} exchanges): {names}."
)
TOO_SHORT = (
    "{count} runs were too short to count (under {seconds} s or {exchanges} exchanges): {names}."
)
AND_MORE = "{names} and {count} more"
AND_OTHERS = "{names} and others"
MEASURED_BY_OTHERS = "ubench measured none of these figures."
IN_TURN = "The stores took turns, so a slow moment hit all of them."
UNDISTURBED = "{results}, none disturbed."
DOUBTS: Mapping[Doubt, str] = {
    Doubt.DISTURBED: "Other work disturbed {count} of {results}.",
    Doubt.LIMITED: "A CPU limit held back {count} of {results}.",
    Doubt.NOT_CONFIRMED: "The rate was not confirmed in {count} of {results}.",
    Doubt.LOAD: "The load was the limit in {count} of {results}; that server may do more.",
    Doubt.OTHER: "There are other warnings in {count} of {results}.",
}
SLOWEST_RUN = "The slowest run reached {times} times the required rate."
SLOWEST_MOMENT = "Even the slowest moment had {times} times the required rate."
SEARCHES: Mapping[Search, str] = {
    Search.ROUGH: "Found by a quick search (--quick): {count} of {rates}.",
    Search.EARLIER: "Maximum of an earlier search: {count} of {rates}.",
}
SYNC_TOOK = "A sync took {time}."
SYNC_TOOK_ON = "A sync took {time} ({disks})."
DISKS = "Disk: {disks}."
OWN_DISK = "A sync takes {yours} on your disk: add --sync={option}."
OWN_DISK_TIMES = "A sync takes {yours} on your disk; at --sync={option} it is {times} times."
SYNC_COMPUTED = "Computed for a disk that syncs in {time}."
SYNC_COMPUTED_FROM = (
    "Computed for a disk that syncs in about {time}; the measured disk took {measured}."
)


# ---- MORE

MORE_ROWS = "{rows}: --explain."
MORE_DETAILS = "Classes and costs: --explain."
MEASURE_KEA = "Kea's own stores, with databases: scripts/bench.sh kea."
MEASURE_DATABASE = "Your own database: README.md."
MEASURE_SERVER = "A whole Kea or your own database: README.md."


# ---- Rates that are not known

UNKNOWN: Mapping[Unknown, str] = {
    Unknown.NO_RUN: "no run is complete",
    Unknown.NOT_MEASURED: "neither {exchange} nor its steps were measured",
    Unknown.BATCHED: "several leases were committed together; a server commits each by itself",
    Unknown.SERVER_TIME: "the rates contain a server's time",
    Unknown.TRIPS: "--trips was used, which Kea does not have",
    Unknown.SHARED_POOL: "clients competed for the addresses of one pool (--allocator, --servers)",
    Unknown.MIXED: "in a mix, the rate of one exchange depends on the others",
    Unknown.NOT_CONFIRMED: "no rate of the open loop was confirmed",
    Unknown.DISK: "another sync cannot be computed: syncs were not measured or are not known",
}
SUSTAINED = "{exchange}, sustained"
AT_MOST = "a server's new leases"


# ---- --explain

SECTION_WITH_ORDER = "{title}: {meaning}.  Faster: {order}"
SECTION = "{title}: {meaning}"
SERVERS_NOTE = (
    "side by side, each with its own store and its own part of the subnets.  Of '1 to 3' the rates "
    "need 1; with 3 no server has more than {most} times the leases tested.  To know how many are "
    "needed, measure the leases under 'limited by' (--preload, or --leases of scripts/dhcp)"
)
CHANCE_NOTE = (
    "a renews faster, by more than chance.  a = b, uncertain: it may be chance.  An interval "
    "without 1 does not prove a difference, because many pairs are compared at once"
)
FEW_RUNS_NOTE = "any difference may be chance: {least} runs of each are needed (scripts/sweep)"
MEDIAN = "the median of {runs}"
MEDIAN_AT_LEAST = "the median of at least {runs}"
OTHER_THREADS = " with {threads} (--where threads={others}: the others)"
ESTIMATED_NOTE = "~ marks estimates"
LIMITED_BY_LEASES = "leases: measure {leases}"
BATCH_BEST = (
    "{store}, {exchange}: --batch={batch} is the best point: {rate}/s, where single commits have "
    "{single}/s.  At {load}/s, which the site requires, 99 % are answered within {delay} "
    "(measured at {offered}/s)"
)
BATCH_BEST_ALONE = (
    "{store}, {exchange}: --batch={batch} is the best point: {rate}/s; single commits were not "
    "measured.  At {load}/s, which the site requires, 99 % are answered within {delay} (measured "
    "at {offered}/s)"
)
BATCH_NOT_NEEDED = (
    "{store}, {exchange}: no batch is faster than single commits ({rate}/s) and answers 99 % "
    "within {patience} at {load}/s, which the site requires (measured at {offered}/s)"
)
BATCH_TOO_SLOW = (
    "{store}, {exchange}: none answers 99 % within {patience} at {load}/s, which the site requires"
)
BATCH_NOT_KNOWN = (
    "{store}, {exchange}: the site requires {load}/s, and delays were not measured below and above "
    "that: -w {exchange} --batch=N --rate={load}, with at least 1,000 requests"
)
BATCHES_NOTE = (
    "a server would commit several exchanges together and answer their clients then, which Kea "
    "does not do.  rate: in a closed loop.  p99: from a client's request to its answer, of the "
    "nearest rates on both sides of the required one the longer.  best: the fastest with at most "
    "{patience}, a tenth of the time after which a client of DHCPv6 asks again"
)
NOT_ALIKE = "not alike"  # two setups whose work differs
UNCERTAIN = "uncertain"  # a difference that may be chance
