# SPDX-License-Identifier: ISC
"""The time that threads ran."""

from __future__ import annotations

import os
import threading
import time

import pytest

from ubench.errors import Problem
from ubench.run import task_times
from ubench.run.task_times import TaskTime, spent, threads_of


def test_a_thread_that_works_is_known():
    done = threading.Event()
    begun = threading.Event()

    def work():
        until = time.thread_time() + 0.05
        while time.thread_time() < until:
            pass
        begun.set()
        done.wait()

    before = task_times.task_times(threads_of([os.getpid()]))
    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    tasks = threads_of([os.getpid()])
    assert thread.native_id in tasks
    used = spent(before, task_times.task_times(tasks))
    done.set()
    thread.join()
    assert used.ran_s >= 0.05
    assert used.waited_s >= 0


def test_threads_that_have_ended_are_left_out():
    assert threads_of([2**22 + 1]) == []
    assert task_times.task_times([2**22 + 1]) == {}
    assert spent({1: TaskTime(5, 5)}, {}) == TaskTime()
    assert spent({1: TaskTime(1, 2)}, {1: TaskTime(4, 3), 2: TaskTime(1, 1)}) == TaskTime(4, 2)


def test_a_kernel_without_these_times_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(task_times, "PROC", tmp_path)
    with pytest.raises(Problem, match="no /proc/PID/schedstat"):
        task_times.task_times([1])
