# SPDX-License-Identifier: ISC
"""What a contributed result must prove, and the name of the machine that it is of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ubench.records.crash import Crash
from ubench.records.duel import Duel
from ubench.records.observation import Baselines, DurabilityClass, How, Observation, Sample
from ubench.records.reader import Record
from ubench.report.capacity.evidence import LEAST_EXCHANGES, LEAST_S, is_too_short
from ubench.report.duel.soundness import why_unfinished, why_unsound

# ---- Sentences

CRASHES = "a crash campaign is not taken; expected runs, duels or whole servers"
PUBLISHED = "its figures were published by others; expected what you measured"
NO_CLASS = "it has no durability class; expected one that was computed from settings read back"
NO_BASELINE = (
    "it has no baselines ({names}), so its figures cannot be told from those of another disk; "
    "measure with this version"
)
NO_PRODUCT = "it does not say which version of {store} was measured"
NO_HARDWARE = "its host has no {names}, so the machine cannot be named"
TOO_SHORT = (
    "each of its runs is shorter than {seconds} s or {exchanges:,} exchanges; use a larger -n, or "
    "--duration 10s"
)
NO_RATE = "it has no rate"


# ---- What a line must prove


def why_refused(record: Record) -> str:
    """Return why a line cannot be contributed; "" if it can."""
    if isinstance(record, Crash):
        return CRASHES
    if isinstance(record, Duel):
        unsound = why_unsound(record)
        if unsound:
            return unsound
    observations = list(observations_of(record))
    for observation in observations:
        reason = why_observation_is_refused(observation)
        if reason:
            return reason
    samples = [sample for each in observations for sample in each.samples]
    is_server = isinstance(record, Observation) and record.server is not None
    if not samples:
        return "" if is_server else NO_RATE  # a start or an expiry has none
    if all(proves_too_little(sample) for sample in samples):
        return TOO_SHORT.format(seconds=LEAST_S, exchanges=LEAST_EXCHANGES)
    return ""


def proves_too_little(sample: Sample) -> bool:
    """Return whether a sample is too short; one of a mix is not only because a part is rare."""
    if sample.how is How.MIXED and sample.amount is not None:
        return sample.amount.elapsed_s < LEAST_S
    return is_too_short(sample)


def observations_of(record: Record) -> Iterator[Observation]:
    """Yield the observation of a line, or those of the sides of a duel."""
    if isinstance(record, Observation):
        yield record
    elif isinstance(record, Duel):
        for side in record.sides:
            if side.observation is not None:
                yield side.observation


def why_observation_is_refused(observation: Observation) -> str:
    """Return what a run or a whole server does not prove; "" if it proves everything."""
    if observation.published:
        return PUBLISHED
    if observation.server is None:
        unfinished = why_unfinished(observation)
        if unfinished:
            return unfinished
        missing = missing_baselines(observation.baselines, observation.is_database)
        if missing:
            return NO_BASELINE.format(names=", ".join(missing))
    if observation.cls in (None, DurabilityClass.NONE):
        return NO_CLASS
    if observation.is_database and not observation.product.version and not observation.server:
        return NO_PRODUCT.format(store=observation.store)
    missing = [name for name in ("cpu", "cores") if not observation.host.get(name)]
    return NO_HARDWARE.format(names=" and no ".join(missing)) if missing else ""


def missing_baselines(baselines: Baselines, is_database: bool) -> list[str]:
    """Return the baselines that a run needs and does not have.

    A database may keep its files where the runner cannot time a sync; then its round trip counts.
    """
    values: Mapping[str, float | None] = {
        "clock": baselines.clock_ns,
        "harness": baselines.harness_ns,
        "round trip" if is_database else "fdatasync": (
            baselines.round_trip_ns if is_database else baselines.fdatasync_ns
        ),
    }
    return [name for name, value in values.items() if value is None]


# ---- The name of a machine


def machine_of(observation: Observation) -> dict[str, str]:
    """Return what tells machines apart, where it is known: a whole server does not name a disk."""
    host = observation.host
    values = {
        "cpu": host["cpu"],
        "number of cores": cores_of(host["cores"]),
        "disk": " on ".join(filter(None, (host.get("file_system"), host.get("device")))),
    }
    return {name: value for name, value in values.items() if value}


def cores_of(text: str) -> str:
    """Return the number of cores of "2 online, 1 allowed"."""
    found = re.match(r"\d+", text)
    return found[0] if found else text


def machine_name(observations: Sequence[Observation]) -> str:
    """Return the name of a file by its hardware and day: "amd-epyc-2-cores-ext4-vda-2026-11-28".

    The disk is that of the first observation that knows one: a whole server does not.
    """
    first = observations[0]
    with_disk = next((each for each in observations if each.host.get("device")), first)
    parts = (
        first.host["cpu"],
        f"{cores_of(first.host['cores'])}-cores",
        with_disk.host.get("file_system", ""),
        with_disk.host.get("device", ""),
        min(each.started_at for each in observations)[:10],
    )
    return "-".join(filter(None, map(slug, parts)))


def slug(text: str) -> str:
    """Return a text in small letters, digits and hyphens, without signs of trade marks."""
    text = re.sub(r"\((?:R|TM|C)\)|\bCPU\b|\bProcessor\b", " ", text)
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
