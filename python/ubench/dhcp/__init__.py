# SPDX-License-Identifier: ISC
"""Measures a whole DHCP server with its lease store, under the load of perfdhcp.

`program` is scripts/dhcp. `request` makes plans (`plan`) of the command line (`commands`,
`options`). In namespaces of their own (`netns`), `series` carries them out in turn: `measure` runs
the trials of a plan, `search` says at which rates. `config` and `site` write the configuration of
a server, `server` runs it, `store` has its databases and leases, `perfdhcp` is its load.

What a trial shows is in `trial` and `trials`.
"""
