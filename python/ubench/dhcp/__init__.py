# SPDX-License-Identifier: ISC
"""Measures a whole DHCP server with its lease store, under the load of perfdhcp.

`program` is the command line of scripts/dhcp. It makes plans (`plan`), enters namespaces
(`netns`) and has `measure` carry the plans out: `config` and `site` write the configuration of a
server, `server` runs it, `leases` reads its store, `perfdhcp` is its load, and `search` looks for
the highest rate.
"""
