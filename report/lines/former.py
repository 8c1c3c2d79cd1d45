# SPDX-License-Identifier: ISC
"""Brings lines of former formats into the form of ubench-result/2.

Lines of ubench-result/1 and ubench-kea/1 say in a sentence what a line of today says in members.
The patterns for the sentences of those versions are here, and nowhere else: they are never changed,
since no program writes such sentences any more."""

from __future__ import annotations

import re

from report import stores

FORMAT = "ubench-result/2"
NOTHING, BOUNDED, UNBOUNDED = LOSSES = ("nothing", "bounded", "unbounded")
# The losses in a kill of the process and in a power cut, by class
LOST = {"none": (UNBOUNDED, UNBOUNDED), "volatile": (UNBOUNDED, UNBOUNDED),
        "process-safe": (NOTHING, UNBOUNDED), "bounded": (NOTHING, BOUNDED),
        "power-safe": (NOTHING, NOTHING)}
# All that the runners said of a volatile database that loses no more than its last second.  What is
# not one of these sentences, word for word, counts as any number.
BY_THE_CLOCK = re.compile(
    "synchronous_commit=off, fsync=on, full_page_writes=on, wal_sync_method=[a-z_]+, "
    "lease[46] permanent(, no commit waits for a standby)?"
    ": a killed backend takes the last commits with it"
    "|innodb_flush_log_at_trx_commit=0, log_bin="
    "(OFF|ON, sync_binlog=[0-9]+|ON, binlog_storage_engine=innodb)"
    ", the log is written once a second(, the binary log whenever the system does it)?",
    re.IGNORECASE)
NODE_LOSS = {"yes": NOTHING, "no": UNBOUNDED, "unknown": "unknown"}
SETTING = re.compile(r"([a-z_]+)=([A-Za-z0-9_-]+)(?: \(([A-Z]+)\))?|without innodb_(doublewrite)")
# The names of settings in a small table, and the values that it names
LABELS = {"innodb_flush_log_at_trx_commit": ("flush {}", "[0-9]"),
          "synchronous_commit": ("sync {}", "[a-z_]+"), "full_page_writes": ("pages {}", "off"),
          "innodb_doublewrite": ("no doublewrite", "OFF"), "persist": ("persist {}", "false")}
# Workloads of which the operations are no exchanges
NO_EXCHANGES = ("phases", "search", "update", "churn")


def bring_forward(line: dict) -> None:
    """Puts what a line of today has into a line of a former format, or of a whole server."""
    durability = line["durability"]
    if "kill" not in durability:
        durability.update(losses(durability), settings=settings(durability["from"] or ""),
                          reasons=[])
    node_loss = durability.get("node_loss")
    if isinstance(node_loss, str):
        durability["node_loss"] = {"loss": NODE_LOSS[node_loss]}
    line.setdefault("basis", durability["from"])
    if "floors" in line:
        line["baselines"] = line.pop("floors")
    line.setdefault("product", product(line))
    workload = line["parameters"].get("workload", "")
    for run in line["runs"]:
        alone = run["together"] or "trials" in run
        run.setdefault("exchange", {
            "exchanges": workload not in NO_EXCHANGES if workload else alone})


def losses(durability: dict) -> dict:
    """The members kill and power; null of published figures, of which nothing is known."""
    cls, text = durability["class"], durability["from"] or ""
    if cls is None:
        return {"kill": None, "power": None}
    kill, power = LOST[cls]
    if cls == "volatile" and BY_THE_CLOCK.fullmatch(text):
        kill = power = BOUNDED
    return {"kill": {"loss": kill}, "power": {"loss": power}}


def settings(text: str) -> list[dict]:
    """The settings in a sentence, as they were read back."""
    found: list[dict] = []
    for match in SETTING.finditer(text):
        name, value, level, without = match.groups()
        if without:
            name, value = "innodb_doublewrite", "OFF"
        setting = {"name": name, "value": level or value}
        if label := label_of(text, match):
            setting["label"] = label
        # A binary log loses the last changes unless it is synced.
        if (name, value) == ("sync_binlog", "1") and is_logged(text, match):
            setting["decisive"] = True
        found.append(setting)
    return found


def is_logged(text: str, match: re.Match) -> bool:
    return text[:match.start()].endswith("log_bin=ON, ")


def label_of(text: str, match: re.Match) -> str:
    """The name of a setting in a small table; "" if it is not in it."""
    name, value, level, without = match.groups()
    if without:
        name, value = "innodb_doublewrite", "OFF"
    if name == "synchronous" and level:
        return level.lower()
    if name == "sync_binlog":
        return "binlog 0" if value == "0" and is_logged(text, match) else ""
    form, values = LABELS.get(name, ("", ""))
    return form.format(value.lower()) if re.fullmatch(values, value) else ""


def product(line: dict) -> dict:
    """The first fact, and the store that keeps the leases: a whole server has its name at the end,
    "kea-dhcp4/mysql", and a lease manager of Kea says it in that fact: "2.2.0, postgresql"."""
    name, text = next(iter(line["facts"].items()), (line["store"], ""))
    version = re.match("[0-9][^ ,]*", text)
    keeper = line["store"].rpartition("/")[2]
    if line["store"] == "kea":
        keeper = next((store.name for store in stores.STORES
                       if store.server and store.in_kea in text), "memfile")
    return {"name": name, "version": version[0] if version else None, "keeper": keeper}
