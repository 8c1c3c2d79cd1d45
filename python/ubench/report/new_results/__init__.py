# SPDX-License-Identifier: ISC
"""Commands that make results: of another tool's output, and of the time that a disk needs."""
