# SPDX-License-Identifier: ISC
"""Lines of the runners: ubench-result/2, and ubench-result/1 brought forward to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ubench.described import is_by_level
from ubench.records import former_lines
from ubench.records.members import Line, durability, histogram, warnings
from ubench.records.observation import (
    DISK_ROLE,
    Activity,
    Amount,
    Baselines,
    Block,
    How,
    Load,
    Observation,
    Origin,
    Phase,
    PlannedExchange,
    Product,
    Replay,
    Run,
    Sample,
    Source,
    Step,
)
from ubench.records.open_loop_lines import open_loop
from ubench.records.schema import Damaged
from ubench.records.where import read_where
from ubench.units import scan_count

# The kinds of operations and exchanges that bring a lease into the store.
CREATE_LEASES = ("create", "dora", "sarr")


def observe(line: Line, source: Source) -> Observation:
    """Return the observation of a line that its schema accepts.

    Raises Damaged if the line is a part of a run that was split into several, of which it says
    nothing.
    """
    if line["format"] == former_lines.FORMER_FORMAT:
        line = former_lines.bring_forward(line)
    if len(line.get("parts", ())) == 1:
        raise Damaged("the line has one part of a run that was split into several")
    runs = tuple(run(members) for members in line["runs"])
    asked = requested_load(line, runs[0])
    published = line.get("published", "")
    facts, product = line["facts"], line["product"]
    return Observation(
        source=source,
        origin=Origin.RUNNER,
        program=line["program"],
        program_version=line["version"],
        store=line["store"],
        keeper=product["keeper"],
        product=Product(product["name"], product["version"], facts.get(product["name"], "")),
        durability=durability(line["durability"]),
        where=read_where(line.get("where")),
        load=asked,
        samples=samples(runs, asked, block(line.get("labels", {})), bool(published)),
        runs=runs,
        parameters=line["parameters"],
        sql=tuple(line.get("sql", ())),
        facts=facts,
        labels=line.get("labels", {}),
        host=line["host"],
        baselines=Baselines(**line.get("baselines", {})),
        started_at=line.get("started_at", ""),
        published=published,
        incomplete=line.get("incomplete", False),
        error=line.get("error", ""),
        warnings=warnings(line.get("warnings", [])),
    )


# ---- The configuration


def requested_load(line: Line, first: Run) -> Load:
    """Return what a runner was asked to do. Options that a line lacks had their defaults."""
    parameters = line["parameters"]
    return Load(
        workload=workload_name(parameters.get("workload", ""), first.exchanges),
        family=6 if parameters.get("ipv6") == "yes" else 4,
        threads=count_option(parameters, "threads", 1),
        batch=batch_size(parameters.get("batch", "1")),
        preload=count_option(parameters, "preload", 0),
        exchanges=line["runs"][0]["exchange"]["exchanges"],
        open=first.open_loop is not None,
        levels=is_by_level(parameters.get("workload", "")),
        reference=line.get("labels", {}).get("role") in ("reference", DISK_ROLE),
        server_time=bool(parameters.get("server-time")),
        in_series=parameters.get("trips", "series") == "series",
        shares_pool="allocator" in parameters,
    )


NAMED_EXCHANGES = 3  # of a file, in the name of its workload


def workload_name(typed: str, exchanges: Sequence[PlannedExchange]) -> str:
    """Return the name of a workload: that of its option, or for a file what the file has.

    A file is named like a mix, "portal-guest=9,portal-stranger=1": its path says nothing.
    """
    if not typed.startswith("@") or not any(each.definition for each in exchanges):
        return typed
    if len(exchanges) == 1:
        return exchanges[0].name
    weights = [f"{each.name}={each.weight}" for each in exchanges]
    more = [f"{len(weights) - NAMED_EXCHANGES} more"] if len(weights) > NAMED_EXCHANGES else []
    return ",".join([*weights[:NAMED_EXCHANGES], *more])


def batch_size(value: str) -> int:
    """Return the most operations in a commit, by the value of --batch: 16, 5ms or 16,5ms.

    0 if a time alone limits it.
    """
    return scan_count(value.partition(",")[0]) or 0


def count_option(parameters: Mapping[str, str], name: str, default: int) -> int:
    """Return the value of an option that is a whole number above 0."""
    return scan_count(parameters.get(name, "")) or default


def block(labels: Mapping[str, str]) -> Block | None:
    """Return the block of a campaign that a line belongs to."""
    if "block" not in labels:
        return None
    return Block(labels.get("campaign", ""), labels.get("order-seed", ""), labels["block"])


# ---- Runs


def run(members: Line) -> Run:
    """Return one run."""
    return Run(
        phases=tuple(phase(each) for each in members["phases"]),
        incomplete=members.get("incomplete", False),
        together=members.get("together", False),
        verified=members.get("verified", False),
        exchanges=tuple(exchange(kind) for kind in members["exchange"].get("kinds", ())),
        turns=members.get("turns"),
        store_operations=members.get("store_operations"),
        store_rate=members.get("store_rate_per_s"),
        leases_left=members.get("leases_left"),
        read_back=members.get("read_back"),
        read_back_of=members.get("read_back_of"),
        digest=members.get("digest", ""),
        reconnect=members.get("reconnect", {}),
        replay=replay(members.get("replay")),
        activity=activity(members.get("activity")),
        open_loop=open_loop(members),
    )


def replay(members: Line | None) -> Replay | None:
    """Return the replay of a trace."""
    if members is None:
        return None
    return Replay(
        speed=members["speed"],
        leases=members["leases"],
        changes=members["changes"],
        seconds=members["seconds"],
        lateness=histogram(members["lateness"]),
        series=tuple((changes, p99_ns) for changes, p99_ns in members["series"]),
    )


def activity(members: Line | None) -> Activity | None:
    """Return what the store did. Raises Damaged if a figure is not of all samples."""
    if members is None:
        return None
    figures = {name: tuple(values) for name, values in members.items() if name != "second"}
    seconds = tuple(members["second"])
    if any(len(values) != len(seconds) for values in figures.values()):
        raise Damaged("activity: its figures do not have one value for each second")
    return Activity(seconds, figures)


def phase(members: Line) -> Phase:
    """Return one phase. Published figures have names, operations and times alone."""
    return Phase(
        name=members["name"],
        operations=members["operations"],
        elapsed_ns=members["elapsed_ns"],
        incomplete=members.get("incomplete", False),
        hits=members.get("hits"),
        misses=members.get("misses"),
        begun_ns=members["begun_ns"],
        latency=histogram(members.get("latency")),
        commit=histogram(members.get("commit")),
        seconds=tuple((operations, p99_ns) for operations, p99_ns in members.get("series", ())),
        usage=members.get("usage") or {},
        steps=tuple(step(each) for each in members.get("steps", ())),
        deadlocks=members.get("deadlocks"),
        conflicts=members.get("conflicts"),
        stale=members.get("stale"),
        allocation=members.get("allocation", {}),
        round_trips=members.get("round_trips"),
    )


def step(members: Line) -> Step:
    """Return one step of an exchange, as it was counted."""
    return Step(
        name=members["name"],
        operation=members["operation"],
        count=members["count"],
        latency=histogram(members["latency"]),
        predicted=members.get("predicted"),
    )


def exchange(members: Line) -> PlannedExchange:
    """Return one exchange of a mix, as it is defined."""
    return PlannedExchange(
        name=members["name"],
        weight=members["weight"],
        definition=tuple(members.get("definition", ())),
    )


# ---- Samples


def samples(
    runs: Sequence[Run], asked: Load, of_block: Block | None, is_published: bool
) -> tuple[Sample, ...]:
    """Return the rates of the complete runs: of phases or exchanges, or as a search found them."""
    return tuple(
        sample
        for number, run in enumerate(runs)
        if run.is_complete(runs[0])
        for sample in (
            closed_samples(run, number, asked, of_block, is_published)
            if run.open_loop is None
            else searched_samples(run, number, asked, of_block)
        )
    )


def closed_samples(
    run: Run, number: int, asked: Load, of_block: Block | None, is_published: bool
) -> list[Sample]:
    """Return a sample for each phase or exchange of a closed loop."""
    is_mixed = run.together and len(run.phases) > 1
    fewest = min(phase.operations for phase in run.phases)
    return [
        Sample(
            name=phase.name,
            rate=phase.rate,
            how=How.MIXED if is_mixed else How.ALONE,
            operations=phase.operations,
            elapsed_s=phase.elapsed_ns / 1e9,
            leases=leases(run, asked),
            run=number,
            block=of_block,
            amount=None if is_published else Amount(fewest, run.elapsed_ns / 1e9),
        )
        for phase in run.phases
    ]


def searched_samples(
    run: Run, number: int, asked: Load, of_block: Block | None
) -> list[Sample]:
    """Return the rate that a search confirmed for all goals; none of a mix, a trial or a storm."""
    sustained = run.open_loop.sustained if run.open_loop else None
    if not sustained or len(run.phases) != 1:
        return []
    phase = run.phases[0]
    return [
        Sample(
            name=phase.name,
            rate=sustained,
            how=How.SUSTAINED,
            operations=phase.operations,
            elapsed_s=phase.elapsed_ns / 1e9,
            leases=leases(run, asked),
            run=number,
            block=of_block,
        )
    ]


def leases(run: Run, asked: Load) -> int:
    """Return leases in the store when the last operation of a run was done."""
    created = (run.phase(name) for name in CREATE_LEASES)
    return asked.preload + sum(phase.operations for phase in created if phase is not None)
