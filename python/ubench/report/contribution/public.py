# SPDX-License-Identifier: ISC
"""A line of results with nothing in it that identifies its owner.

What is public is listed here, and everything else is left out or replaced: a member that a later
version adds does not become public by itself. Figures are never touched. What remains as its owner
typed it is in `typed_texts`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from ubench.records.decoding import JsonObject
from ubench.report.capacity.elsewhere import is_local

REMOTE = "db.example"  # stands for the name or the address of another machine (RFC 2606)
SOCKET = "/socket"  # stands for the path of a socket
LOCAL = "localhost"

# Members of lines, by their format. All else in the line of a whole server is figures and words
# of fixed lists, except for the texts that CLEANERS and SERVER_TEXTS name.
PUBLIC_MEMBERS: Mapping[str, Set[str]] = {
    "ubench-result/2": {
        "baselines", "durability", "error", "facts", "format", "host", "incomplete", "labels",
        "machines", "parameters", "product", "program", "runs", "sql", "started_at", "store",
        "version", "warnings",
    },
    "ubench-duel/1": {
        "format", "incomplete", "label", "precision", "seed", "settle_ms", "sides", "slice_ms",
        "slices", "started_at", "time_s", "valgrind",
    },
}  # fmt: skip
SERVER_TEXTS = ("server_library", "store_name")
# Parameters that name places and people. `host`, `trace` and `workload` are handled apart.
PRIVATE_PARAMETERS = {
    "database", "file", "json", "ledger", "output", "port", "progress", "replay", "socket", "sql",
    "ssl-ca", "ssl-cert", "ssl-key", "user", "verify",
}  # fmt: skip
PRIVATE_FACTS = {
    "application_name", "cert-file", "certificate", "cluster_name", "host", "key-file", "port",
    "synchronous_standby_names", "trust-anchor", "version_comment",
}  # fmt: skip
# The labels of campaigns, and those that published measurements have.
PUBLIC_LABELS = {
    "block", "campaign", "cell", "control", "delay", "level", "order-seed", "position", "role",
    "seed", "side", "sync_delay",
}  # fmt: skip
PUBLIC_HOST = {
    "cflags", "clocksource", "compiler", "cores", "counters", "cpu", "cpu_limit", "cpu_pressure",
    "device", "file_system", "governor", "huge_pages", "io_pressure", "kernel", "libc", "load",
    "memory", "mount_options", "os", "rotational", "smt", "steal", "throttled", "turbo",
    "virtualisation", "write_cache",
}  # fmt: skip
# Mount options whose values are of the file system.
PUBLIC_MOUNT_VALUES = {
    "barrier", "commit", "compress", "data", "data_err", "errors", "logbsize", "logbufs", "stripe",
    "vers",
}  # fmt: skip
# Options of runners that name places and people, short and long, each with a value.
PRIVATE_OPTIONS = {"-m", "-P", "-u", "-p", "-f", "-O"} | {
    f"--{name}" for name in (*PRIVATE_PARAMETERS, "host", "label", "password", "trace")
}
# Values of settings that everybody has; other words may be names.
PLAIN_VALUES = {
    "", "always", "aria", "auto", "crc32", "default", "delete", "exclusive", "extra", "false",
    "fdatasync", "fsync", "fsync_writethrough", "full", "innodb", "io_uring", "littlesync", "local",
    "log", "logical", "lz4", "memfile", "memory", "minimal", "mixed", "myisam", "mysql", "no",
    "noblob", "none", "normal", "nosync", "o_direct", "o_direct_no_fsync", "o_dsync", "off", "on",
    "open_datasync", "open_sync", "persist", "pglz", "postgresql", "read-committed",
    "read-uncommitted", "remote_apply", "remote_write", "repeatable-read", "replica", "row",
    "serializable", "statement", "sync", "true", "truncate", "wal", "worker", "yes", "zstd",
}  # fmt: skip
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?\s?[A-Za-z%]{0,3}")
HIDDEN = "..."  # stands for a value that may be a name
# A setting in a text of several; a value may have blanks.
NAME = r"-{0,2}[A-Za-z_][\w.-]*"
SETTING = re.compile(rf"(?:^|(?<=\s))({NAME})=(.*?)(?=\s+{NAME}=|$)", re.DOTALL)
FREE_MEMBERS = {"comment", "user-context"}  # of Kea's configuration: notes of its owner
SET_OPTIONS = {"-o", "--set"}
SHORT_OPTION = 2  # characters; a value may follow at once: -udhcp
SHORT_FLAG = "6"  # has no value, so another option may follow at once: -6m HOST

SYSTEM_PATH = re.compile(r"/(?:usr|lib|lib64)/[\w./+-]*")
PATH = re.compile(r"(?<![\w/.])/[\w.@~+-]+(?:/[\w.@~+-]*)*")
ADDRESS = re.compile(r"(?<![\w.:])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|\[[0-9A-Fa-f:]+\]")
EXCHANGES = re.compile(r"^(|-w|--workload=)@.*", re.DOTALL)  # of a file
KERNEL = re.compile(r"(\d+(?:\.\d+)+)\S*(?: (\S+))?")


def public_line(line: Mapping[str, Any]) -> JsonObject:
    """Return what of a line may be public. It is a valid line of the same format."""
    members = PUBLIC_MEMBERS.get(str(line.get("format")))
    result = {name: line[name] for name in line if members is None or name in members}
    if "sides" in line:
        return {**result, "label": "", "sides": [public_side(side) for side in line["sides"]]}
    for name, clean in CLEANERS.items():
        if isinstance(result.get(name), dict):
            result[name] = clean(result[name])
    for name in SERVER_TEXTS:
        if isinstance(result.get(name), str):
            result[name] = public_text(result[name])
    if "trace" in result.get("parameters", {}):
        result["parameters"]["trace"] = public_trace(result["runs"])
    if "facts" in result:
        result["facts"] = without_set_values(result["facts"], line.get("parameters", {}))
    if "set" in result:
        result["set"] = public_configuration(result["set"])
    if "config" in result:
        result["config"] = {**result["config"], "name": f"kea-dhcp{result['family']}.conf"}
    return result


def public_side(side: Mapping[str, Any]) -> JsonObject:
    """Return a side of a duel: its command is the runner's name and the options that say what."""
    command, server = public_command(side["command"]), public_server(side["server"])
    name = public_side_name(side["name"], {*shlex.split(command), *server.split()})
    result = side["result"] and public_line(side["result"])
    return {**side, "name": name, "command": command, "server": server, "result": result}


def public_side_name(name: str, words: Set[str]) -> str:
    """Return a side's name: its program, and those of its words that its public command has."""
    program, *others = name.split(" ")
    cleaned = [(public_word(word), public_settings(public_word(word))) for word in others]
    kept = (next(filter(words.__contains__, pair), "") for pair in cleaned)
    return " ".join([public_text(program), *filter(None, kept)])


def public_command(command: str) -> str:
    """Return a command without the way to its machine, and without the place of its store.

    Raises ValueError if its quotes are not closed.
    """
    words = shlex.split(command)
    begin = next((at for at, word in enumerate(words) if is_runner(word)), None)
    if begin is None:  # a shell's, say
        return shlex.quote(words[0].rpartition("/")[2]) if words else ""
    kept = [words[begin].rpartition("/")[2]]
    awaited = ""  # the option whose value the next word is
    for word in words[begin + 1 :]:
        typed = option_part(word)
        name = typed[:SHORT_OPTION] if not typed.startswith("--") else typed.partition("=")[0]
        if awaited:
            if awaited in SET_OPTIONS:
                kept.append(public_settings(public_word(word)))
            awaited = ""
        elif name in PRIVATE_OPTIONS:
            awaited = typed if typed == name else ""
        elif name in SET_OPTIONS:
            kept.append(public_set_option(word, typed.removeprefix(name)))
            awaited = typed if typed == name else ""
        else:
            kept.append(public_word(word))
    return " ".join(map(shlex.quote, kept))


def public_set_option(word: str, value: str) -> str:
    """Return an option with its value, which is a setting: "-oa=1", "--set=a=1"."""
    setting = value.removeprefix("=")
    return word.removesuffix(setting) + public_settings(public_word(setting))


def option_part(word: str) -> str:
    """Return a word of a command without the flags before its option: "-m" of "-6m"."""
    is_short = word.startswith("-") and not word.startswith("--")
    return "-" + word[1:].lstrip(SHORT_FLAG) if is_short else word


def public_word(word: str) -> str:
    """Return a word of a command without the names of files."""
    return EXCHANGES.sub(r"\1@/path", public_text(word))


def public_server(server: str) -> str:
    """Return the kind of a server and its options, without values that may be names."""
    return " ".join(map(public_settings, public_text(server).split()))


def public_settings(text: str) -> str:
    """Return settings, "a=1 b=x", without the values that may be names. Other texts stay."""
    return SETTING.sub(lambda setting: f"{setting[1]}={public_value(setting[2])}", text)


def public_value(value: str) -> str:
    """Return a value of a setting, or "..." for one that may be a name."""
    is_plain = value.lower() in PLAIN_VALUES or NUMBER.fullmatch(value)
    return value if is_plain else HIDDEN


def public_configuration(value: object) -> object:
    """Return a member of Kea's configuration, without texts that may be names."""
    if isinstance(value, Mapping):
        members = {name: value[name] for name in value if name not in FREE_MEMBERS}
        return {name: public_configuration(member) for name, member in members.items()}
    if isinstance(value, list):
        return [public_configuration(member) for member in value]
    return public_value(value) if isinstance(value, str) else value


def is_runner(word: str) -> bool:
    """Return whether a word of a command is the runner: "build/old/mysql_ubench"."""
    return word.endswith("_ubench")


# ---- Members


def public_parameters(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return parameters without places and people."""
    kept = {
        name: public_word(value)
        for name, value in parameters.items()
        if name not in PRIVATE_PARAMETERS and name != "host"
    }
    if "host" in parameters:
        kept["host"] = public_host_name(parameters["host"])
    if "set" in kept:
        kept["set"] = public_settings(kept["set"])
    return kept


def public_trace(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return a name of a trace by its size, which tells it from another."""
    replay = next((run["replay"] for run in runs if run.get("replay")), None)
    return f"{replay['changes']}-changes.trace" if replay else "/path"


def public_host_name(host: str) -> str:
    """Return whether a database was on the same machine, and reached by a socket or by TCP."""
    if host.startswith("/"):
        return SOCKET
    return LOCAL if is_local(host) else REMOTE


def public_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """Return what a store said of itself, without the address that it was reached at."""
    kept = {
        name: public_text(value)
        for name, value in facts.items()
        if name not in PRIVATE_FACTS and "." not in name and "://" not in value
    }
    if "connection" in kept:
        kept["connection"] = public_connection(facts["connection"])
    return kept


def without_set_values(
    facts: Mapping[str, str], parameters: Mapping[str, str]
) -> dict[str, str]:
    """Return facts, without values of --set that may be names and were read back."""
    names = {found[1] for found in SETTING.finditer(parameters.get("set", ""))}
    return {
        name: public_value(value) if name in names else value for name, value in facts.items()
    }


def public_durability(durability: Mapping[str, Any]) -> dict[str, Any]:
    """Return what survives, without values of settings that may be names: those of standbys."""
    settings, text = [], durability.get("from", "")
    for setting in durability.get("settings") or []:
        value = setting["value"]
        if setting["name"] in PRIVATE_FACTS:
            text = text.replace(value, HIDDEN)
            value = HIDDEN
        settings.append({**setting, "value": value})
    cleaned = {**durability, "from": public_text(text)}
    return {**cleaned, "settings": settings} if "settings" in durability else cleaned


def public_connection(connection: str) -> str:
    """Return how a server was reached: by a socket, or by TCP on this or another machine.

    The client libraries word it as `elsewhere.database_host` says.
    """
    if "socket" in connection.lower():
        return "Localhost via UNIX socket"
    words = connection.removeprefix("TCP to ").replace(",", " ").split()
    encryption = re.search(r"TLS \w+", connection)
    reached = f"TCP to {public_host_name(words[0] if words else '')}"
    return f"{reached}, {encryption[0]}" if encryption else reached


def public_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of campaigns; others are notes of their owner."""
    kept = {name: public_text(labels[name]) for name in labels if name in PUBLIC_LABELS}
    if "cell" in kept:
        kept["cell"] = public_cell(kept["cell"])
    return kept


def public_cell(cell: str) -> str:
    """Return the name of a cell without places: "mysql threads=4" of "mysql host=db1 threads=4"."""
    words = [
        word
        for word in cell.split(" ")
        if word.partition("=")[0] not in {*PRIVATE_PARAMETERS, "host"} or "=" not in word
    ]
    return public_settings(" ".join(words))


def results_of(line: JsonObject) -> list[JsonObject]:
    """Return the results of a duel's sides, or the line itself."""
    return [side["result"] for side in line.get("sides", []) if side["result"]] or [line]


def typed_texts(line: JsonObject) -> list[str]:
    """Return what its owner typed and a public line still has: exchanges and SQL of own files."""
    texts: dict[str, None] = {}
    for result in results_of(line):
        texts.update(dict.fromkeys(result.get("sql", [])))
        if str(result.get("parameters", {}).get("workload", "")).startswith("@"):
            kinds = (run.get("exchange") or {} for run in result["runs"])
            texts.update({kind["name"]: None for each in kinds for kind in each.get("kinds", [])})
    return list(texts)


def public_host(host: Mapping[str, str]) -> dict[str, str]:
    """Return what describes the hardware and the system; a kernel's version without its builder."""
    kept = {name: public_text(host[name]) for name in host if name in PUBLIC_HOST}
    if "mount_options" in kept:
        kept["mount_options"] = public_mount_options(kept["mount_options"])
    if "kernel" in kept:
        kept["kernel"] = public_kernel(kept["kernel"])
    return kept


def public_mount_options(options: str) -> str:
    """Return mount options without those that name a place or a person: "username=alice"."""
    return ",".join(
        option
        for option in options.split(",")
        if "=" not in option or option.partition("=")[0] in PUBLIC_MOUNT_VALUES
    )


def public_kernel(kernel: str) -> str:
    """Return "6.1.0 x86_64" of "6.1.0-25-amd64 x86_64" or "Linux 6.1.0-acme x86_64"."""
    found = KERNEL.search(kernel)
    return " ".join(filter(None, found.groups())) if found else ""


def public_text(text: str) -> str:
    """Return a text in which private paths and addresses are replaced."""
    text = PATH.sub(lambda found: found[0] if SYSTEM_PATH.fullmatch(found[0]) else "/path", text)
    return ADDRESS.sub(lambda found: LOCAL if is_local(found[0]) else REMOTE, text)


CLEANERS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "parameters": public_parameters,
    "facts": public_facts,
    "labels": public_labels,
    "host": public_host,
    "durability": public_durability,
}
