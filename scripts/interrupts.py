# SPDX-License-Identifier: ISC
"""Imported first: a signal that comes while a program is still being loaded ends it at once,
without a traceback.  Nothing has been begun then that would have to be put back."""

import os
import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
for one_signal in SIGNALS:
    signal.signal(one_signal, lambda number, _: os._exit(130 if number == signal.SIGINT else 143))
