# SPDX-License-Identifier: ISC
"""The answer on one screen, for a person who runs Kea: whether speed is a question, what to take if
nothing may be lost, what if the last second may; and the figures behind that.  Stores that Kea
has come first and by the names that Kea gives them.  And the answer explained: every row, class
and cost, and their sources."""

from __future__ import annotations

import math
import re

from report import answer, figures, results, rows, stats, stores
from report.answer import DEMANDS, Answer, Class, Setup, Site, short
from report.rates import ESTIMATED
from report.table import WIDTH, Cell, Output, Table, fold, text

INDENT = 8   # columns before the text of a line
LINES = 24   # of the screen
LEAST_ROWS = 4
LOST = {"power-safe": "nothing", "bounded": "the last second", "process-safe": "any number",
        "volatile": "any (kill, too)", None: "not known"}
# The settings that a class rests on, and what the screen calls them.
SETTINGS = (("innodb_flush_log_at_trx_commit=([0-9])", "flush {}"),
            ("synchronous_commit=([a-z_]+)", "sync {}"), ("full_page_writes=(off)", "pages {}"),
            ("(?<=log_bin=ON, )sync_binlog=(0)", "binlog {}"), ("without innodb_(doublewrite)",
            "no {}"), ("synchronous=[0-9] .([A-Z]+)", "{}"), ("persist=(false)", "persist {}"))
# With a binary log, the former alone loses the last changes (results/crash-2026-11-mysql.jsonl).
BESIDE = {"innodb_flush_log_at_trx_commit=1": " and sync_binlog=1"}


def in_kea(setup: Setup) -> str | None:
    """Its name in Kea's configuration; None if Kea has no such store."""
    store = stores.keeper(setup.row.results[0])
    return "memfile" if setup.row.store.startswith("kea") and not store.server else store.in_kea


def setting_of(setup: Setup) -> tuple[str, str]:
    """The settings of its class, short ("flush 1") and as they are typed; "" if none is known."""
    text = setup.row.results[0]["durability"]["from"] or ""
    found = [(name, match) for pattern, name in SETTINGS for match in [re.search(pattern, text)]
             if match]
    typed = " and ".join(match[0] for _, match in found if " " not in match[0])
    return " ".join(name.format(match[1].lower()) for name, match in found), \
        typed + BESIDE.get(typed, "") * (setup.row.cls == "power-safe")


def name_of(setup: Setup) -> str:
    kea = in_kea(setup)
    if kea is None:
        name = "ubench's memfile" if setup.row.store == "memfile" else \
            f"{setup.row.store}, not in Kea"
    else:
        setting = setting_of(setup)[0] or \
            "persist false" * (kea == "memfile" and setup.row.cls == "volatile")
        name = " ".join(filter(None, (kea, setting)))
    return name + "*" * setup.is_server


def most_served(site: Site, setup: Setup) -> tuple[int, bool] | None:
    """So many clients have what they need with the reserve; and whether there may be more, as
    nothing is said of more than ten times the leases that were measured.  None: not known."""
    found = answer.served(site, setup)
    if not found:
        return None
    least, most = min(found.values()), min(answer.most_clients(setup, demand) for demand in found)
    return int(min(least, most)), least > most


def ordered(of: Answer) -> list[Setup]:
    """The stores that Kea has, by class, and then all others.  One setup stands for a store and
    class: the whole server if it was measured, or the one of which most is known, for the most
    clients."""
    best: dict = {}
    for setup in of.setups:
        rank = (setup.is_server, sum(bool(rate.kind) for rate in setup.rates),
                (most_served(of.site, setup) or (0, False))[0])
        name = (setup.row.cls, name_of(setup).rstrip("*"))
        if name not in best or rank > best[name][0]:
            best[name] = rank, setup
    classes = list(dict.fromkeys(cls for cls, _ in best))
    return sorted((setup for _, setup in best.values()),
                  key=lambda setup: (in_kea(setup) is None, classes.index(setup.row.cls)))


def judged(of: Answer) -> list[Setup]:
    """The setups that the first lines are about: those that Kea has, or else all."""
    return [setup for setup in ordered(of) if in_kea(setup)] or ordered(of)


def shown_rows(of: Answer, most: int) -> list[Setup]:
    """The most that there are lines for: stores of Kea come first, then those that survive a killed
    process."""
    found = ordered(of)
    kept = sorted(found, key=lambda setup: (in_kea(setup) is None, setup.row.cls == "volatile"))
    return [setup for setup in found if any(setup is one for one in kept[:most])]


def unlimited(of: Answer) -> int:
    """So many clients each of the stores serves, if its rates would do for more; else 0."""
    found = [most_served(of.site, setup) for setup in ordered(of)]
    return min(most for most, _ in found) if all(one and one[1] for one in found) else 0


# In words


def either(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " or " * (len(names) > 1) + "".join(names[-1:])


def speed_text(of: Answer, clients: int) -> str:
    each = unlimited(of)
    return verdict_text(of, clients) + bool(each) * \
        f"  Each serves {short(each)} clients, at most ten times the leases measured."


def verdict_text(of: Answer, clients: int) -> str:
    setups = judged(of)
    found = answer.by_verdict(of.site, setups, clients)
    if found[answer.UNKNOWN] == setups:
        return "Not known for so many clients: an answer goes no further than ten times the " \
               f"leases in the store; --preload={math.ceil(clients / answer.MOST_LEASES)} has " \
               "enough."
    if found[answer.ENOUGH] == setups:
        whose = "measured store of Kea" if any(map(in_kea, of.setups)) else \
            "store measured here (Kea has none of them)"
        least = min(answer.least_times(of.site, setup, clients) for setup in setups)
        return f"Each {whose} is fast enough: at least {short(least)} times the need."
    return "  ".join(f"{what}: {', '.join(dict.fromkeys(map(name_of, found[verdict])))}."
                     for what, verdict in (("Too slow", answer.SLOW),
                                           ("Fast enough", answer.ENOUGH),
                                           ("Not known for so many clients", answer.UNKNOWN))
                     if found[verdict])


def choices(of: Answer, clients: int, classes: tuple) -> str:
    """The stores of Kea in these classes that are not too slow, each with its fastest settings; ""
    if there are none."""
    found = [setup for setup in ordered(of) if in_kea(setup) and setup.row.cls in classes and
             answer.verdict(of.site, setup, clients) != answer.SLOW]
    best: dict = {}
    for setup in sorted(found, key=lambda one: [-rate.per_s for rate in one.rates]):
        best.setdefault(in_kea(setup), setting_of(setup)[1])
    return either([" with ".join(filter(None, one)) for one in best.items()])


def cost_text(of: Answer) -> str:
    """How the stores of Kea that lose nothing differ, and what that costs each of them."""
    rivals = [answer.make_pair(pair.second, pair.first)._replace(shown=pair.shown)
              for cls in of.classes for pair in cls.pairs.values()
              if in_kea(pair.second) not in (None, in_kea(pair.first))]
    parts = []
    for pair in rivals + of.prices:
        first, second, contrast, shown = pair
        if not (in_kea(first) and in_kea(second)) or first.row.cls != "power-safe" or \
                not pair.interval:
            continue
        low, high = map(short, pair.interval[:2])
        other = name_of(first) if in_kea(first) != in_kea(second) else \
            setting_of(first)[0] or first.row.cls
        parts.append(f"{name_of(second)} renews {short(contrast.ratio)} times as fast as "
                     f"{other} ({low} to {high})" if shown else f"between {name_of(second)} and "
                     f"{other} no difference is shown ({low} to {high} times as fast)")
    return "; ".join(parts) + "." * bool(parts)


def trust_text(of: Answer, clients: int) -> str:
    first = of.results[0]
    alone = [one for one in of.results if one["labels"].get("role") != results.IN_TURN]
    disturbed = [one for one in alone if one["warnings"] and one["class"]]
    least = answer.slowest(of.site, judged(of), clients)
    parts = ["the stores worked in turn for short times, so a disturbance hit all"
             if not alone else
             f"other work disturbed {len(disturbed)} of {len(alone)} results" if disturbed else
             f"{len(alone)} results, none of them disturbed"]
    if least < math.inf:
        parts[0] += f"; even the slowest {'run' if alone else 'stretch'} did " \
            f"{short(least)} times the need"
    if of.site.rtt_s:
        parts.append("rates of databases are computed: each statement is a round trip, and takes "
                     f"{figures.duration(round(of.site.rtt_s * 1e9))} longer than it was measured")
    place = [first["host"].get(name) for name in ("file_system", "device") if
             first["host"].get(name)]
    parts += [f"disk: {' on '.join(place)}"] if place else []
    parts.append("* is a whole DHCP server" if any(setup.is_server for setup in ordered(of)) else
                 "the store alone: a whole Kea is slower")
    return ".  ".join(part[0].upper() + part[1:] for part in parts) + "."


def more_text(of: Answer, hidden: int) -> str:
    text = f"{hidden} more rows, " if hidden > 1 else "one more row, " if hidden else ""
    text += "all classes and costs: ubench_report answer --explain FILE"
    if not {"mysql", "postgresql"} <= {in_kea(setup) for setup in of.setups}:
        text += ".  Kea's own stores, with databases: scripts/bench.sh kea"
    elif not any(setup.is_server for setup in of.setups):
        text += ".  A whole Kea: scripts/dhcp"
    return text + ".  A database of your own: README.md."


def lines_above(of: Answer, clients: int) -> list[tuple[str, str]]:
    """The answer to a person who runs Kea."""
    lines = [("SPEED", speed_text(of, clients))]
    nothing = choices(of, clients, ("power-safe",))
    second = choices(of, clients, ("bounded",)) or nothing
    safe = [setup for setup in ordered(of) if in_kea(setup) and
            setup.row.cls in ("power-safe", "bounded")]
    if safe and not second:
        return lines + [("SAFETY", "The stores of Kea that lose nothing, or the last second alone, "
                         "are too slow here.")]
    if not second:
        lost = "A power cut takes any number of leases from each store of Kea that was measured" \
            if any(map(in_kea, ordered(of))) else \
            "No store of Kea was measured.  A power cut takes any number of leases from its memfile"
        return lines + [("SAFETY", f"{lost}; mysql and postgresql can be set to lose none.")]
    return lines + [
        ("SAFETY", f"If nothing may be lost: {nothing}." if nothing else
         "Nothing that was measured loses nothing; mysql and postgresql can."),
        ("", f"If the last second may be lost: {second}." + "  memfile can lose any number." *
         any(in_kea(setup) == "memfile" for setup in ordered(of)))]


def lines_below(of: Answer, clients: int, hidden: int) -> list[tuple[str, str]]:
    return [("COST", cost_text(of)), ("TRUST", trust_text(of, clients)),
            ("MORE", more_text(of, hidden))]


def height(lines: list[tuple[str, str]]) -> int:
    """The lines that they take."""
    return sum(fold(words, WIDTH, INDENT).count("\n") + 1 for _, words in lines if words)


def table(of: Answer, clients: int, setups: list[Setup], explained: bool = False) -> Table:
    """explained: rows have the names that other commands give them."""
    limited = not unlimited(of)
    loss = explained and any(rows.node_loss(setup.row) for setup in setups)
    made = Table(("class|store|in Kea" if explained else "power cut takes|store")
                 + "|renew/s>|restart/s>|times>" + "|most clients>" * limited
                 + "|node loss" * loss)
    before = None
    for setup in setups:
        first = setup.row.section.title if explained else LOST[setup.row.cls]
        least = answer.least_times(of.site, setup, clients)
        served = most_served(of.site, setup)
        made.add("" if first == before and not explained else first,
                 *((setup.row.label, in_kea(setup) or "no") if explained else [name_of(setup)]),
                 *("~" * (rate.kind == ESTIMATED) + short(rate.per_s)
                   if rate.kind else None for rate in setup.rates),
                 None if least is None else short(least) if least < 9995 else ">9999",
                 *[served and ("over " * served[1] + short(served[0]))] * limited,
                 *[rows.node_loss(setup.row) or None] * loss)
        before = first
    needs = [answer.need(of.site, demand, clients) for demand in (0, 1)]
    made.add("needed", f"{of.site.reserve:.3g} times is enough", *[""] * explained,
             *("<0.01" if need < 0.01 else short(need) for need in needs),
             f"{of.site.reserve:.3g}", *[f"{clients:,}"] * limited, *[""] * loss)
    return made


def print_screen(of: Answer, out: Output) -> None:
    clients = answer.choose_clients(of)
    above = lines_above(of, clients)
    # The table has what is left beside the headline and a gap.
    left = LINES - 2 - height(above) - height(lines_below(of, clients, len(of.setups)))
    most = left - 2
    while most > LEAST_ROWS and \
            text(table(of, clients, shown_rows(of, most))).count("\n") > left:
        most -= 1
    setups = shown_rows(of, most)
    out.note(answer.headline(of.site, clients))
    out.pairs(above, INDENT)
    out.gap()
    out.table(table(of, clients, setups))
    out.pairs(lines_below(of, clients, len(of.setups) - len(setups)), INDENT)


# The answer explained

SHARDS = ("side by side, each with a store and a part of the subnets of its own; each does what "
          "its clients need, with the reserve.  1 to 3, limited by leases: 1 by the rates, 3 if "
          "nothing is extrapolated beyond ten times the leases that were measured; measure that "
          "many (--preload; --leases of dhcp) to know")
CHANCE = ("a renews faster, by more than chance.  a = b, uncertain: it may be chance, even where "
          "an interval leaves out 1, because many are compared at once")


def order_text(cls: Class) -> str:
    """"memfile > sqlite > mysql = pgsql", where > is more than chance; or "".  Setups are in the
    order of all of their runs; a pair may have others in common."""
    def sign(pair):
        return "=" if not pair.shown else ">" if pair.contrast.ratio < 1 else "<"

    labels = [setup.row.label for setup in cls.setups]
    steps = [cls.pairs[i, i + 1] for i in range(len(labels) - 1)]
    if not steps or not all(pair.interval for pair in steps):
        return ""
    words = labels[0] + "".join(f" {sign(pair)} {name}" for pair, name in zip(steps, labels[1:]))
    return ", ".join([words] + [
        f"{labels[i]} {sign(pair)} {labels[k]}" for (i, k), pair in cls.pairs.items()
        if pair.shown and not any(step.shown for step in steps[i:k])])


def shard_table(of: Answer) -> Table:
    """Without rows if one server is enough with every store."""
    def range_cell(low, high):
        return Cell(f"{low:,} to {high:,}" if low < high else f"{high:,}", high)

    made = Table("class|store|servers>|clients each>|limited by")
    clients, found = of.site.clients, [answer.shards(of.site, one) for one in of.setups]
    several = any(one and one[1] > 1 for one in found)
    for setup, one in zip(of.setups, found) if several else ():
        by_rates, count, limit = one or (1, 1, None)
        made.add(setup.row.section.title, setup.row.label, one and range_cell(by_rates, count),
                 one and range_cell(math.ceil(clients / count), math.ceil(clients / by_rates)),
                 limit)
    return made


def price_table(of: Answer) -> Table:
    made = Table("what safety costs|instead of|store|times slower>|95 % interval>")
    for pair in of.prices:
        first, second, contrast, shown = pair
        made.add(first.row.section.title, second.row.section.title, first.row.label,
                 "not alike" if not contrast else "uncertain" if pair.interval and not shown else
                 Cell(short(contrast.ratio), contrast.ratio),
                 " to ".join(map(short, pair.interval[:2])) if pair.interval else None)
    return made


def rates_note(of: Answer) -> str:
    """How many runs the rates are of, and the exchanges that they come from."""
    known = [rate for setup in of.setups for rate in setup.rates if rate.kind]
    least = min((rate.runs for rate in known), default=0)
    parts = ["the median of " + "at least " * any(rate.runs > least for rate in known)
             + figures.plural(least, "run")]
    if len(of.threads) > 1:
        first, *others = of.threads
        parts[0] += f" with {figures.plural(first, 'thread')} (--where threads=" \
            f"{', '.join(map(str, others))}: the others)"
    for demand, name in enumerate(DEMANDS):
        sources = dict.fromkeys("~" * (rate.kind == ESTIMATED) + rate.source for rate in
                                (setup.rates[demand] for setup in of.setups) if rate.kind)
        parts += [f"{name}: {', '.join(sources)}"] if sources else []
    return "; ".join(parts) + ".  ~ is estimated, the others were measured" * any(
        rate.kind == ESTIMATED for rate in known)


def unknown_note(of: Answer, clients: int) -> str:
    """Why rates are not known, or not for so many clients."""
    found = list(dict.fromkeys(rate.source for setup in of.setups for rate in setup.rates
                               if not rate.kind))
    if any((answer.most_clients(setup, demand) or clients) < clients
           for setup in of.setups for demand in (0, 1)):
        found.append("not extrapolated beyond ten times the leases that were in the store; "
                     f"--preload={math.ceil(clients / answer.MOST_LEASES)}, or for a server "
                     "--leases of scripts/dhcp, measures with more")
    return "; ".join(found)


def notes(of: Answer, clients: int) -> list[tuple[str, str]]:
    """The meaning of the figures and of the marks in the tables."""
    runs = [rate.runs for setup in of.setups for rate in setup.rates if rate.kind] or [0]
    chance = ("a > b", CHANCE) if min(runs) >= stats.LEAST else (
        "chance", "any difference may be chance: 6 runs of each are needed (scripts/sweep)")
    return [("servers", SHARDS * bool(shard_table(of).rows)),
            chance if len(of.setups) > 1 else ("", ""), ("rates", rates_note(of)),
            ("n/a", unknown_note(of, clients)),
            ("node loss", rows.NODE_LOSS * any(rows.node_loss(one.row) for one in of.setups)),
            ("trust", trust_text(of, clients))]


def print_explained(of: Answer, out: Output) -> None:
    clients = answer.choose_clients(of)
    out.note(answer.headline(of.site, clients))
    out.pairs(lines_above(of, clients), INDENT)
    out.gap()
    out.tables(table(of, clients, of.setups, True), shard_table(of), price_table(of))
    for cls in of.classes:
        order = order_text(cls)
        out.item(f"{cls.section.title}: {cls.section.meaning}"
                 + f".  Faster: {order}" * bool(order))
    out.gap()
    out.pairs(notes(of, clients))
