# SPDX-License-Identifier: ISC
"""Reads a Kea configuration file as a tree whose members know their file and line.

`document.read_document()` reads a file and finds the DHCP server in it. `parser` has the grammar,
`members` the maps of the tree. Nothing here knows what a parameter means: `ubench.report.advice`
and `ubench.dhcp` do.
"""
