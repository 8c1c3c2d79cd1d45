# SPDX-License-Identifier: ISC
"""Properties of observations: what tells configurations apart, labels, and choosing by a value."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from ubench import units
from ubench.errors import UsageError
from ubench.records.observation import Observation, Origin


class PropertyKind(Enum):
    """Where a property of an observation stands."""

    STORE = "store"
    VERSION = "version"  # of the program
    DURABILITY = "durability"  # what the class rests on
    PARAMETER = "parameter"
    REQUEST = "request"  # a parameter that asks for settings: the facts have what was read back
    PRODUCT = "product"  # the fact of the product's name: its version
    FACT = "fact"
    LABEL = "label"
    HOST = "host"


class Property(NamedTuple):
    """The kind and the name of a property."""

    kind: PropertyKind
    name: str


# Properties by name, in the order of the line.
Key = Mapping[Property, str]

# Kinds that bear on the figures.
CONFIGURATION = frozenset(
    (
        PropertyKind.VERSION,
        PropertyKind.DURABILITY,
        PropertyKind.PARAMETER,
        PropertyKind.PRODUCT,
        PropertyKind.FACT,
        PropertyKind.HOST,
    )
)
REQUESTS = frozenset(("sync", "set"))  # the parameters that ask for settings

# These say nothing of an observation: its output, its place in a campaign, other work meanwhile.
NEVER_PROPERTIES = frozenset((
    "output", "json", "verbose", "progress", "label", "campaign", "order-seed", "block", "position",
    "role", "cell", "load", "steal", "cpu_pressure", "io_pressure", "throttled", "index use",
    "counters",
))
# These may differ between observations of one configuration.
IGNORED_PROPERTIES = frozenset((
    "file", "database", "port", "user", "seed", "repeat", "connect-timeout", "read-timeout",
    "Kea library",
))

# Parameters of the load, in the order in which labels have them; of an open loop without its rate,
# which its tables have.
LOAD = (
    "workload", "definition", "ipv6", "schema", "lease", "threads", "batch", "hit-ratio",
    "subnets", "preload", "search-by", "probes", "hosts", "pool", "pace", "allocator", "full",
    "servers", "arrivals", "queue", "queue-policy", "clients", "spread", "hook-delay", "hook",
    "server-time", "cache-threshold", "trips",
)
# Parameters of the work, and not of the setup that does it.
WORK = frozenset((*LOAD, "count", "warmup", "rate", "find-rate", "duration", "deadline")) - {
    "ipv6", "schema", "lease", "threads", "subnets", "cache-threshold", "trips",
}
SHORT_DIGEST = 8  # digits of a build-id or a definition in a label


def make_key(
    observation: Observation, kinds: Collection[PropertyKind], everything: bool = False
) -> dict[Property, str]:
    """Return the properties of some kinds; `everything`: also those that bear on no figure."""
    return {
        each: _comparable(each.name, value)
        for each, value in _properties(observation)
        if each.kind in kinds
        and each.name not in NEVER_PROPERTIES
        and (everything or each.name not in IGNORED_PROPERTIES)
    }


# Options of exchanges that older lines do not have, with the values that they had until then.
FORMER_VALUES = {"trips": "series", "batch": "1"}


def parameters_of(observation: Observation) -> Mapping[str, str]:
    """Return the parameters of an observation, also where a line is older than an option.

    Until then each exchange was committed by itself, and those of databases were in series.
    """
    load = observation.load
    if observation.origin is not Origin.RUNNER or not load.exchanges:
        return observation.parameters
    if load.levels or load.shares_pool or load.workload == "replay":
        return observation.parameters
    former = dict(FORMER_VALUES)
    if observation.store not in ("mysql", "pgsql"):
        del former["trips"]
    return {**former, **observation.parameters}


def _properties(observation: Observation) -> Iterable[tuple[Property, str]]:
    for name, value in observation.parameters.items():
        if observation.load.exchanges and FORMER_VALUES.get(name) == value:
            continue  # older lines do not have it
        kind = PropertyKind.REQUEST if name in REQUESTS else PropertyKind.PARAMETER
        yield Property(kind, name), observation.load.workload if name == "workload" else value
    if digest := _definition_digest(observation):
        yield Property(PropertyKind.PARAMETER, "definition"), digest
    if observation.sql:
        yield Property(PropertyKind.PARAMETER, "statements"), _digest(observation.sql)
    for name, value in observation.facts.items():
        kind = PropertyKind.PRODUCT if name == observation.product.name else PropertyKind.FACT
        yield Property(kind, name), value
    for name, value in observation.labels.items():
        yield Property(PropertyKind.LABEL, name), value
    for name, value in observation.host.items():
        yield Property(PropertyKind.HOST, name), value
    yield Property(PropertyKind.DURABILITY, "durability"), observation.durability.basis
    yield Property(PropertyKind.VERSION, "version"), observation.program_version
    yield Property(PropertyKind.STORE, "store"), observation.store


def _definition_digest(observation: Observation) -> str:
    """Return the digest of the exchanges that a file defined; "" of workloads that are built in."""
    if not observation.parameters.get("workload", "").startswith("@") or not observation.runs:
        return ""
    exchanges = observation.runs[0].exchanges
    return _digest(line for exchange in exchanges for line in exchange.definition)


def _digest(lines: Iterable[str]) -> str:
    """Return a digest of the lines of a file, which may change while its name stays."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:SHORT_DIGEST]


def _comparable(name: str, value: str) -> str:
    """Return a value without what does not tell servers apart: the port of a connection."""
    return value.partition(", port ")[0] if name == "connection" else value


def order_of(value: str) -> tuple[bool, bool, float, str]:
    """Sort values: an absent one first, then numbers by their size, then text."""
    number = units.scan_real(value)
    return (value != "", number is None, number or 0.0, value)


def differences(
    first: Key, others: Iterable[Key], known: Iterable[Property] = ()
) -> list[Property]:
    """Return the properties whose values differ, after those that are known already.

    The first key is compared with all others. An absent value and an empty one are the same.
    """
    differing = dict.fromkeys(known)
    for other in others:
        for each in (*first, *other):
            if first.get(each, "") != other.get(each, ""):
                differing.setdefault(each)
    return list(differing)


def load_first(properties: Iterable[Property]) -> list[Property]:
    """Return the parameters of the load, in the order of LOAD, before all others."""
    order = {Property(PropertyKind.PARAMETER, name): place for place, name in enumerate(LOAD)}
    return sorted(properties, key=lambda each: order.get(each, len(LOAD)))


def distinguishing(
    properties: Sequence[Property], keys: Sequence[Key], keep: int = 0
) -> list[Property]:
    """Return the properties that a label of these keys needs.

    They are the first `keep`, and of the others each that tells the keys apart in a way that no
    property before it does.
    """
    first_by_pattern: dict[tuple[int, ...], Property] = {}
    for each in properties:
        values = [key.get(each, "") for key in keys]
        first_by_pattern.setdefault(tuple(values.index(value) for value in values), each)
    telling = set(first_by_pattern.values())
    return [*properties[:keep], *(each for each in properties[keep:] if each in telling)]


def values_label(key: Key, properties: Iterable[Property]) -> str:
    """Return the values of these properties: "threads=4, engine=InnoDB"."""
    return ", ".join(
        f"{each.name}={_short(each.name, key[each])}" for each in properties if key.get(each)
    )


def _short(name: str, value: str) -> str:
    return value[:SHORT_DIGEST] if name == "Kea build-id" else value


# ---- Choosing observations by a property

BY_FILE = ""  # the name of an observation's file, which no property has
MOST_SHOWN = 8  # values that a refusal names
VALUE_WIDTH = 40  # characters of each


def value_of(observation: Observation, name: str) -> str | None:
    """Return the value of an observation under a name; None if it has none.

    The name is store, version, durability (the class), a parameter, a fact, a label or a member of
    `host`; BY_FILE stands for the file.
    """
    own = {
        "store": observation.store,
        "version": observation.program_version,
        "durability": observation.cls.value if observation.cls else "unknown",
        BY_FILE: observation.source.file,
    }
    if "workload" in observation.parameters:
        own["workload"] = observation.load.workload
    parameters = parameters_of(observation)
    places = (own, parameters, observation.facts, observation.labels, observation.host)
    return next((place[name] for place in places if name in place), None)


def has_all(observation: Observation, settings: Iterable[tuple[str, str]]) -> bool:
    """Return whether an observation has each of these values."""
    return all(value_of(observation, name) == value for name, value in settings)


def check_settings(
    option: str, settings: Iterable[tuple[str, str]], observations: Sequence[Observation]
) -> None:
    """Refuse settings of an option that no observation has.

    Raises UsageError, with the values that there are.
    """
    for name, wanted in settings:
        values = dict.fromkeys(value_of(each, name) for each in observations)
        known = [value for value in values if value is not None]
        if not known:
            raise UsageError(
                f"--{option}: no result has '{name}'; expected a parameter, a fact, a label, "
                "store, version or durability"
            )
        if wanted not in known:
            shown = ", ".join(units.cut(value, VALUE_WIDTH) for value in known[:MOST_SHOWN])
            more = ", ..." if len(known) > MOST_SHOWN else ""
            raise UsageError(f"--{option}: no result has {name}={wanted}; expected {shown}{more}")
