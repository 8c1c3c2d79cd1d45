# SPDX-License-Identifier: ISC
"""The parts of a time that are in a database server, of exchanges and of whole DHCP servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ubench.records.where import STATEMENT, Part
from ubench.run.statements import Statements, Timed
from ubench.run.task_times import TaskTime

OTHERS = "other statements"
LEAST_SHARE = 0.02  # of the time of all statements: those that take less are not named


@dataclass(frozen=True)
class DatabaseTimes:
    """What a database did, with the factor that makes it the us of one exchange."""

    statements: Statements
    syncs: Timed
    sync_us: float | None  # of one, if the server does not time them
    connections: TaskTime  # of the threads that serve the client
    waits_for_sync: bool  # a commit returns after its sync
    syncs_in_statements: bool  # and the time of its statement has that
    us_per_s: float  # of an exchange, for each second of all

    def parts(self) -> tuple[Part, ...]:
        """Return the parts that are in the database.

        Its processor time beyond statements is that of its threads less the time of their
        statements, in which they work or wait for a sync.
        """
        kinds = statement_parts(self.statements, self.us_per_s)
        statements_us = sum(part.us for part in kinds)
        worked_us = self.connections.ran_s * self.us_per_s
        beyond = Part("database", max(0.0, worked_us - statements_us))
        sync = self.sync
        if sync and not self.syncs_in_statements:
            return (*kinds, beyond, sync)
        return (*kinds, beyond)

    @property
    def sync(self) -> Part | None:
        """The syncs that commits wait for; None if they do not, or their time is not known."""
        if not self.waits_for_sync or not self.syncs.count:
            return None
        count = self.syncs.count * self.us_per_s / 1e6
        if self.syncs.seconds is not None:
            return Part("sync", self.syncs.seconds * self.us_per_s, count)
        return None if self.sync_us is None else Part("sync", count * self.sync_us, count)

    def within(self, round_trip_us: float | None) -> tuple[Part, ...]:
        """Return times that lie within the parts, or may.

        These are syncs in statements, as many empty round trips as statements, and for how long
        the database's threads wait for a processor.
        """
        parts = []
        sync = self.sync
        if sync and self.syncs_in_statements:
            parts.append(sync)
        if round_trip_us is not None:
            count = sum(timed.count for timed in self.statements.values())
            each = count * self.us_per_s / 1e6
            parts.append(Part("round-trip", each * round_trip_us, each))
        parts.append(Part("wait-store", self.connections.waited_s * self.us_per_s))
        return tuple(parts)


def statement_parts(statements: Statements, us_per_s: float) -> list[Part]:
    """Return the time of each kind of statement, the longest first; short ones together."""
    parts = [
        Part(STATEMENT, (timed.seconds or 0.0) * us_per_s, timed.count * us_per_s / 1e6, kind)
        for kind, timed in statements.items()
    ]
    least_us = LEAST_SHARE * sum(part.us for part in parts)
    named = sorted((part for part in parts if part.us >= least_us), key=lambda part: -part.us)
    return [*named, *_together([part for part in parts if part.us < least_us])]


def _together(parts: Sequence[Part]) -> list[Part]:
    """Return some parts as one; none of none."""
    if not parts:
        return []
    count = sum(part.count or 0.0 for part in parts)
    return [Part(STATEMENT, sum(part.us for part in parts), count, OTHERS)]
