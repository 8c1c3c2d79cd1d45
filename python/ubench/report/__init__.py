# SPDX-License-Identifier: ISC
"""The meaning of results: ubench_report and its commands.

A command is a module with two functions, which `program` calls:

    def make_parser(program: str) -> cli.Parser
    def run(options: argparse.Namespace, complain: Complain) -> int

`run` prints, and returns the exit status. Observations come from `ubench.records`, statistics from
`ubench.stats`; `grouping` puts observations of one configuration together, and `table` prints.
"""
