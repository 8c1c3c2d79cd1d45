# SPDX-License-Identifier: ISC
"""What the lease files of a DHCP server show: its clients, and what they require."""
