# SPDX-License-Identifier: ISC
"""The answer for a site by its Kea configuration: `ubench_report answer --kea FILE`.

What a crash loses, whether the store is fast enough for the clients, how many leases can expire,
and which parameter to change first.

`configuration` has the parameters of the file, `site` what follows from them for the clients,
`measured` the results that fit, `advice` the rules for changes, `words` every sentence, and
`screen` the 24 lines. Kea's defaults, with their sources, are in data/kea_defaults.json.
"""
