# SPDX-License-Identifier: ISC
"""What a duel shows: its statistics, whether it counts, and whether it passes a gate."""
