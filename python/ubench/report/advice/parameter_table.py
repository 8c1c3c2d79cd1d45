# SPDX-License-Identifier: ISC
"""The table of every parameter that was read, with its value and place."""

from __future__ import annotations

from collections import Counter

from ubench import units
from ubench.kea_config.members import cut_name
from ubench.report.advice import sentences, words
from ubench.report.advice.configuration import Configuration, Parameter
from ubench.report.advice.population import Population
from ubench.report.table import Table, texts

VALUE_MOST = 40  # characters of a value
VALUES_SHOWN = 8  # rows for one parameter whose values differ between subnets


def parameter_table(configuration: Configuration, population: Population) -> Table:
    """Return every parameter that was read, with its value and place."""
    table = Table(texts("parameter", "value, in Kea's unit", "from"))
    mode = configuration.ha.mode if configuration.ha else None
    table.add("mode", sentences.as_text(mode), "")
    for section in configuration.maps():
        for parameter in section.parameters():
            table.add(parameter.name, shown_value(parameter), shown_place(parameter))
    subnets = len(population.used_subnets)
    for name, alternatives in inherited(population).items():
        form = words.PLACE_OF_SOME if len(alternatives) > 1 else words.PLACE
        for (value, place), count in list(alternatives.items())[:VALUES_SHOWN]:
            table.add(name, value, form.format(place=place, count=count, subnets=subnets))
        hidden = len(alternatives) - VALUES_SHOWN
        if hidden > 0:
            table.add(name, words.OTHER_VALUES.format(count=units.count(hidden)), "")
    return table


def inherited(population: Population) -> dict[str, Counter[tuple[str, str]]]:
    """Return the values and places of each parameter of subnets, with the number of subnets."""
    found: dict[str, Counter[tuple[str, str]]] = {}
    for subnet in population.used_subnets:
        for parameter in subnet.parameters():
            values = found.setdefault(parameter.name, Counter())
            values[shown_value(parameter), shown_place(parameter)] += 1
    return found


def shown_value(parameter: Parameter[object]) -> str:
    """Return the value of a parameter, short enough for the table."""
    return cut_name(sentences.value(parameter), VALUE_MOST)


def shown_place(parameter: Parameter[object]) -> str:
    """Return the place of a parameter, or that it is Kea's default."""
    return parameter.place or words.DEFAULT
