# SPDX-License-Identifier: ISC
"""What no machine can do in one turn of a duel.

A gate must not rest on such figures, whether a runner has just reported them or a file has them.
"""

from __future__ import annotations

from typing import Protocol

OPERATIONS_PER_NS = 10  # no store does more
CORES = 10_000  # no machine has more
INSTRUCTIONS_PER_NS = 100  # no processor does more in one core
ACCOUNT_NS = 10**9  # processor time that may be accounted to a later turn
CLOCK_SHARE = 0.01  # two clocks agree within that on the length of a turn
CLOCK_NS = 1000  # and within that on a short one


class TurnFigures(Protocol):
    """The figures of a turn; None is not known."""

    @property
    def operations(self) -> int:
        """Operations that the store did."""

    @property
    def elapsed_ns(self) -> int:
        """The time that the turn took."""

    @property
    def cpu_ns(self) -> int:
        """Processor time of the runner."""

    @property
    def server_cpu_ns(self) -> int | None:
        """Processor time of its store's server."""

    @property
    def p50_ns(self) -> int | None:
        """The median time of an operation."""

    @property
    def p99_ns(self) -> int | None:
        """The time that 99 % of the operations stay below."""

    @property
    def errors(self) -> int:
        """Operations that the store gave up."""

    @property
    def instructions(self) -> int | None:
        """Instructions of the runner's workers."""

    @property
    def server_instructions(self) -> int | None:
        """Instructions of its store's server."""


def why_impossible(turn: TurnFigures) -> str:
    """Return the first figure of a turn that cannot be true, and its limit; "" if all can."""
    elapsed = turn.elapsed_ns
    if elapsed == 0:
        return "elapsed_ns is 0; expected a time above 0"
    longest = longest_operation_ns(turn)
    instructions = INSTRUCTIONS_PER_NS * (CORES * elapsed + ACCOUNT_NS)
    limits: tuple[tuple[str, int | None, float], ...] = (
        ("operations", turn.operations, OPERATIONS_PER_NS * elapsed),
        ("errors", turn.errors, OPERATIONS_PER_NS * elapsed),
        ("cpu_ns", turn.cpu_ns, CORES * elapsed + ACCOUNT_NS),
        ("server_cpu_ns", turn.server_cpu_ns, CORES * elapsed + ACCOUNT_NS),
        ("instructions", turn.instructions, instructions),
        ("server_instructions", turn.server_instructions, instructions),
        ("p99_ns", turn.p99_ns, longest),
        ("p50_ns", turn.p50_ns, longest if turn.p99_ns is None else min(longest, turn.p99_ns)),
    )
    for name, value, most in limits:
        if value is not None and value > most:
            return f"{name} is {value}, which is above {most:.0f}, the most that is possible"
    return ""


def longest_operation_ns(turn: TurnFigures) -> float:
    """Return the longest time that an operation of a turn can take."""
    return (1 + CLOCK_SHARE) * turn.elapsed_ns + CLOCK_NS
