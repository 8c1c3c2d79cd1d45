# SPDX-License-Identifier: ISC
"""The lines of former versions, and the description that the runners give of themselves."""
