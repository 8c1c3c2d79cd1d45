# SPDX-License-Identifier: ISC
"""The answer for a site by the configuration of its Kea: what a crash loses, how many clients it
serves, how many leases can expire, and which setting to change first.  file reads the
configuration; site has its facts, measured has the results that fit it, and advice has what to
change."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from report import answer, plain, rows, screen
from report.answer import Answer, Site, short, time_text
from report.kea import advice
from report.kea.file import NAMES, cut_name, place
from report.kea.measured import Match, match
from report.kea.site import FOREVER, INHERITED, PAIR, SETTINGS, Kea, words
from report.rows import Row
from report.table import Output, Table

ARM = "arm/X is kea.readthedocs.io/en/latest/arm/X.html"
NAME_MOST, VALUE_MOST = 40, 40  # characters of a file's name, and of a value in the table
INHERITED_ROWS = 8  # rows of the table for one setting that differs between subnets
# Lines that give way if the screen is full, the first first; --explain has them.  With each, how
# many rows of the table stay.  What a power cut loses always stays.
GIVE_WAY = {"SAFER": 3, "EXPIRE": 3, "MACHINE": 2, "KILL": 1}
Line = tuple[str, str]


def plural(count: int, name: str) -> str:
    return f"1 {name}" if count == 1 else f"{count:,} {name}{'es' if name[-1] == 's' else 's'}"


def headline(kea: Kea) -> str:
    """The file in a line."""
    if kea.addresses and not kea.clients:
        size = "large pools"
    else:
        parts = [(kea.addresses, "address"), (kea.reserved, "reservation")]
        size = ", ".join(plural(count, name) for count, name in parts if count) or "no pools"
    name = cut_name(os.path.basename(kea.path), NAME_MOST)
    return f"{name}: DHCPv{kea.family}, {kea.kind}, {size}, {lifetimes_text(kea)}"


def lifetimes_text(kea: Kea) -> str:
    lifetimes = {subnet.lifetime for subnet in kea.used}
    low, high = min(lifetimes), max(lifetimes)
    if low >= FOREVER:
        return "leases without end"
    if high >= FOREVER:
        return f"leases of {time_text(low)} and more, some without end"
    if low == high:
        return f"leases of {time_text(low)}"
    return f"leases of {time_text(low)} to {time_text(high)}"


def clients_text(kea: Kea, given: int) -> str:
    """Where the number of clients is from, and what the file has besides."""
    return "  ".join([number_text(kea, given), *unread(kea)])


def number_text(kea: Kea, given: int) -> str:
    size = plural(kea.addresses, "address")
    if given and kea.family == 4 and 0 < kea.clients < given:
        return f"{given:,} by --clients.  The file has only {size} in pools and " \
            f"{plural(kea.reserved, 'reservation')} outside of them."
    if given:
        return f"{given:,} by --clients."
    if kea.clients:
        if not kea.addresses:
            source = "one for each reserved address"
        elif kea.reserved:
            source = "one for each address of the pools and each reservation outside of them"
        else:
            source = "one for each address of the pools"
        return f"{kea.clients:,}, {source} (--clients=N: another number)."
    if kea.addresses:
        return f"not known: the pools have {size}, which is more than there are clients.  Add " \
            "--clients=N."
    return "not known: the file has no pools and no reserved addresses.  Add --clients=N."


def unread(kea: Kea) -> list[str]:
    """Sentences on what the file has and the answer does not count."""
    found = []
    control = kea.site.value("config-control", "map")
    if control is not None and control.value("config-databases", "maps", []):
        found.append("Subnets in the configuration database are not read (config-control, "
                     f"{place(kea.site, 'config-control', kea.path)}).")
    for name in ("hosts-database", "hosts-databases"):
        if kea.site.get(name):
            found.append(f"Reservations in a database are not read ({name}, "
                         f"{place(kea.site, name, kea.path)}).")
    if kea.class_lifetimes:
        found.append("Lifetimes of client classes are not counted.")
    if kea.ha is not None and relationships(kea) > 1:
        found.append(f"Of {relationships(kea)} HA relationships the first is read.")
    if kea.others:
        names = [name if name in NAMES else "a member of another name" for name in kea.others]
        found.append(f"Only Dhcp{kea.family} is read: the file also has "
                     f"{', '.join(dict.fromkeys(names))}, which needs a file of its own.")
    return found


def relationships(kea: Kea) -> int:
    return sum(len(hook["parameters"].get("high-availability", []))
               for hook in kea.site.value("hooks-libraries", "maps", [])
               if isinstance(hook.get("parameters"), dict))


def need_text(kea: Kea, clients: int) -> str:
    """When the clients renew; "" if they are not known or do not renew."""
    times = [subnet.renewal for subnet in kea.used if subnet.lifetime < FOREVER]
    if not clients or not times:
        return ""
    low, high = time_text(round(min(times))), time_text(round(max(times)))
    after = low if low == high else f"{low} to {high}"
    return f"1 client renews after {after}" if clients == 1 else \
        f"{clients:,} clients renew after {after}"


def rate_text(per_s: float) -> str:
    return "less than 0.01" if per_s < 0.01 else short(per_s)


def speed_text(kea: Kea, site: Site, found: Match | None) -> str:
    """Whether the store is fast enough, and what the results are of."""
    renews = need_text(kea, site.clients)
    if found is None:
        if renews:
            needs = [rate_text(answer.need(site, demand, site.clients)) for demand in (0, 1)]
            renews = f"{renews}: {needs[0]} renewals/s, and {needs[1]} restarts/s if all are " \
                f"back within {time_text(site.restart_s)}.  "
        measure = "bench.sh kea" if kea.family == 4 else "dhcp rate -6"
        return f"{renews}No result of Kea's {kea.kind} with DHCPv{kea.family} was given; " \
            f"scripts/{measure} measures it."
    if not site.clients:
        verdict = "Not known without the number of clients.  The table has how many each store " \
            "can serve."
    else:
        verdict = screen.speed_text(found.answer)
    return "  ".join(filter(None, [renews and f"{renews}.", verdict, *found.notes,
                                   distance_text(kea, site, found.answer)]))


def distance_text(kea: Kea, site: Site, made: Answer) -> str:
    """Where the database was when it was measured, and where that of the file is."""
    if not kea.is_database or not (kea.remote_host or site.place.rtt_s):
        return ""
    where = f"The file has its database on {kea.remote_host}.  " if kea.remote_host else ""
    if site.clients:
        return where + answer.network_text(made, screen.judged(made))
    return where + "Measured with the database on the same machine (--rtt=1ms adds a network)."


def sources(made: Answer | None, setups: list[Row], short_runs: Sequence[str],
            explain: bool) -> str:
    """The files that the rates come from, what they are of, and how many runs do not count."""
    parts = []
    if made is not None:
        parts.append(", ".join(dict.fromkeys(
            cut_name(os.path.basename(result["file"]), NAME_MOST)
            for setup in setups for result in setup.results)) + ".")
        parts.append("* is a whole server." if any(setup.is_server for setup in setups) else
                     "Kea's own work is not counted.")
        parts += [f"{words}." for words in screen.search_texts(screen.ordered(made))]
        if made.site.place.sync_s:
            parts.append(f"{screen.sync_text(made)}.")
        table = screen.table(made, setups)
        seen = "".join(cell.text for row in table.rows for cell in row)
        parts += [text for mark, text in screen.MARKS.items() if mark in seen]
    if short_runs and explain:
        parts.append(f"{answer.short_text(short_runs)}.")
    elif short_runs:
        parts.append("1 run was too short to count." if len(short_runs) == 1 else
                     f"{len(short_runs):,} runs were too short to count.")
    return "  ".join(parts)


def is_fast_enough(made: Answer | None, clients: int) -> bool | None:
    """Whether all setups are that the verdict is about; None if they differ, or if it is not
    known."""
    if made is None or not clients:
        return None
    verdicts = {made.fits[setup].verdict for setup in screen.judged(made)}
    return {answer.ENOUGH: True, answer.SLOW: False}.get(
        verdicts.pop() if len(verdicts) == 1 else answer.UNKNOWN)


def store_table(made: Answer, setups: list[Row], clients: int) -> Table:
    """The stores; without a number of clients, without that which depends on it."""
    made_table = screen.table(made, setups)
    if clients:
        return made_table
    kept = [i for i, head in enumerate(made_table.heads) if head != "times"]
    table = Table([made_table.heads[i] + (">" if made_table.sides[i] == "r" else "") for i in kept])
    for row in made_table.rows[:-1]:
        table.add(*(row[i] for i in kept))
    return table


class Screen:
    """The lines above and below the table, and the table."""

    def __init__(self, kea: Kea, site: Site, options: dict[str, Any], found: Match | None,
                 short_runs: Sequence[str]):
        self.made = found.answer if found else None
        self.clients, self.explain = site.clients, bool(options["explain"])
        self.short_runs = short_runs
        self.setups = screen.ordered(self.made) if self.made else []
        changes = advice.changes(kea, site.clients, is_fast_enough(self.made, site.clients))
        first, *others = list(map(str, changes)) or ["No setting of this file needs a change."]
        self.above: list[Line] = [
            ("CLIENTS", clients_text(kea, options["clients"] or 0)),
            *advice.losses(kea, bool(self.setups)),
            ("SPEED", speed_text(kea, site, found))]
        self.below: list[Line] = [
            ("EXPIRE", advice.expiry_text(kea, site.clients)), ("FIRST", first),
            ("SAFER", advice.safer_text(kea, site.clients, self.explain))]
        self.more = [("THEN", text) for text in others]
        if not self.explain:
            self.shorten()

    def lines(self) -> list[Line]:
        """The lines below the table."""
        source = sources(self.made, self.setups, self.short_runs, self.explain)
        below = [*self.below, ("FROM", source)]
        if self.explain:
            return [*below, *self.more, ("MORE", ARM)]
        return [*below, ("MORE", f"--explain has more.  {ARM}" if self.more else ARM)]

    def table(self) -> Table | None:
        return store_table(self.made, self.setups, self.clients) if self.made else None

    def fits(self) -> bool:
        return screen.fits([*self.above, *self.lines()], self.table() or Table(""))

    def shorten(self) -> None:
        """Leaves out rows, and then lines that are less urgent, until all fits the screen."""
        self.shorten_table(screen.LEAST_ROWS)
        everything, gone = (self.above, self.below, self.more), []
        for label, rows_left in GIVE_WAY.items():
            if self.fits():
                break
            gone.append(label)
            self.leave_out(gone, *everything)
            self.shorten_table(rows_left)
        for label in reversed(gone):  # what gave way first may be longer than was needed
            fewer = [name for name in gone if name != label]
            self.leave_out(fewer, *everything)
            if self.fits():
                gone = fewer
        self.leave_out(gone, *everything)

    def leave_out(self, labels: list[str], above: list[Line], below: list[Line],
                  more: list[Line]) -> None:
        """All of these lines but those with the labels, which --explain has."""
        self.above = [line for line in above if line[0] not in labels]
        self.below = [line for line in below if line[0] not in labels]
        self.more = more + [line for line in above + below if line[0] in labels and line[1]]

    def shorten_table(self, least: int) -> None:
        while len(self.setups) > least and self.made and not self.fits():
            self.setups = screen.shown_rows(self.made, len(self.setups) - 1)


def settings_table(kea: Kea) -> Table:
    """Every setting that was read, with its place."""
    table = Table("setting|value|where")

    def add(name: str, value: str, where: str) -> None:
        table.add(name, plain(cut_name(value, VALUE_MOST)),
                  where.replace("not in the file", "the default"))

    add("type", kea.kind, "")
    add("mode", kea.mode, "")
    defaults = {name: setting for group in SETTINGS.values() for name, setting in group.items()}
    for name, value in kea.values.items():
        if name in PAIR and kea.ha is None:
            continue
        where, setting = kea.places[name], defaults.get(name)
        is_default = where == "not in the file" and setting is not None
        add(name, setting.words if is_default and setting.words else words(value), where)
    for name in INHERITED:
        found = kea.inherited(name)
        for value, where, count in found[:INHERITED_ROWS]:
            subnets = f" ({count:,} of {len(kea.used):,} subnets)" if len(found) > 1 else ""
            add(name, value, where + subnets)
        if len(found) > INHERITED_ROWS:
            add(name, f"{len(found) - INHERITED_ROWS:,} other values or places", "")
    return table


def run(options: dict[str, Any], site: Site, found: list[dict],
        short_runs: Sequence[str] = ()) -> int:
    """options and site: of the answer's command line; what the file says of the site counts.
    short_runs: those that were too short to count."""
    kea = Kea(options["kea"])
    life_s = kea.lease_s
    site = site._replace(clients=site.clients or kea.clients, lease_s=life_s,
                         renew_at=kea.renew_s / life_s)
    rows.check_settings("where", options["where"], found)
    fitting = match(kea, site, found, options["where"]) if found else None
    out = Output(options["format"])
    shown = Screen(kea, site, options, fitting, short_runs)
    out.note(headline(kea))
    out.pairs(shown.above, screen.INDENT)
    table = shown.table()
    if table:
        out.gap()
        out.table(table)
    out.pairs(shown.lines(), screen.INDENT)
    if options["explain"]:
        out.labelled("CACHE", "Kea 3.0 writes nothing if a client asks again within a quarter of "
                     "its lease (cache-threshold); a restart is counted as a write.", screen.INDENT)
        out.gap()
        out.table(settings_table(kea))
    return 0
