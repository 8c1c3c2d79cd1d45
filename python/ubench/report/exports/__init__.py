# SPDX-License-Identifier: ISC
"""Verdicts and ratios in files for build servers and for tools that keep a history."""
