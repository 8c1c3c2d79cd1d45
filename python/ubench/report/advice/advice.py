# SPDX-License-Identifier: ISC
"""Which parameters to change, the most urgent first."""

from __future__ import annotations

from ubench.report.advice.pair_rules import PAIR_RULES
from ubench.report.advice.population import SMALL_SITE
from ubench.report.advice.rule import Change, Facts
from ubench.report.advice.service_rules import SERVICE_RULES
from ubench.report.advice.store_rules import STORE_RULES

OTHER_RULES = (*STORE_RULES, *SERVICE_RULES)


def changes(facts: Facts) -> list[Change]:
    """Return the parameters to change, the most urgent first.

    Rules on pairs hold for each relationship with another server.
    """
    pairs = [facts.with_relationship(each) for each in facts.configuration.relationships] or [facts]
    advised = [rule.change(pair) for rule in PAIR_RULES for pair in pairs if rule.applies(pair)]
    advised += [rule.change(facts) for rule in OTHER_RULES if rule.applies(facts)]
    first: dict[tuple[str, str], Change] = {}
    for each in advised:
        first.setdefault((each.parameter.name, each.parameter.place), each)
    return list(first.values())


def wants_second_copy(facts: Facts, small_sites_too: bool = False) -> bool:
    """Return whether leases are in a file of one machine, which no parameter makes safe.

    A small site does without a second server, unless asked about it.
    """
    if not facts.has_file or facts.has_ha:
        return False
    return small_sites_too or facts.population.clients > SMALL_SITE
