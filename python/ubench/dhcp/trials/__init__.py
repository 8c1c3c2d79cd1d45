# SPDX-License-Identifier: ISC
"""What trials of servers show besides the lease rate.

`outcome` is what becomes of leases, servers and clients. `heard` compares what the clients of
several servers on one database heard, which `listener` writes down, with their leases.
"""
