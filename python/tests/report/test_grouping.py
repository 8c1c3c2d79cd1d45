# SPDX-License-Identifier: ISC
"""Groups and sections of observations, and their labels."""

from __future__ import annotations

import random

import pytest
import samples
from samples import phase, run, store

from ubench.records.observation import Loss, Observation
from ubench.report import grouping, stores
from ubench.report.grouping import Section


def observe(*lines: samples.Line) -> tuple[Observation, ...]:
    """Observations of lines, each a second younger than the one before."""
    dated = [
        {**line, "started_at": f"2026-11-01T00:00:{second:02}Z"}
        for second, line in enumerate(lines)
    ]
    return samples.read_lines(dated).all_observations()


def names(sections: tuple[Section, ...]) -> list[tuple[str, list[str]]]:
    return [(section.heading, [group.label for group in section.groups]) for section in sections]


def renew(name: str = "memfile", cls: str = "power-safe", **parameters: str) -> samples.Line:
    return store(name, cls, parameters={key.replace("_", "-"): value
                                        for key, value in parameters.items()})


@pytest.fixture(autouse=True)
def _meanings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No runner need be built."""
    meanings = {cls.value: f"the meaning of {cls.value}" for cls in grouping.DurabilityClass}
    monkeypatch.setattr(grouping.described, "meanings", lambda: meanings)


def test_a_group_is_a_configuration_and_its_label_says_what_differs() -> None:
    lines = [
        renew(threads=threads, seed=seed, output="x" + seed)
        for threads in ("16", "4")
        for seed in "12"
    ]
    (section,) = grouping.configurations(observe(*lines))
    assert names((section,)) == [
        ("power-safe, renew", ["memfile, threads=4", "memfile, threads=16"])
    ]
    assert [len(group.runs) for group in section.groups] == [2, 2]
    assert [group.differs for group in section.groups] == ["threads=4", "threads=16"]
    assert section.meaning == "the meaning of power-safe"


def test_two_definitions_of_one_file_are_not_one_configuration() -> None:
    step = {"name": "s", "operation": "find_by_address", "changes": False, "count": 1}

    def line(*definition: str) -> samples.Line:
        kind = {"name": "mine", "weight": 1, "leases": 1, "searches": 1, "changes": 0,
                "steps": [step], "definition": list(definition)}
        return renew(workload="@mine.txt") | {
            "runs": [run(phase("mine", 100), exchange={"exchanges": True, "kinds": [kind]})]}

    short, long = line("exchange mine"), line("exchange mine", "renew hit")
    (section,) = grouping.configurations(observe(short, long, short))
    assert [len(group.observations) for group in section.groups] == [2, 1]
    assert all("definition=" in group.label for group in section.groups)
    elsewhere = renew(workload="@/elsewhere/mine.txt") | {"runs": short["runs"]}
    assert section.load == "mine"
    (alone,) = grouping.configurations(observe(short, elsewhere))
    assert [group.label for group in alone.groups] == ["memfile"]


def test_sql_of_a_file_tells_configurations_apart() -> None:
    def line(*sql: str) -> samples.Line:
        return renew(sql="mine.sql") | {"sql": list(sql)}

    own, first = renew(), line("remove:", "DELETE")
    other = line("remove:", "DELETE FROM")
    (section,) = grouping.configurations(observe(own, first, other, first))
    assert sorted(len(group.observations) for group in section.groups) == [1, 1, 2]
    labels = sorted(group.label for group in section.groups)
    assert sum("sql=mine.sql, statements=" in label for label in labels) == 2
    assert len(set(labels)) == 3


def test_sections_go_from_the_safest_class_to_what_was_published() -> None:
    published = list(samples.published("guide-2012"))
    lines = [renew(cls="volatile"), *published, renew(cls="power-safe"), renew(cls="bounded")]
    headings = [section.title for section in grouping.configurations(
        samples.read_lines(lines).observations)]
    assert headings == ["power-safe", "bounded", "volatile", "published, -s yes",
                        "published, -s no"]


def test_work_tells_configurations_apart_and_not_setups() -> None:
    observations = observe(renew(preload="10"), renew(preload="20"), store(rates=[("dora", 5)]))
    assert names(grouping.configurations(observations)) == [
        ("power-safe, dora", ["memfile"]),
        ("power-safe, renew", ["memfile, preload=10", "memfile, preload=20"]),
    ]
    (section,) = grouping.setups(observations)
    assert names((section,)) == [("power-safe", ["memfile"])]
    assert len(section.groups[0].samples) == 3


def test_settings_and_builds_tell_groups_apart() -> None:
    facts = {"memfile": "1.0", "Kea build-id": "0123456789", "connection": "TCP to h, port 1"}
    lines = [
        store(facts=facts),
        store(facts={**facts, "connection": "TCP to h, port 2"}),
        store(facts={**facts, "Kea build-id": "9876543210"}),
    ]
    (section,) = grouping.configurations(observe(*lines))
    assert [(group.label, len(group.runs)) for group in section.groups] == [
        ("memfile, Kea build-id=01234567", 2),
        ("memfile, Kea build-id=98765432", 1),
    ]


def test_a_class_with_other_settings_is_another_configuration() -> None:
    other = store(durability=samples.durability("power-safe", settings=[
        {"name": "fsync", "value": "on"}]))
    (section,) = grouping.configurations(observe(store(), other))
    assert len(section.groups) == 2
    reworded = store(durability=samples.durability("power-safe", **{"from": "in other words"}))
    (section,) = grouping.configurations(observe(store(), reworded))
    assert len(section.groups) == 1


def test_stores_are_in_the_order_of_the_results() -> None:
    lines = [renew("sqlite"), renew("memfile"), renew("sqlite", threads="4")]
    ((_, labels),) = names(grouping.configurations(observe(*lines)))
    assert labels == ["sqlite, threads=1", "sqlite, threads=4", "memfile, threads=1"]


def test_the_order_of_lines_changes_no_group() -> None:
    lines = [renew(name, threads=threads, preload=preload) for name in ("memfile", "sqlite")
             for threads in ("1", "4") for preload in ("10", "9")]
    expected = {frozenset(labels) for _, labels in names(grouping.configurations(observe(*lines)))}
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        made = grouping.configurations(observe(*lines))
        assert {frozenset(labels) for _, labels in names(made)} == expected


def test_sections_with_the_same_heading_are_told_apart_by_their_phases() -> None:
    lines = [store(rates=[("create", 5)]), store(rates=[("create", 5), ("search", 5)])]
    headings = [section.heading for section in grouping.configurations(observe(*lines))]
    assert headings == ["power-safe, phases create", "power-safe, phases create, search"]


def test_whole_servers_are_a_section_of_their_own() -> None:
    observations = observe(samples.server("memfile"), renew())
    assert names(grouping.setups(observations)) == [
        ("power-safe, renew", ["memfile"]),
        ("power-safe server, server rate", ["kea-dhcp4/memfile"]),
    ]
    assert [section.title for section in grouping.configurations(observations)] == [
        "power-safe", "power-safe"]


def test_runs_that_were_cut_short_are_counted() -> None:
    cut = run(phase("renew", 1), incomplete=True)
    (section,) = grouping.configurations(observe(
        store(runs=[run(phase("renew", 100)), cut]),
        store(runs=[cut])))
    (group,) = section.groups
    assert (len(group.runs), group.incomplete, len(group.samples)) == (1, 2, 1)
    goals = [samples.server_goal(1000, 1050, 1000)]
    failed = samples.server(rate=None, goals=[samples.server_goal(None, 9, None)])
    (section,) = grouping.configurations(observe(samples.server(goals=goals), failed))
    assert (section.groups[0].incomplete, len(section.groups[0].samples)) == (1, 1)


@pytest.mark.parametrize(
    ("losses", "worst"),
    [
        (["nothing"], Loss.NOTHING),
        (["nothing", "unknown"], Loss.UNKNOWN),
        (["unknown", "unbounded", "nothing"], Loss.UNBOUNDED),
        ([None, "nothing"], Loss.NOTHING),
        ([None], None),
    ],
)
def test_the_loss_of_a_machine_is_the_worst_that_was_told(
    losses: list[str | None], worst: Loss | None
) -> None:
    lines = [
        store("pgsql", durability=samples.durability(
            "power-safe", node_loss={"loss": loss} if loss else None))
        for loss in losses
    ]
    (section,) = grouping.setups(observe(*lines))
    assert section.groups[0].node_loss is worst


def test_groups_are_in_the_order_of_time() -> None:
    first, second = observe(renew(), renew(seed="2"))
    assert grouping.make_group([second, first]).observations == (first, second)


def test_references_count_only_if_there_is_nothing_else() -> None:
    reference, cell = observe(store(labels={"role": "reference"}), store())
    assert grouping.without_references([reference, cell]) == [cell]
    assert grouping.without_references([reference]) == [reference]


# ---- Stores


def test_stores_and_their_products() -> None:
    observation = samples.observe(
        store(
            "kea",
            facts={"Kea": "2.2.0, mysql", "MariaDB": "10.11.4-x"},
            product={"name": "Kea", "version": "2.2.0", "keeper": "mysql"},
        )
    )
    assert stores.store_of(observation).name == "mysql"
    assert stores.database(observation) == stores.Version("MariaDB", "10.11.4")
    assert stores.kea(observation) == stores.Version("Kea", "2.2.0")
    unknown = samples.observe(samples.store("later"))
    assert stores.store_of(unknown) is stores.OTHER
    assert (stores.database(unknown), stores.kea(unknown)) == (None, None)
