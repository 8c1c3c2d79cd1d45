# SPDX-License-Identifier: ISC
"""A line of results with nothing in it that identifies its owner.

What is public is listed here, and everything else is left out or replaced: a member that a later
version adds does not become public by itself. Figures are never touched.
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

# Parameters that name places and people. `host`, `trace` and `workload` are handled apart.
PRIVATE_PARAMETERS = {
    "database", "file", "json", "ledger", "output", "port", "progress", "replay", "socket", "sql",
    "ssl-ca", "ssl-cert", "ssl-key", "user", "verify",
}  # fmt: skip
PRIVATE_FACTS = {"host", "port", "version_comment", "certificate"}
# The labels of campaigns, and those that published measurements have.
PUBLIC_LABELS = {
    "block", "campaign", "cell", "control", "delay", "level", "order-seed", "position", "role",
    "seed", "side", "sync_delay",
}  # fmt: skip
PUBLIC_HOST = {
    "cflags", "clocksource", "compiler", "cores", "cpu", "cpu_limit", "cpu_pressure", "device",
    "file_system", "governor", "huge_pages", "io_pressure", "kernel", "libc", "load", "memory",
    "mount_options", "os", "rotational", "smt", "steal", "throttled", "turbo", "virtualisation",
    "write_cache",
}  # fmt: skip
# Mount options whose values are of the file system.
PUBLIC_MOUNT_VALUES = {
    "barrier", "commit", "compress", "data", "data_err", "errors", "logbsize", "logbufs", "stripe",
    "vers",
}  # fmt: skip
# Options of runners that name places and people, short and long, each with a value.
PRIVATE_OPTIONS = {"-m", "-P", "-u", "-p", "-f", "-O"} | {
    f"--{name}" for name in (*PRIVATE_PARAMETERS, "host", "password", "trace")
}
SHORT_OPTION = 2  # characters; a value may follow at once: -udhcp
SHORT_FLAG = "6"  # has no value, so another option may follow at once: -6m HOST

SYSTEM_PATH = re.compile(r"/(?:usr|lib|lib64)/[\w./+-]*")
PATH = re.compile(r"(?<![\w/.])/[\w.@~+-]+(?:/[\w.@~+-]*)*")
ADDRESS = re.compile(r"(?<![\w.:])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|\[[0-9A-Fa-f:]+\]")
EXCHANGES = re.compile(r"^(|-w|--workload=)@.*", re.DOTALL)  # of a file
KERNEL = re.compile(r"(\d+(?:\.\d+)+)\S*(?: (\S+))?")


def public_line(line: Mapping[str, Any]) -> JsonObject:
    """Return what of a line may be public. It is a valid line of the same format."""
    if "sides" in line:
        return {**line, "sides": [public_side(side) for side in line["sides"]]}
    result = dict(line)
    for name, clean in CLEANERS.items():
        if isinstance(result.get(name), dict):
            result[name] = clean(result[name])
    for name in ("server_library", "store_name"):
        if isinstance(result.get(name), str):
            result[name] = public_text(result[name])
    if "trace" in result.get("parameters", {}):
        result["parameters"]["trace"] = public_trace(result["runs"])
    if "config" in result:
        result["config"] = {**result["config"], "name": f"kea-dhcp{result['family']}.conf"}
    return result


def public_side(side: Mapping[str, Any]) -> JsonObject:
    """Return a side of a duel: its command is the runner's name and the options that say what."""
    command, server = public_command(side["command"]), public_text(side["server"])
    name = public_side_name(side["name"], {*shlex.split(command), *server.split()})
    result = side["result"] and public_line(side["result"])
    return {**side, "name": name, "command": command, "server": server, "result": result}


def public_side_name(name: str, words: Set[str]) -> str:
    """Return a side's name: its program, and those of its words that its public command has."""
    program, *others = name.split(" ")
    kept = (word for word in map(public_word, others) if word in words)
    return " ".join([public_text(program), *kept])


def public_command(command: str) -> str:
    """Return a command without the way to its machine, and without the place of its store.

    Raises ValueError if its quotes are not closed.
    """
    words = shlex.split(command)
    begin = next((at for at, word in enumerate(words) if is_runner(word)), None)
    if begin is None:  # a shell's, say
        return shlex.quote(words[0].rpartition("/")[2]) if words else ""
    kept = [words[begin].rpartition("/")[2]]
    skip = False
    for word in words[begin + 1 :]:
        typed = option_part(word)
        name = typed[:SHORT_OPTION] if not typed.startswith("--") else typed.partition("=")[0]
        if skip:
            skip = False
        elif name in PRIVATE_OPTIONS:
            skip = typed == name
        else:
            kept.append(public_word(word))
    return " ".join(map(shlex.quote, kept))


def option_part(word: str) -> str:
    """Return a word of a command without the flags before its option: "-m" of "-6m"."""
    is_short = word.startswith("-") and not word.startswith("--")
    return "-" + word[1:].lstrip(SHORT_FLAG) if is_short else word


def public_word(word: str) -> str:
    """Return a word of a command without the names of files."""
    return EXCHANGES.sub(r"\1@/path", public_text(word))


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
        if name not in PRIVATE_FACTS and "://" not in value
    }
    if "connection" in kept:
        kept["connection"] = public_connection(facts["connection"])
    return kept


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
    return {name: public_text(labels[name]) for name in labels if name in PUBLIC_LABELS}


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


CLEANERS: Mapping[str, Callable[[Mapping[str, str]], dict[str, str]]] = {
    "parameters": public_parameters,
    "facts": public_facts,
    "labels": public_labels,
    "host": public_host,
}
