# SPDX-License-Identifier: ISC
"""Brings lines of ubench-result/1 into the form of ubench-result/2.

They say in a sentence what a line of today says in members. The patterns for the sentences of those
versions are here, and nowhere else: they never change, since no program writes such sentences any
more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ubench.records.decoding import JsonObject
from ubench.records.observation import KEA_DATABASE_TYPES

FORMER_FORMAT = "ubench-result/1"
NOTHING, BOUNDED, UNBOUNDED = "nothing", "bounded", "unbounded"
# The losses by a kill of the process and by a power cut, by class.
LOSSES_OF_CLASS = {
    "none": (UNBOUNDED, UNBOUNDED),
    "volatile": (UNBOUNDED, UNBOUNDED),
    "process-safe": (NOTHING, UNBOUNDED),
    "bounded": (NOTHING, BOUNDED),
    "power-safe": (NOTHING, NOTHING),
}
# All that the runners said of a volatile database that loses no more than its last second. What is
# not one of these sentences, word for word, counts as any number.
LAST_SECOND = re.compile(
    "synchronous_commit=off, fsync=on, full_page_writes=on, wal_sync_method=[a-z_]+, "
    "lease[46] permanent(, no commit waits for a standby)?"
    ": a killed backend takes the last commits with it"
    "|innodb_flush_log_at_trx_commit=0, log_bin="
    "(OFF|ON, sync_binlog=[0-9]+|ON, binlog_storage_engine=innodb)"
    ", the log is written once a second(, the binary log whenever the system does it)?",
    re.IGNORECASE,
)
NODE_LOSS = {"yes": NOTHING, "no": UNBOUNDED, "unknown": "unknown"}

# A setting and its value in a sentence: "synchronous=1 (NORMAL)"; or one that is off.
SETTING = re.compile(
    r"(?P<name>[a-z_]+)=(?P<value>[A-Za-z0-9_-]+)(?: \((?P<level>[A-Z]+)\))?"
    r"|without innodb_(?P<without>doublewrite)"
)
# The names of settings in a small table, and the values that it names.
LABELS = {
    "innodb_flush_log_at_trx_commit": ("flush {}", "[0-9]"),
    "synchronous_commit": ("sync {}", "[a-z_]+"),
    "full_page_writes": ("pages {}", "off"),
    "innodb_doublewrite": ("no doublewrite", "OFF"),
    "persist": ("persist {}", "false"),
}

# Workloads whose operations are not exchanges.
NO_EXCHANGES = ("phases", "search", "update", "churn")

# The oldest versions wrote all warnings as one text: the code of each, how it begins, and its
# meaning, which the text of today says itself.
OLD_WARNINGS = (
    ("steal", "the hypervisor took away ", ": rates too low"),
    ("other-work", "other work used ", ": rates too low"),
    ("load", "the load was ", ": rates may be low"),
    ("cpu-limit", "the control group's CPU limit ", ": it sets the rates"),
    ("not-durable", "more changes per second ", ""),
    ("slow-clock", "the clocksource ", ""),
)
WARNING_STARTS = re.compile("; (?=" + "|".join(re.escape(row[1]) for row in OLD_WARNINGS) + ")")


def bring_forward(line: Mapping[str, Any]) -> JsonObject:
    """Return the line as a runner of today would have written it."""
    forward = {**line, "durability": durability_members(line["durability"])}
    forward["product"] = product(line["store"], line["facts"])
    forward["baselines"] = line.get("floors", {})
    if "warnings" not in line:
        forward["warnings"] = split_warnings(line.get("warning", ""))
    workload = line["parameters"].get("workload", "")
    forward["runs"] = [_run(run, workload) for run in line["runs"]]
    return forward


def _run(run: Mapping[str, Any], workload: str) -> JsonObject:
    # Without a name, only exchanges come at a rate or are mixed.
    is_mix = "trials" in run or run.get("together", False)
    exchanges = workload not in NO_EXCHANGES if workload else is_mix
    forward = {**run, "exchange": {"exchanges": exchanges}}
    if "goals" in run:
        forward["sustained_per_s"] = _sustained(run["goals"])
    return forward


def _sustained(goals: list[Mapping[str, Any]]) -> float | None:
    """Return the lowest rate of answers in time, if all goals were confirmed.

    In these lines `sustained_per_s` is the lowest bound.
    """
    if not goals or not all(goal["verified"] and goal["in_time_per_s"] for goal in goals):
        return None
    rate: float = min(goal["in_time_per_s"] for goal in goals)
    return rate


# ---- Durability


def durability_members(members: Mapping[str, Any]) -> JsonObject:
    """Return the durability of a line, with the members of today."""
    node_loss = members.get("node_loss")
    forward = {**members, "node_loss": node_loss}
    if isinstance(node_loss, str):
        forward["node_loss"] = {"loss": NODE_LOSS[node_loss]}
    if "kill" in members:
        return forward
    text = members["from"] or ""
    kill, power = losses(members["class"], text)
    forward.update(kill=kill, power=power, settings=settings(text), reasons=[], basis=text)
    return forward


def losses(cls: str | None, text: str) -> tuple[JsonObject | None, JsonObject | None]:
    """Return what a kill and a power cut lose; None for published figures: it is not known."""
    if cls is None:
        return None, None
    if cls == "volatile" and LAST_SECOND.fullmatch(text):
        return {"loss": BOUNDED}, {"loss": BOUNDED}
    kill, power = LOSSES_OF_CLASS[cls]
    return {"loss": kill}, {"loss": power}


def settings(text: str) -> list[JsonObject]:
    """Return the settings in a sentence, as they were read back."""
    return [_setting(text, match) for match in SETTING.finditer(text)]


def _setting(text: str, match: re.Match[str]) -> JsonObject:
    if match["without"]:
        return {"name": "innodb_doublewrite", "value": "OFF", "label": "no doublewrite"}
    name, value, level = match["name"], match["value"], match["level"]
    setting: JsonObject = {"name": name, "value": level or value}
    is_logged = text[: match.start()].endswith("log_bin=ON, ")
    if label := _label(name, value, level, is_logged):
        setting["label"] = label
    # A binary log loses the last changes unless it is synced.
    if name == "sync_binlog" and setting["value"] == "1" and is_logged:
        setting["decisive"] = True
    return setting


def _label(name: str, value: str, level: str | None, is_logged: bool) -> str:
    """Return the name of a setting in a small table; "" if it is not in it."""
    if name == "synchronous" and level:
        return level.lower()
    if name == "sync_binlog":
        return "binlog 0" if value == "0" and is_logged else ""
    form, values = LABELS.get(name, ("", ""))
    return form.format(value.lower()) if re.fullmatch(values, value) else ""


# ---- The product, and warnings


def product(store: str, facts: Mapping[str, str]) -> JsonObject:
    """Return the product of the first fact, whose text has the version: "10.11.19-MariaDB, ...".

    Of a lease manager of Kea it says where the leases are: "2.2.0, postgresql".
    """
    name, text = next(iter(facts.items()), (store, ""))
    version = re.match("[0-9][^ ,]*", text)
    keeper = store
    if store == "kea":
        stores = (store for store, kea_type in KEA_DATABASE_TYPES.items() if kea_type in text)
        keeper = next(stores, "memfile")
    return {"name": name, "version": version[0] if version else None, "keeper": keeper}


def split_warnings(text: str) -> list[JsonObject]:
    """Return the warnings in one text, each with its code, "other" if it is not known."""
    return [_warning(part) for part in WARNING_STARTS.split(text) if part]


def _warning(text: str) -> JsonObject:
    for code, start, meaning in OLD_WARNINGS:
        if text.startswith(start):
            return {"code": code, "text": text + meaning}
    return {"code": "other", "text": text}
