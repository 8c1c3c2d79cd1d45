# SPDX-License-Identifier: ISC
"""Results of others: what they must prove, what of them may be public, and what they are named."""
