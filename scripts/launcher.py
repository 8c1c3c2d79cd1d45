#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""ubench_report: `make` puts this beside the package report, or installs it, as ubench_report."""
import os
import sys

if sys.version_info < (3, 9):
    sys.exit("ubench_report: needs Python 3.9 or later")
sys.path[0] = os.path.join(os.path.dirname(os.path.realpath(__file__)), "@LIBRARY@")

from report.__main__ import main  # noqa: E402

sys.exit(main(sys.argv[1:], "@VERSION@"))
