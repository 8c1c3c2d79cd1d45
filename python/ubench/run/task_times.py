# SPDX-License-Identifier: ISC
"""The time that threads ran, and waited for a processor, in nanoseconds of /proc (proc(5)).

The clock ticks of /proc/PID/stat, 10 ms each, are too coarse for what one exchange takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ubench.errors import Problem

PROC = Path("/proc")


@dataclass(frozen=True)
class TaskTime:
    """For how long a thread ran, and was ready to run while others did."""

    ran_s: float = 0.0
    waited_s: float = 0.0

    def times(self, factor: float) -> TaskTime:
        """Return both times, multiplied by a factor."""
        return TaskTime(self.ran_s * factor, self.waited_s * factor)


TaskTimes = dict[int, TaskTime]  # by the numbers of threads


def threads_of(pids: Iterable[int]) -> list[int]:
    """Return the threads of some processes; those of one that has ended are left out."""
    return [int(path.name) for pid in pids for path in (PROC / f"{pid}/task").glob("[0-9]*")]


def task_times(tasks: Iterable[int]) -> TaskTimes:
    """Return the times of some threads until now; one that has ended is left out.

    Raises Problem if the kernel does not keep them.
    """
    if not (PROC / "self/schedstat").exists():
        raise Problem(
            "this kernel has no /proc/PID/schedstat, so the processor time of a thread is not "
            "known; leave out --where"
        )
    times = {}
    for task in tasks:
        try:
            ran_ns, waited_ns, _ = (PROC / f"{task}/schedstat").read_text().split()
        except OSError:
            continue
        times[task] = TaskTime(int(ran_ns) / 1e9, int(waited_ns) / 1e9)
    return times


def spent(before: TaskTimes, after: TaskTimes) -> TaskTime:
    """Return the time of all threads that lived at the end, since `before` or since they began."""
    ran_s = waited_s = 0.0
    for task, time in after.items():
        begun = before.get(task, TaskTime())
        ran_s += time.ran_s - begun.ran_s
        waited_s += time.waited_s - begun.waited_s
    return TaskTime(ran_s, waited_s)
