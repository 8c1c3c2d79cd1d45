#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""ubench_report: reads results. `make` fills in the folder of the package and the version."""
import os
import sys

sys.path[0] = os.path.join(os.path.dirname(os.path.realpath(__file__)), "@LIBRARY@")
from ubench.launch import launch

launch("ubench.report.program", "@VERSION@")
