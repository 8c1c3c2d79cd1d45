# SPDX-License-Identifier: ISC
"""The answer for a site by its Kea configuration: `ubench_report answer --kea FILE`.

What a crash loses, whether the store is fast enough for the clients, how many leases can expire,
and which parameter to change first.

`reading` reads the parameters of the file into `configuration`; `population` has the site's
clients, `losses` what crashes lose, `measured` the results that fit. `advice` has the rules for
changes, `words` every sentence, which `sentences` chooses and fills in; `screen` lays them out.
Kea's defaults, with their sources, are in data/kea_defaults.json.
"""
