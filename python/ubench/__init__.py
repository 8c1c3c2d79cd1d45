# SPDX-License-Identifier: ISC
"""ubench: benchmarks of DHCP lease stores.

The runners, in C, measure. This package reads what they wrote and says what it means
(`ubench.report`), starts campaigns of runners (`ubench.campaigns`) and measures whole DHCP
servers (`ubench.dhcp`). docs/internals.md has the layers.
"""

__version__ = "1.0.0"
