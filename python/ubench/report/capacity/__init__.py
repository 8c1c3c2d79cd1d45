# SPDX-License-Identifier: ISC
"""Which stores are fast enough for the clients of a site.

`site` has what the clients require, `rates` and `elsewhere` how often per second a store did it,
here or across a network, `setups` and `fit` what that means for the site, and `verdicts` the
answer as data. `words`, `sentences`, `screen`, `explain` and `export` print it.
"""
