# SPDX-License-Identifier: ISC
"""Starts the program of a launcher in scripts/.

A signal that comes while a program's modules are still being loaded ends it at once, without a
traceback: nothing has been begun that would have to be put back.
"""

import importlib
import os
import signal
import sys

if sys.version_info < (3, 10):  # noqa: UP036 # clearer than an error of syntax
    sys.exit("ubench: needs Python 3.10 or later")

from ubench.signals import set_handler


def _exit_at_once(number: int, _frame: object) -> None:
    os._exit(130 if number == signal.SIGINT else 143)


def launch(module: str, *more: str) -> None:
    """Import a module, run its `main` with this program's arguments and `more`, and exit."""
    set_handler(_exit_at_once)
    sys.exit(importlib.import_module(module).main(sys.argv[1:], *more))
