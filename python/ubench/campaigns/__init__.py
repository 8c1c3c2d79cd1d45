# SPDX-License-Identifier: ISC
"""Campaigns: duels, sweeps and crashes of many runs."""
