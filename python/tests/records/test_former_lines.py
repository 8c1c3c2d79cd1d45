# SPDX-License-Identifier: ISC
"""Lines of ubench-result/1: the sentences of their runners, and what they say in today's form."""

from __future__ import annotations

from pathlib import Path

import pytest
import samples

from ubench.records import former_lines
from ubench.records.observation import DurabilityClass, Loss, Lost, Product, Setting, Warned

FLUSH_0 = "innodb_flush_log_at_trx_commit=0, log_bin=OFF, the log is written once a second"
ASYNCHRONOUS = "synchronous_commit=off, fsync=on, full_page_writes=on, wal_sync_method=fdatasync, "
LOSSES = {
    "nothing": Lost(Loss.NOTHING),
    "bounded": Lost(Loss.BOUNDED),
    "unbounded": Lost(Loss.UNBOUNDED),
}


@pytest.mark.parametrize(
    ("cls", "text", "kill", "power"),
    [
        ("power-safe", "fdatasync for each change", "nothing", "nothing"),
        ("bounded", "journal_mode=delete, synchronous=1 (NORMAL)", "nothing", "bounded"),
        ("process-safe", "one write(2) for each change", "nothing", "unbounded"),
        ("volatile", "journal_mode=off", "unbounded", "unbounded"),
        ("none", "nothing is stored", "unbounded", "unbounded"),
        ("volatile", FLUSH_0, "bounded", "bounded"),
        ("volatile", f"{FLUSH_0}, the binary log whenever the system does it", "bounded",
         "bounded"),
        ("volatile", f"{FLUSH_0}, without innodb_doublewrite power loss can tear pages",
         "unbounded", "unbounded"),
        ("volatile", f"{ASYNCHRONOUS}lease4 permanent: a killed backend takes the last commits "
         "with it", "bounded", "bounded"),
        ("volatile", f"{ASYNCHRONOUS}lease4 unlogged: a crash of the server empties it",
         "unbounded", "unbounded"),
    ],
)
def test_losses_follow_from_the_class_and_its_sentence(
    cls: str, text: str, kill: str, power: str
) -> None:
    durability = samples.observe(samples.former_store(cls=cls, text=text)).durability
    assert durability.cls is DurabilityClass(cls)
    assert (durability.kill, durability.power) == (LOSSES[kill], LOSSES[power])
    assert durability.basis == durability.text == text
    assert durability.node_loss is None


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("innodb_flush_log_at_trx_commit=1, log_bin=ON, sync_binlog=1", [
            Setting("innodb_flush_log_at_trx_commit", "1", "flush 1"), Setting("log_bin", "ON"),
            Setting("sync_binlog", "1", decisive=True)]),
        ("log_bin=ON, sync_binlog=0", [
            Setting("log_bin", "ON"), Setting("sync_binlog", "0", "binlog 0")]),
        ("log_bin=OFF, sync_binlog=0", [
            Setting("log_bin", "OFF"), Setting("sync_binlog", "0")]),
        ("journal_mode=wal, synchronous=1 (NORMAL)", [
            Setting("journal_mode", "wal"), Setting("synchronous", "NORMAL", "normal")]),
        ("without innodb_doublewrite power loss can tear pages", [
            Setting("innodb_doublewrite", "OFF", "no doublewrite")]),
        ("persist=false: no file", [Setting("persist", "false", "persist false")]),
        ("persist=true", [Setting("persist", "true")]),
        ("full_page_writes=off", [Setting("full_page_writes", "off", "pages off")]),
        ("one write(2) for each change", []),
    ],
)
def test_settings_are_in_the_sentence(text: str, settings: list[Setting]) -> None:
    durability = samples.observe(samples.former_store(text=text)).durability
    assert list(durability.settings) == settings
    assert durability.setting("log_bin") == next(
        (each.value for each in settings if each.name == "log_bin"), None
    )


@pytest.mark.parametrize(
    ("word", "loss"),
    [("yes", Loss.NOTHING), ("no", Loss.UNBOUNDED), ("unknown", Loss.UNKNOWN)],
)
def test_the_loss_of_a_machine(word: str, loss: Loss) -> None:
    form = {"class": "power-safe", "from": "x", "node_loss": word}
    line = samples.former_store("pgsql", durability=form)
    assert samples.observe(line).durability.node_loss == Lost(loss)


@pytest.mark.parametrize(
    ("store", "facts", "product", "keeper"),
    [
        ("sqlite", {"SQLite": "3.40.1 (WAL)"}, Product("SQLite", "3.40.1", "3.40.1 (WAL)"),
         "sqlite"),
        ("mysql", {"MariaDB": "10.11.19-x, y"}, Product("MariaDB", "10.11.19-x", "10.11.19-x, y"),
         "mysql"),
        ("memfile", {}, Product("memfile", None, ""), "memfile"),
        ("memfile", {"memfile": "of ubench"}, Product("memfile", None, "of ubench"), "memfile"),
        ("kea", {"Kea": "2.2.0, postgresql"}, Product("Kea", "2.2.0", "2.2.0, postgresql"),
         "pgsql"),
        ("kea", {"Kea": "2.2.0, mysql"}, Product("Kea", "2.2.0", "2.2.0, mysql"), "mysql"),
        ("kea", {"Kea": "2.2.0, memfile"}, Product("Kea", "2.2.0", "2.2.0, memfile"), "memfile"),
    ],
)
def test_the_first_fact_is_the_product(
    store: str, facts: dict[str, str], product: Product, keeper: str
) -> None:
    observation = samples.observe(samples.former_store(store, facts=facts))
    assert (observation.product, observation.keeper) == (product, keeper)
    assert observation.product.full_name == (f"{product.name} {product.text}" if facts and
                                             product.text else "")


def test_the_oldest_warnings_are_one_text() -> None:
    text = (
        "other work used 30 % of the CPU time; it said; so; the load was 2.0 before the run, on 2 "
        "cores; the clocksource is hpet"
    )
    observation = samples.observe(samples.former_store(warning=text))
    assert observation.warnings == (
        Warned("other-work", "other work used 30 % of the CPU time; it said; so: rates too low"),
        Warned("load", "the load was 2.0 before the run, on 2 cores: rates may be low"),
        Warned("slow-clock", "the clocksource is hpet"),
    )
    odd = samples.observe(samples.former_store(warning="odd"))
    assert odd.warnings == (Warned("other", "odd"),)
    later = samples.former_store(warning="odd", warnings=[{"code": "later", "text": "as it is"}])
    assert samples.observe(later).warned == "as it is"


@pytest.mark.parametrize(
    ("workload", "exchanges"),
    [("phases", False), ("search", False), ("update", False), ("churn", False), ("renew", True),
     ("fill", True)],
)
def test_exchanges_follow_from_the_workload(workload: str, exchanges: bool) -> None:
    line = samples.former_store(parameters={"workload": workload})
    assert samples.observe(line).load.exchanges is exchanges


def test_exchanges_of_a_line_without_workload_follow_from_the_run() -> None:
    line = samples.former_store(rates=[("create", 5)])
    del line["parameters"]["workload"]
    assert not samples.observe(line).load.exchanges
    line["runs"][0]["together"] = True
    assert samples.observe(line).load.exchanges


def test_floors_are_baselines() -> None:
    floors = {
        "clock_ns": 20, "fdatasync_ns": None, "fdatasync_min_ns": None, "round_trip_ns": None,
        "harness_ns": 5.5,
    }
    baselines = samples.observe(samples.former_store(floors=floors)).baselines
    assert (baselines.clock_ns, baselines.harness_ns, baselines.fdatasync_ns) == (20, 5.5, None)


@pytest.mark.parametrize(
    ("goals", "rate"),
    [
        ([samples.goal("a", 100, 110, in_time_per_s=99), samples.goal("b", 90, 95)], 90),
        ([samples.goal("a", 100, 110), samples.goal("b", 90, 95, verified=False)], None),
        ([samples.goal("a", 100, 110), samples.goal("b", None, 95)], None),
    ],
)
def test_a_search_sustained_what_all_of_its_goals_confirmed(
    goals: list[samples.Line], rate: float | None
) -> None:
    """Then `sustained_per_s` was the lowest bound, and not the answers in time."""
    runs = [samples.open_run(goals=goals, sustained_per_s=12345)]
    observation = samples.observe(samples.former_store(runs=runs))
    assert observation.runs[0].open_loop is not None
    assert observation.runs[0].open_loop.sustained == rate
    assert [sample.rate for sample in observation.samples] == ([] if rate is None else [rate])


def test_another_wording_of_today_changes_no_verdict() -> None:
    line = samples.store("pgsql", "bounded")
    before = samples.observe(line).durability
    line["durability"]["from"] = FLUSH_0
    after = samples.observe(line).durability
    assert (after.kill, after.power, after.settings, after.basis) == (
        before.kill, before.power, before.settings, before.basis)


def test_sentences_are_read_nowhere_else() -> None:
    """No other module has a pattern and reads the text of a durability."""
    for path in Path(former_lines.__file__).parents[1].rglob("*.py"):
        if path.name != "former_lines.py":
            text = path.read_text()
            assert "durability.text)" not in text or "import re\n" not in text, path
