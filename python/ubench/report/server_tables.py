# SPDX-License-Identifier: ISC
"""Tables of whole DHCP servers under perfdhcp, as scripts/dhcp measures them.

The figure of a search is its conditional throughput, in the words of RFC 9971. Other commands have
one trial, at a given rate or of a storm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ubench import units
from ubench.records.observation import Observation
from ubench.records.server import ServerMeasurement
from ubench.report.grouping import Group, Section
from ubench.report.table import Output, Table, numbers, texts
from ubench.stats import Summary, median, summarise

PARTS = ("server", "store", "load")  # that have processor time of their own
BOUNDS_HEADS = ("lower", "upper", "strict")
LOST_HEAD = "lost"  # of imported runs, which have no bounds
RATES_NOTE = (
    "A whole DHCP server under perfdhcp. lower, upper: the relevant bounds of RFC 9971, in clients "
    "per second: the highest load at which two of three trials lost few clients, and the lowest "
    "load above it at which they lost more. Of several runs: the lowest and the highest. leases/s: "
    "new leases per second at the lower bound: the median of its trials and of the runs, with its "
    "interval, or the lowest and highest run. strict: the same for a loss of at most 0.1 %, from "
    "the same trials. us: processor time for each lease, of the server, its database and perfdhcp."
)
EARLIER_NOTE = (
    "found by an earlier search, which reported the maximum of its trials: it has no bounds, and "
    "a noisy server looks faster than it is."
)
ROUGH_NOTE = (
    "rough: the trials were shorter than 10 s, in which a server that queues looks faster."
)
IMPORTED_NOTE = (
    "imported: perfdhcp's own rate, which counts its wait for the last answers; lost: the clients "
    "without a lease. ubench did not watch these runs."
)


# ---- Searches of the highest rate


def measurements(observations: Iterable[Observation]) -> list[ServerMeasurement]:
    """Return what was measured of whole servers."""
    return [each.server for each in observations if each.server is not None]


def search_tables(section: Section) -> tuple[Table, Table]:
    """Return the highest rates of a section with their bounds, and the processor time."""
    is_imported = all(
        is_import(each) for group in section.groups for each in measurements(group.observations)
    )
    bounds_heads = (LOST_HEAD,) if is_imported else BOUNDS_HEADS
    heads = ("leases/s", "from", "to", *bounds_heads, "runs")
    rates = Table([*texts("DHCP server"), *numbers(*heads)])
    times = Table([*texts("processor time"), *numbers("server us", "db us", "load us")])
    for group in section.groups:
        summary = summarise([sample.rate for sample in group.samples])
        searches = measurements(group.observations)
        bounds_cells = (_lost_cell(searches),) if is_imported else _bounds_cells(searches)
        rates.add(
            group.label,
            *_rate_cells(summary, is_published=group.cls is None),
            *bounds_cells,
            len(group.samples),
        )
        times.add(group.label, *(_cost_cell(group, part) for part in PARTS))
    return rates, times


def _rate_cells(summary: Summary | None, *, is_published: bool) -> tuple[str | None, ...]:
    """Return a rate, and its interval or range; of published rates all digits."""
    if summary is None:
        return None, None, None
    text = units.figure
    if is_published:
        text = _whole
    if len(summary.values) == 1:
        return text(summary.median), None, None
    return text(summary.median), text(summary.low), text(summary.high)


def is_import(measurement: ServerMeasurement) -> bool:
    """Return True for what perfdhcp printed of a run that ubench did not watch."""
    return "imported" in measurement.members


def _lost_cell(imports: Iterable[ServerMeasurement]) -> str | None:
    """Return the largest share of clients without a lease, of imported runs."""
    members = [each.members["imported"] for each in imports]
    shares = [float(each["lost"]) for each in members if isinstance(each, Mapping)]
    return f"{max(shares) * 100:.3g} %" if shares else None


def _whole(value: float) -> str:
    return units.count(units.half_up(value))


def _cost_cell(group: Group, part: str) -> str | None:
    """Return the median of a part's processor time for each lease, in us."""
    complete = measurements(each for each in group.observations if not each.incomplete)
    costs = [each.best.cost_us(part) if each.best else None for each in complete]
    summary = summarise([cost for cost in costs if cost is not None])
    return f"{summary.median:.0f}" if summary else None


def _bounds_cells(searches: Iterable[ServerMeasurement]) -> tuple[str | None, ...]:
    """Return the relevant bounds of some runs, and the rate for the second goal."""
    goals = [search.goals for search in searches if search.goals]
    lower = [first.lower for first, *_ in goals if first.lower is not None]
    upper = [first.upper for first, *_ in goals if first.upper is not None]
    strict = [second.rate for _, *others in goals for second in others[:1]]
    known_strict = [rate for rate in strict if rate is not None]
    is_bounded = bool(upper) and len(upper) == len(goals)
    return (
        units.count(_number(min(lower))) if lower else None,
        units.count(_number(max(upper))) if is_bounded else None,
        units.figure(median(known_strict)) if known_strict else None,
    )


def _number(offered: float) -> int:
    """Return a rate that perfdhcp offers, which is a whole number."""
    return units.half_up(offered)


def search_notes(observations: Iterable[Observation]) -> list[str]:
    """Return the limits of the rates of these observations."""
    searches = measurements(observations)
    counts = (
        (sum(search.is_earlier for search in searches), EARLIER_NOTE),
        (sum(search.rough for search in searches), ROUGH_NOTE),
        (sum(map(is_import, searches)), IMPORTED_NOTE),
    )
    return [f"{count} of {len(searches)} rates: {note}" for count, note in counts if count]


def bounds_table(named: Iterable[tuple[str, Sequence[Observation]]]) -> Table:
    """Return the relevant bounds of the rates of servers, by name; without rows if none has."""
    heads = ("leases/s", "lower bound", "upper bound", "strict")
    table = Table([*texts("whole server"), *numbers(*heads)])
    for name, observations in named:
        searches = measurements(observations)
        rates = [search.goals[0].rate for search in searches if search.goals]
        known = [rate for rate in rates if rate is not None]
        if known:
            table.add(name, units.figure(median(known)), *_bounds_cells(searches))
    return table


def title_of_server(section: Section) -> str:
    """Return what a heading says of the servers of a section, and no label does; "" for stores.

    That is the kind of a pair or the number of several servers and, of searches, the version and
    the threads that all have.
    """
    observations = [group.first for group in section.groups if group.is_server]
    if not observations:
        return ""
    parts = []
    pairs = {each.parameters.get("ha", "") for each in observations}
    if len(pairs) == 1 and pairs != {""}:
        parts.append(f"{pairs.pop()} pair")
    servers = {each.parameters.get("servers", "") for each in observations}
    if len(servers) == 1 and servers != {""}:
        parts.append(f"{servers.pop()} servers on one database")
    if not section.first.load.open:
        versions = {f"{each.program} {each.program_version}" for each in observations}
        parts.append(versions.pop() if len(versions) == 1 else "DHCP servers")
        threads = {each.parameters.get("threads", "") for each in observations}
        if len(threads) == 1:
            number = threads.pop()
            parts.append("1 thread" if number == "1" else f"{number} threads")
    return "".join(f"{part}, " for part in parts)


# ---- What a trial at a given rate has besides


@dataclass(frozen=True)
class TrialTable:
    """A table of trials that have a member, or a command, of this name."""

    name: str
    head: str
    columns: Mapping[str, str]  # the head of each column, and the member
    note: str

    def make(self, named: Iterable[tuple[str, ServerMeasurement]]) -> Table:
        """Return the table of these measurements."""
        table = Table([*texts(self.head), *numbers(*self.columns)])
        for label, measurement in named:
            if self.name == measurement.command or self.name in measurement.members:
                values = self._members(measurement)
                table.add(label, *(_value_cell(values[name]) for name in self.columns.values()))
        return table

    def _members(self, measurement: ServerMeasurement) -> Mapping[str, object]:
        details = measurement.members.get(self.name)
        return {
            **measurement.members,
            **measurement.trials[0].members,
            **(details if isinstance(details, Mapping) else {}),
        }


TRIAL_TABLES = (
    TrialTable(
        "failover",
        "a server killed",
        {
            "lost": "lost",
            "back after [s]": "back_s",
            "killed's alone": "only_killed",
            "other's alone": "only_survivor",
            "again after": "again_s",
            "differ": "differ",
        },
        "Lost clients; seconds until 9 of 10 had answers again; leases that only the killed server "
        "had, and only the other; seconds from its restart to its service; leases that differ "
        "then.",
    ),
    TrialTable(
        "server_loss",
        "one of several killed",
        {
            "lost": "lost",
            "others lost": "others_lost",
            "others/s before": "others_before_per_s",
            "after": "others_after_per_s",
            "no answer [s]": "others_silent_s",
            "again after": "again_s",
        },
        "Of several servers on one database: clients of the killed server without an answer, and "
        "of the others; leases per second of the others until then and from then on; seconds in "
        "which the others granted none; seconds from its restart until all served.",
    ),
    TrialTable(
        "conflicts",
        "cluster",
        {"nodes": "nodes", "failed certification": "certification", "aborted": "aborted"},
        "Commits that failed because another node of the Galera cluster had changed the same row, "
        "and transactions that such a change ended before they committed.",
    ),
    TrialTable(
        "heard",
        "several servers",
        {
            "offers": "offers",
            "offered twice": "offered_twice",
            "grants": "grants",
            "granted twice": "granted_twice",
            "refused": "refusals",
            "missed": "missed",
        },
        "Of several servers on one database, what clients heard: addresses that were offered, or "
        "granted, to more than one client of a trial; requests that were refused (DHCPNAK); "
        "answers that were not recorded. Each granted lease is in the database.",
    ),
    TrialTable(
        "expire",
        "leases that ran out",
        {
            "leases": "leases",
            "reclaimed": "reclaimed",
            "in an hour": "per_hour",
            "left": "left",
            "no answer [s]": "silent_s",
        },
        "In an hour: by the time since the server started.",
    ),
    TrialTable(
        "start",
        "start",
        {"leases": "leases", "answers after [s]": "start_s", "memory [MB]": "memory_mb"},
        "From the start of the server to its first answer, with leases in its store.",
    ),
    TrialTable(
        "lfc",
        "lease file",
        {
            "leases": "leases",
            "clean-up [s]": "duration_s",
            "memory [MB]": "memory_mb",
            "no answer [s]": "silent_s",
        },
        "The time and the memory of kea-lfc.",
    ),
)


def _value_cell(value: object) -> str | None:
    if isinstance(value, int):
        return units.count(value)
    return units.figure(value) if isinstance(value, float) else None


# ---- Printing


def print_search_notes(sections: Sequence[Section], out: Output) -> None:
    """Print the meaning and the limits of the tables of searches, if there are any."""
    if not sections:
        return
    out.note(RATES_NOTE)
    groups = [group for section in sections for group in section.groups]
    for note in search_notes(each for group in groups for each in group.observations):
        out.note(note)


def print_server_trials(sections: Iterable[Section], out: Output) -> None:
    """Print what searches and trials of servers, in sections of any kind, have besides rates."""
    named = [
        (group.label, measurement)
        for section in sections
        for group in section.groups
        for measurement in measurements(group.observations)
    ]
    for trial_table in TRIAL_TABLES:
        table = trial_table.make(named)
        if table.rows:
            out.gap()
            out.tables(table)
            out.note(trial_table.note)


def print_warnings(sections: Iterable[Section], out: Output) -> None:
    """Print one warning of the servers in these sections, and how many have one."""
    servers = [
        each
        for section in sections
        for group in section.groups
        for each in group.observations
        if each.server is not None
    ]
    warned = [each for each in servers if each.warnings]
    if warned:
        text = warned[0].warned
        out.warning(f"{len(warned)} of {len(servers)} results of servers: {text}")
