# SPDX-License-Identifier: ISC
"""Lines of results, read from their files into frozen dataclasses.

`observation` has what all commands know; `server`, `trials`, `duel` and `crash` have what one kind
of line has besides. Each format has an adapter of its own. Nothing here prints, or knows a command.
"""
