# SPDX-License-Identifier: ISC
"""Servers on one database, whose clients compete for the addresses of one pool."""
