# SPDX-License-Identifier: ISC
"""The answer on one screen, for a person who runs Kea: whether speed is a question, what to take if
nothing may be lost, what if the last second may.  Stores that Kea has come first and by the names
that Kea gives them.  And what there is no line for: every row, class and cost."""

from __future__ import annotations

import math

from report import answer, figures, rates, results, rows, servers, stats, stores
from report.answer import DEMANDS, Answer, short, time_text
from report.rates import ESTIMATED
from report.rows import Row
from report.table import WIDTH, Cell, Output, Table, fold, text

INDENT = 8   # columns before the text of a line
LINES = 24   # of the screen
LEAST_ROWS = 3
NAME_WIDTH = 25  # of a store, for which the table has room beside its longest head
# The losses in a power cut, by class; and those of a volatile database that writes by the clock.
# With "+" they are lost as well if only the process is killed.
LOST = {"power-safe": "nothing", "bounded": "the last second", "": "the last second +",
        "process-safe": "any number", "volatile": "any number +", None: "not known"}
MEMFILE = "With memfile a power cut can lose any number of recent leases."
MARKS = {"+": "+ also if only the process is killed.", "~": "~ estimated.",
         "#": "# published by others, not measured here."}
# Warnings that say something about the rate of a result, by their codes.
DISTURBANCES = {"steal", "other-work", "load"}
WARNED = {"cpu-limit": "A CPU limit held back {}", "search": "The rate was not confirmed in {}",
          "load-limit": "The load was the limit in {}, whose server may take more"}
# Searches for a whole server's rate that did not follow the rules, the better first.
SEARCHES = {"rough": "Rough (--quick): {}",
            "earlier": "Maximum of an earlier search: {}"}


def in_kea(setup: Row) -> str | None:
    """Its name in Kea's configuration; None if Kea has no such store."""
    store = stores.keeper(setup.results[0])
    return "memfile" if setup.store.startswith("kea") and not store.server else store.in_kea


def loss_of(setup: Row) -> str | None:
    """A key of LOST."""
    kill, power = (setup.results[0]["durability"][crash] for crash in ("kill", "power"))
    by_the_clock = bool(kill and power) and kill["loss"] == power["loss"] == "bounded"
    return "" if by_the_clock else setup.cls


def setting_of(setup: Row) -> tuple[str, str]:
    """The settings of its class, short ("flush 1") and as they are typed; "" if none is known."""
    settings = setup.results[0]["durability"]["settings"]
    labels = [setting["label"] for setting in settings if "label" in setting]
    typed = [f"{setting['name']}={setting['value']}" for setting in settings
             if "label" in setting or setting.get("decisive")]
    return " ".join(labels), " and ".join(typed)


def product_name(setup: Row) -> str:
    """The product that has its leases, by the name that people know, with the version where there
    are several: "MariaDB 10.11.19", "memfile"."""
    product, version = stores.product_of(setup.results[0])
    name, before = product or in_kea(setup) or setup.store, ""
    if name == "memfile":
        version, before = stores.kea_version(setup.results[0]), "of Kea "
    return f"{name} {before}{version}" if setup.versioned and version else name


def name_of(setup: Row) -> str:
    kea, name = in_kea(setup), product_name(setup)
    if kea is None:
        name = "ubench's memfile" if setup.store == "memfile" and setup.cls else \
            f"{setup.store} (not in Kea)"
    else:
        setting = setting_of(setup)[0]
        if not setting and kea == "memfile" and setup.cls == "volatile":
            setting = "persist false"
        name = " ".join(filter(None, (name, setting)))
    return name + "*" * setup.is_server + ("#" if setup.cls is None else "")


def bare_name(setup: Row) -> str:
    return name_of(setup).rstrip("*#")


def long_names(of: Answer) -> dict[rows.Row, str]:
    """By row.  Where several of a class have one name, with the label of other commands."""
    names = [(setup.section, name_of(setup)) for setup in of.setups]
    return {setup: name[1] + f" ({setup.label})" * (names.count(name) > 1)
            for setup, name in zip(of.setups, names)}


def rank(setup: Row) -> int:
    """The stores that Kea has come first, and ubench's own memfile last."""
    return 0 if in_kea(setup) else 2 if setup.store == "memfile" else 1


def search_of(setup: Row) -> str:
    """A key of SEARCHES; "" if its rate is of none of these."""
    return results.parameter(setup.results[0], "search")


def search_rank(setup: Row) -> int:
    """The more the better its rate is known."""
    return -["", *SEARCHES].index(search_of(setup))


def search_texts(setups: list[Row]) -> list[str]:
    """How many rates of whole servers are of a search that was not one by the rules."""
    found = [search_of(setup) for setup in setups
             if setup.is_server and any(rate.kind for rate in setup.rates)]
    return [words.format(f"{found.count(name):,} of {figures.plural(len(found), 'rate')}")
            for name, words in SEARCHES.items() if name in found]


def ordered(of: Answer) -> list[Row]:
    """By rank, by what a power cut takes, and by rate.  One setup stands for a store and class:
    the whole server if it was measured, or the one of which most is known, by the best search, for
    most clients."""
    best: dict = {}
    for setup in of.setups:
        known = (setup.is_server, sum(bool(rate.kind) for rate in setup.rates),
                 search_rank(setup), min((of.fits[setup].served or (0, 0))[:2]))
        name = (loss_of(setup), bare_name(setup))
        if name not in best or known > best[name][0]:
            best[name] = known, setup
    return sorted((setup for _, setup in best.values()),
                  key=lambda setup: (not setup.cls, rank(setup), [*LOST].index(loss_of(setup)),
                                     -setup.rates[0].per_s))


def judged(of: Answer) -> list[Row]:
    """The setups that the first lines are about: those that were measured here, if there are some,
    and of these those that Kea has, or else all."""
    found = [setup for setup in ordered(of) if setup.cls] or ordered(of)
    return [setup for setup in found if in_kea(setup)] or found


def shown_rows(of: Answer, most: int) -> list[Row]:
    """The most that there are lines for: stores of Kea come first, of these those that are fast
    enough, and then those that survive a killed process."""
    found = ordered(of)
    kept = sorted(found, key=lambda setup: (
        not setup.cls, rank(setup), answer.VERDICTS.index(of.fits[setup].verdict),
        setup.cls == "volatile"))
    return [setup for setup in found if setup in kept[:most]]


def either(found: dict[str, str]) -> str:
    """"mysql with SETTING or memfile"."""
    names = [" with ".join(filter(None, one)) for one in found.items()]
    return ", ".join(names[:-1]) + " or " * (len(names) > 1) + "".join(names[-1:])


def speed_text(of: Answer) -> str:
    setups = judged(of)
    found = of.by_verdict(setups)
    before = "" if setups[0].cls else "Published by others, not measured here."
    if found[answer.ENOUGH] == setups:
        parts = [before, enough_text(setups, min(of.fits[setup].least for setup in setups))]
        return "  ".join(filter(None, parts))
    parts = [f"{verdict.capitalize()}: {', '.join(dict.fromkeys(map(name_of, found[verdict])))}."
             for verdict in (answer.ENOUGH, answer.SLOW) if found[verdict]]
    if found[answer.NEAR]:
        names = dict.fromkeys(f"{name_of(setup)} ({short(of.fits[setup].least)} times)"
                              for setup in found[answer.NEAR])
        parts.insert(bool(found[answer.ENOUGH]), "Meets the need, but not "
                     f"{of.site.reserve:.3g} times: {', '.join(names)}.")
    parts.append(unknown_text(of, found[answer.UNKNOWN], not parts))
    return "  ".join(filter(None, [before, *parts]))


def enough_text(setups: list[Row], least: float) -> str:
    """The sentence if all of these are fast enough; least: how many times the need."""
    names = {product_name(setup) for setup in setups if in_kea(setup)}
    if len(names) > 1:
        return f"Each measured store of Kea is fast enough: at least {short(least)} times the need."
    if names:
        return f"{names.pop()} is fast enough: at least {short(least)} times the need."
    return "Each store measured here is fast enough (Kea has none of them): at least " \
        f"{short(least)} times the need."


def unknown_text(of: Answer, setups: list[Row], is_all: bool) -> str:
    """The stores of which too little is known, and why or how to measure it; "" for none."""
    uncomputed = [setup for setup in setups
                  if any(rate.source == rates.UNKNOWN_DISK for rate in setup.rates)]
    others = [setup for setup in setups if setup not in uncomputed]
    texts = [unmeasured_text(of, others, is_all and not uncomputed)]
    if uncomputed:
        names = ", ".join(dict.fromkeys(map(name_of, uncomputed)))
        texts.append(f"--sync cannot be computed for {names}: several threads share a "
                     "sync, or how often or how long they sync was not measured.")
    return "  ".join(filter(None, texts))


def unmeasured_text(of: Answer, setups: list[Row], is_all: bool) -> str:
    """The stores of which too little was measured, and how to measure it; "" for none."""
    if not setups:
        return ""
    first, restart = setups[0].results[0], "dora" if of.site.restart_new else "dora-known"
    names = "" if is_all else ": " + ", ".join(dict.fromkeys(map(name_of, setups)))
    for demand, work in enumerate(("renew", "sarr" if first["family"] == 6 else restart)):
        if not all(setup.rates[demand].kind for setup in setups):
            known = [of.fits[one].times[1 - demand] for one in setups]
            how = "scripts/dhcp rate" if setups[0].is_server else f"{first['program']} -w {work}"
            return f"Not known{names}.  Measure the {DEMANDS[demand]}: {how} -O FILE." + (
                "" if None in known else f"  For {DEMANDS[1 - demand]} alone, the slowest "
                f"store is {short(min(known))} times the need.")
    option = "leases" if all(setup.is_server for setup in setups) else "preload"
    return f"Not known for so many clients{names}.  We do not extrapolate beyond " \
        f"{answer.MOST_LEASES} times the leases tested.  Measure with --{option}=" \
        f"{math.ceil(of.clients / answer.MOST_LEASES)}."


def choices(of: Answer, loss: str) -> dict[str, str]:
    """The stores of Kea with that loss that are not too slow, each with its fastest settings."""
    found: dict = {}
    for setup in ordered(of):
        if in_kea(setup) and setup.cls and loss_of(setup) == loss and \
                of.fits[setup].verdict != answer.SLOW:
            found.setdefault(product_name(setup), setting_of(setup)[1])
    return found


def ratio_text(of: Answer, pair: answer.Pair, name: str, other: str) -> str:
    """How the second of a pair, with that name, compares with the first."""
    ratio, (low, high) = short(pair.contrast.ratio), pair.contrast.interval[:2]
    if of.site.place != rates.Place():  # an interval of computed rates promises too much
        return f"{name} is about {ratio} times as fast as {other}"
    if pair.shown:
        return f"{name} is {ratio} times as fast as {other} ({short(low)} to {short(high)})"
    if max(-math.log(low), math.log(high)) < answer.LEAST_EFFECT:
        return f"{name} and {other} differ by less than 3 %"
    return f"between {name} and {other} no difference is shown ({short(low)} to {short(high)} " \
        "times as fast)"


def cost_text(of: Answer, setups: list[Row]) -> str:
    """How Kea's stores that lose nothing differ, if their names do, and what each setting costs."""
    pairs = [pair for section in of.classes for pair in section.pairs.values()
             if in_kea(pair.second) != in_kea(pair.first)]
    texts, names = {}, {bare_name(setup) for setup in setups if in_kea(setup)}
    for pair in [*pairs, *of.prices]:
        first, second = pair.first, pair.second
        if first.cls != "power-safe" or not pair.interval or \
                not names >= {name_of(first), name_of(second)}:
            continue
        name, other = name_of(second), name_of(first) if in_kea(first) != in_kea(second) else \
            setting_of(first)[0] or first.cls
        texts[name, other] = "" if (name, other) in texts else \
            ratio_text(of, pair, name, other)
    text = "; ".join(filter(None, texts.values()))
    return "the store alone: " * any(one.is_server for one in setups) + text + "." if text else ""


def marks_text(of: Answer, setups: list[Row], shown: Table) -> str:
    """The meaning of the marks in the table, right below it."""
    seen = {mark for row in shown.rows for cell in row for mark in "*+~#>" if mark in str(cell)}
    texts = [text for mark, text in MARKS.items() if mark in seen]
    if "*" in seen and all(setup.is_server for setup in setups):
        texts.insert(0, "* whole DHCP server.")
    elif "*" in seen:
        texts.insert(0, "* whole DHCP server, others the store alone.")
    tested = {min(rate.leases for rate in setup.rates) for setup in setups
              if of.fits[setup].served}
    if ">" in seen and tested:
        least, most = min(tested), max(tested)
        leases = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        texts.append(f"> not extrapolated beyond {answer.MOST_LEASES} times the leases tested "
                     f"({leases}).")
    return "  ".join(texts)


def versions_text(setups: list[Row]) -> str:
    """The products that were measured, with their versions; "" if none is known."""
    found = []
    for setup in setups:
        first = setup.results[0]
        product, version = stores.product_of(first)
        kea = stores.kea_version(first)
        found += [f"Kea {kea}"] * bool(kea) + [f"{product} {version}"] * bool(product)
    return ", ".join(dict.fromkeys(found))


def sync_text(of: Answer) -> str:
    """How long a sync took, and where; "" if neither is known."""
    measured = [result for result in of.results if result["class"]]
    places = [" on ".join(filter(None, map(result["host"].get, ("file_system", "device"))))
              for result in measured]
    names = "; ".join(filter(None, dict.fromkeys(places)))
    times = [time for result in measured
             for time in [result["baselines"].get("fdatasync_ns")] if time]
    if of.site.place.sync_s:
        asked = figures.time(of.site.place.sync_s * 1e9)
        if times:
            return f"Computed for a disk that syncs in about {asked}; the measured disk took " \
                f"{figures.time(stats.median(times))}"
        return f"Computed for a disk that syncs in {asked}"
    if not times:
        return f"Disk: {names}" if names else ""
    took = f"A sync took {figures.time(stats.median(times))}"
    return f"{took} ({names})" if names else took


def warned_texts(alone: list[dict]) -> list[str]:
    """How many of these results other work disturbed, and what else there was to warn of."""
    counts = dict.fromkeys(("disturbed", *WARNED, "other"), 0)
    for result in alone:
        codes = {warning["code"] for warning in result["warnings"]}
        counts["disturbed"] += not codes.isdisjoint(DISTURBANCES)
        counts["other"] += not codes <= {*DISTURBANCES, *WARNED}
        for code in codes & {*WARNED}:
            counts[code] += 1
    sentences = {"disturbed": "Other work disturbed {}", **WARNED, "other": "Other warnings in {}"}
    texts = [sentences[name].format(f"{count:,} of {figures.plural(len(alone), 'result')}")
             for name, count in counts.items() if count]
    if not counts["disturbed"]:
        texts.insert(0, f"{figures.plural(len(alone), 'result')}, none disturbed")
    return texts


def trust_text(of: Answer) -> str:
    measured = [result for result in of.results if result["class"]]
    alone = [result for result in measured if result["labels"].get("role") != results.IN_TURN]
    warned: list[str] = []
    setups = judged(of)
    least = min((times * rate.least / rate.per_s for setup in setups
                 if of.fits[setup].least is not None
                 for times, rate in zip(of.fits[setup].times, setup.rates)), default=math.inf)
    parts = [answer.short_text(of.short)] if of.short else []
    if not measured:
        parts.append("Others measured this, on machines of theirs")
    elif not alone:
        parts.append("Stores took turns")
    else:
        first, *warned = warned_texts(alone)
        parts.append(first)
    if least < math.inf and measured:
        name = "run" if alone else "interval"
        parts[-1] += f"; the slowest {name} reached {short(least)} times the need"
    parts += [*warned, *search_texts(ordered(of)), versions_text(setups), sync_text(of)]
    return ".  ".join(filter(None, parts)) + "."


def more_text(of: Answer, hidden: int) -> str:
    text = f"{hidden} more rows: --explain." if hidden > 1 else \
        "1 more row: --explain." if hidden else "Classes and costs: --explain."
    products = {in_kea(setup) for setup in of.setups if setup.cls}
    if not {"mysql", "postgresql"} <= products:
        return text + "  Kea's own stores, with databases: scripts/bench.sh kea."
    if any(setup.is_server for setup in of.setups):
        return text + "  Your own database: README.md."
    return text + "  Whole Kea (slower), own database: README.md."


def safety_texts(of: Answer) -> tuple[str, str]:
    """The stores to take if nothing may be lost, and if the last second may."""
    found = [setup for setup in judged(of) if in_kea(setup) and setup.cls]
    nothing, second, brief = (choices(of, loss) for loss in ("power-safe", "bounded", ""))
    brief = {name: settings for name, settings in brief.items() if name not in second}
    if nothing:
        first = f"If nothing may be lost: {either(nothing)}."
    elif any(setup.cls == "power-safe" for setup in found):
        first = "The stores of Kea that lose nothing are too slow here."
    elif found:
        first = "No store of Kea that was measured loses nothing; mysql and postgresql can be " \
            "set to lose nothing."
    else:
        first = "No store of Kea was measured; mysql and postgresql can be set to lose nothing."
    texts = []
    if second and brief:
        texts.append(f"If the last second may be: {either(second)}; or {either(brief)}, where a "
                     "killed database loses it too.")
    elif second:
        texts.append(f"If the last second may be: {either(second)}.")
    elif brief:
        texts.append("If the last second may be, also by a killed database: "
                     f"{either(brief)}.")
    elif nothing:
        texts.append("If the last second may be: no setting for that was measured.")
    if not found or any(in_kea(setup) == "memfile" for setup in found):
        texts.append(MEMFILE)
    return first, "  ".join(texts)


def lines_above(of: Answer) -> list[tuple[str, str]]:
    """The answer to a person who runs Kea."""
    speed = "  ".join(filter(None, [speed_text(of), answer.network_text(of, judged(of))]))
    first, second = safety_texts(of)
    return [("SPEED", speed), ("SAFETY", first), ("", second)]


def fits(lines: list[tuple[str, str]], shown: Table) -> bool:
    """There is place for them, beside the headline and a gap."""
    return sum(fold(words, WIDTH, INDENT).count("\n") + 1 for _, words in lines if words) + \
        text(shown).count("\n") <= LINES - 2


def table(of: Answer, setups: list[Row], explained: bool = False) -> Table:
    """explained: each row has its class, and a name that no other has."""
    loss = explained and any(setup.node_loss for setup in setups)
    head = "lost in power cut"
    if max(len(name_of(setup)) for setup in setups) > NAME_WIDTH:
        head = "power loss"
    heads = "store|class" if explained else f"{head}|store"
    made = Table(f"{heads}|renew/s>|restart/s>|times>|clients>" + ("|node loss" if loss else ""))
    before, names = None, long_names(of)
    for setup in setups:
        lost, fit = LOST[loss_of(setup)], of.fits[setup]
        made.add(*((names[setup], setup.section.title) if explained else
                   ("" if lost == before else lost, name_of(setup))),
                 *("~" * (rate.kind == ESTIMATED) + short(rate.per_s)
                   if rate.kind else None for rate in setup.rates),
                 None if fit.least is None else short(fit.least) if fit.least < 9995 else ">9999",
                 fit.served and ">" * (fit.served[0] > fit.served[1])
                 + short(int(min(fit.served[:2]))),
                 *[setup.node_loss or None] * loss)
        before = lost
    needs = [answer.need(of.site, demand, of.clients) for demand in (0, 1)]
    made.add("needed", f"(times: {of.site.reserve:.3g} is enough)",
             *(short(need) for need in needs),
             f"{of.site.reserve:.3g}", f"{of.clients:,}", *[""] * loss)
    return made


def headline(of: Answer) -> str:
    clients = "1 client" if of.clients == 1 else f"{of.clients:,} clients"
    lease = time_text(of.site.lease_s)
    if of.site.lease_s == answer.Site().lease_s:
        lease += " (--lease-time)"  # it was assumed
    return f"{clients}, leases of {lease}, all restart in {time_text(of.site.restart_s)}"


def print_screen(of: Answer, out: Output) -> None:
    above = lines_above(of)
    for most in range(max(len(of.setups), LEAST_ROWS), LEAST_ROWS - 1, -1):
        setups = shown_rows(of, most)
        shown = table(of, setups)
        below = [("", marks_text(of, setups, shown)), ("COST", cost_text(of, setups)),
                 ("TRUST", trust_text(of)),
                 ("MORE", more_text(of, len(of.setups) - len(setups)))]
        if fits([*above, *below], shown):
            break
    out.note(headline(of))
    out.pairs(above, INDENT)
    out.gap()
    out.table(shown)
    out.pairs(below, INDENT)


SHARDS = ("side by side, each with a store and a part of the subnets of its own.  1 to 3, limited "
          "by leases: 1 by the rates, 3 by ten times the leases that were measured; measure that "
          "many (--preload, or --leases of scripts/dhcp) to know")
CHANCE = ("a renews faster, by more than chance.  a = b, uncertain: it may be chance.  An interval "
          "that leaves out 1 is no proof, because many are compared at once")


def order_text(section: rows.Section, names: dict) -> str:
    """"memfile > mysql = postgresql", where > is more than chance; or "".  Setups are in the order
    of all of their runs; a pair may have others in common."""
    def sign(pair):
        return "=" if not pair.shown else ">" if pair.contrast.ratio > 1 else "<"

    labels = [names[row] for row in section.rows]
    steps = [section.pairs[i, i + 1] for i in range(len(labels) - 1)]
    if not steps or not all(pair.interval for pair in steps):
        return ""
    words = labels[0] + "".join(f" {sign(pair)} {name}" for pair, name in zip(steps, labels[1:]))
    return ", ".join([words] + [
        f"{labels[i]} {sign(pair)} {labels[k]}" for (i, k), pair in section.pairs.items()
        if pair.shown and not any(step.shown for step in steps[i:k])])


def shard_table(of: Answer) -> Table:
    """Without rows if one server is enough with every store."""
    def range_cell(low, high):
        return Cell(f"{low:,} to {high:,}" if low < high else f"{high:,}", high)

    made, names = Table("store|class|servers>|clients each>|limited by"), long_names(of)
    clients, found = of.site.clients, [of.fits[one].shards for one in of.setups]
    several = any(one and one[1] > 1 for one in found)
    for setup, one in zip(of.setups, found) if several else ():
        by_rates, count, limit = one or (1, 1, None)
        made.add(names[setup], setup.section.title, one and range_cell(by_rates, count),
                 one and range_cell(math.ceil(clients / count), math.ceil(clients / by_rates)),
                 limit)
    return made


def price_table(of: Answer) -> Table:
    made = Table("what safety costs|class|instead of|times slower>|95 % interval>")
    names = long_names(of)
    for price in of.prices:
        first, contrast = price.first, price.contrast
        made.add(names[first], first.section.title, price.second.section.title,
                 "not alike" if not contrast else
                 "uncertain" if price.interval and not price.shown
                 else Cell(short(contrast.ratio), contrast.ratio),
                 price.interval and " to ".join(map(short, price.interval[:2])))
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


def notes(of: Answer) -> list[tuple[str, str]]:
    """The meaning of the figures and of the marks in the tables."""
    runs = [rate.runs for setup in of.setups for rate in setup.rates if rate.kind] or [0]
    unknown = of.by_verdict(of.setups)[answer.UNKNOWN]
    why = dict.fromkeys(rate.source for one in unknown for rate in one.rates if not rate.kind)
    chance = ("a > b", CHANCE) if min(runs) >= stats.LEAST else (
        "chance", "any difference may be chance: 6 runs of each are needed (scripts/sweep)")
    return [("servers", SHARDS * bool(shard_table(of).rows)),
            chance if len(of.setups) > 1 else ("", ""), ("rates", rates_note(of)),
            ("n/a", ".  ".join(filter(None, ["; ".join(why),
                                             unknown_text(of, unknown, True)]))),
            ("node loss", rows.NODE_LOSS * any(one.node_loss for one in of.setups))]


def print_sources(of: Answer, out: Output) -> None:
    """All that the screen has no lines for."""
    names = long_names(of)
    out.gap()
    searched = [(names[setup], setup.results) for setup in of.setups if setup.is_server]
    out.tables(table(of, of.setups, True), servers.bounds_table(searched), shard_table(of),
               price_table(of))
    for note in servers.search_notes([line for _, lines in searched for line in lines]):
        out.item(note)
    for section in of.classes:
        order = order_text(section, names)
        out.item(f"{section.title}: {section.meaning}"
                 + f".  Faster: {order}" * bool(order))
    out.gap()
    out.pairs(notes(of))
