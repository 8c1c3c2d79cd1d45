# SPDX-License-Identifier: ISC
"""What campaigns run: programs, runners in turn, private database servers; and their output."""
