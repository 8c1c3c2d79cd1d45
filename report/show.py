# SPDX-License-Identifier: ISC
"""ubench_report show: all that a result has: what was measured and how safe it is, the figures with
all quantiles, and where they come from."""

from __future__ import annotations

from collections.abc import Callable

from report import Problem, figures, options, results, rows, servers, stats, tables
from report.figures import count, figure, plural, time
from report.table import Output, Table

OPERANDS = "FILE..."
SUMMARY = "all that results have: settings, all quantiles, the machine"
EPILOG = """ubench_report show --line=3 results.jsonl
    prints all of the third result"""
OPTIONS = [options.Option("line", "count", "only line N of each file; 0: all", "N", "0",
                          most=2**32 - 1, letter="l", group="What to show")]
INDENT = 16
FEW = 4  # runs, below which each stands for itself
SCHEMAS = {"lean": "one index: the address", "kea": "Kea's columns and indexes",
           "kea+stats": "Kea's columns, indexes and counters"}
NODE_LOSS = {"yes": "survived: another node has each acknowledged change",
             "no": "not survived: no other node has to have the changes",
             "unknown": "not known: nodes came or went, or are not shown"}
GUIDE_NOTE = ("The guide of 2012 prints this average. Its fastest phase, mostly search, decides "
              "it: compare by overall.")


def run(values: dict, files: list[str], complain: results.Complain) -> int:
    found, _ = results.load(files, complain, parts=True, whole=True)
    if values["line"]:
        found = [result for result in found if result["line"] == values["line"]]
        if not found:
            raise Problem(f"--line: there is no result in line {values['line']}")
    found = results.leave_out(found, lambda result: len(set(map(shape, result["runs"]))) > 1,
                              complain, "its runs do not have the same phases")
    if not found:
        raise results.nothing_in(files)
    out = Output()
    for i, result in enumerate(found):
        if i > 0:
            out.gap()
        print_result(out, result)
    return 0


def shape(run: dict) -> tuple:
    return results.is_open(run), tuple(len(phase.get("steps", ())) for phase in run["phases"])


def print_result(out: Output, result: dict) -> None:
    if result["kind"] == "server":
        sections = rows.sections([result])
        is_open = results.is_open(result["runs"][0])
        tables.print_trial_tables(out, sections if is_open else [])
        servers.print_tables([] if is_open else sections, sections if is_open else [], out)
        return
    for label, text in head_of(result):
        out.labelled(label, text, INDENT)
    out.gap()
    if results.is_open(result["runs"][0]):
        for number, one in enumerate(result["runs"], 1):
            if len(result["runs"]) > 1:
                out.write(f"run {number} of {results.parameter(result, 'repeat')}\n")
            print_open(out, result, one)
    else:
        print_closed(out, result)
    out.gap()
    for label, text in remarks_of(result):
        out.labelled(label, text, INDENT)


def print_table(out: Output, table: Table) -> None:
    """With an empty line before it."""
    out.gap()
    out.table(table)


# Above the figures


def head_of(result: dict) -> list[tuple[str, str]]:
    """Labels and texts: the store, the load, the durability, the settings, and the machine."""
    durability, facts, host = result["durability"], result["facts"], result["host"]
    cls, published = durability["class"], result["published"]
    found = [(result["program"], subject(result))]
    if cls is None:
        found.append(("not known", durability["from"]))
    else:
        source = f" ({durability['from']})" if cls != "none" else ""
        found.append((cls, rows.MEANINGS[cls] + source))
    found += at_risk(result) + parts_of(result)
    if published:
        found.append(("published", published))
    else:
        found.append(("measured by", f"{result['program']} {result['version']}"))
    chosen = ("cpu", "cores", "virtualisation", "kernel", "file_system", "device", "write_cache")
    for label, of in (("settings", dict(list(facts.items())[1:])),
                      ("parameters", result["parameters"]), ("labels", result["labels"]),
                      ("host", {name: host[name] for name in chosen if name in host})):
        if of:
            found.append((label, ", ".join(f"{name}={value}" for name, value in of.items())))
    floors = [f"{name.replace('_', ' ')} {time(result['floors'][f'{name}_ns'])}"
              for name in ("clock", "fdatasync", "round_trip", "harness")
              if result["floors"].get(f"{name}_ns")]
    return found + ([("baselines", ", ".join(floors))] if floors else [])


def subject(result: dict) -> str:
    """The store, how much was asked of it, and its tables."""
    def number(name, fallback=0):
        return results.count_parameter(result, name, fallback)

    product, version = next(iter(result["facts"].items()), ("", ""))
    if results.durability(result) != "none":
        product += f" {version}"
    exchanges = results.is_exchanges(result)
    clients = number("clients", number("preload"))
    schema, six = results.parameter(result, "schema"), results.parameter(result, "ipv6")
    load = " ".join(filter(None, [
        count(number("count")) if number("count") else "",
        f"exchanges ({results.parameter(result, 'workload')}) of" if exchanges else "",
        f"a pool of {count(number('pool'))} addresses with" if number("pool") else
        f"{count(clients)} clients with" if exchanges else "",
        results.parameter(result, "lease"), f"{'IPv6 ' if six else ''}leases"]))
    named = f"schema {schema} ({SCHEMAS.get(schema, 'unknown')})" if schema else ""
    return ", ".join(filter(None, [product, plural(number("threads", 1), "thread"), load, named]))


def at_risk(result: dict) -> list[tuple[str, str]]:
    """What groups that are not yet committed put at risk, whatever the class."""
    threads, group = (results.count_parameter(result, name, 1) for name in ("threads", "batch"))
    batch = min(group, -(-results.count_parameter(result, "count", 1) // threads))
    if group < 2:
        return []
    return [("at risk", f"up to {count(batch * threads)} leases at any moment: "
             f"{plural(threads, 'thread')} of {count(batch)} changes not yet committed")]


def parts_of(result: dict) -> list[tuple[str, str]]:
    """The processes that the run was split into, and how well they worked at the same time."""
    parts = result.get("parts", [])
    if len(parts) == 1:
        part = parts[0]
        return [("part", (f"{part['number']} of {part['of']} ({part['host']}): the others did the "
                         "rest of what the options say"))]
    if not parts:
        return []
    clocks = ", ".join("{} (clock {:+.3g} ms)".format(
        part["host"], (part["begun_us"] - part["common_us"]) / 1e3) for part in parts)
    error = max(part["error_us"] for part in parts) / 1e3
    together = 100 * min(part.get("together", 1) for part in parts)
    return [("generators", f"{len(parts)}: {clocks}; clocks known to {error:.2g} ms; all at work "
             f"in {together:.3g} % of the time of each, at least")]


# A closed loop


def shown_runs(result: dict) -> list[dict]:
    """The complete ones, or the one that was cut short."""
    return results.complete_runs(result)[:100] or result["runs"][:1]


def headline(runs: list[dict], of: Callable[[dict], float]) -> float:
    return stats.headline([of(run) for run in runs]).mean


def latency_cells(histograms: list, names: tuple) -> list[str | None]:
    """The medians over the runs; None if one has no such figure."""
    found = []
    for name in names:
        values = [results.latency(of, name) for of in histograms]
        found.append(None if None in values else time(stats.median(values)))
    return found


def latency_columns(names: tuple) -> list[tuple[str, str]]:
    return [(name, "r") for name in names]


USUAL, OTHERS = ("p50", "p99", "p99.9", "max"), ("min", "mean", "sd", "p95", "p99.99")


def print_closed(out: Output, result: dict) -> None:
    runs, exchanges = shown_runs(result), results.is_exchanges(result)
    complete = bool(results.complete_runs(result))
    first, unit = runs[0], "exchange" if exchanges else "operation"
    overall = not exchanges or first["together"]
    latency = results.parameter(result, "latency") == "on"
    out.table(figure_table(runs, f"{unit}s", overall, complete, latency))
    for phase in first["phases"]:
        for name, what in (("deadlocks", "given up for a deadlock: not done, not counted"),
                           ("conflicts", "in conflict with another: not done, not counted"),
                           ("stale", "asked again: the node was behind another")):
            if phase.get(name):
                out.write(f"{phase['name']}: {count(phase[name])} {what}\n")
    print_table(out, times_table(result, runs, exchanges, overall and complete))
    if results.has_guide_phases(result) and complete:
        out.note(GUIDE_NOTE)
    if latency:
        table = Table([("", "l"), *latency_columns(OTHERS)])
        add_latencies(table, runs, lambda phase, name: [name], OTHERS)
        print_table(out, table)
    for i, phase in enumerate(first["phases"]):
        if phase.get("steps") and phase["operations"] and latency:
            print_table(out, step_table(runs, i, phase))
    if results.count_parameter(result, "repeat", 1) > 1 and complete:
        print_repeats(out, result, overall)


def add_latencies(table: Table, runs: list[dict], before: Callable, names: tuple) -> None:
    """A row for each phase, and one for what begins and commits its transactions."""
    for i, phase in enumerate(runs[0]["phases"]):
        phases = [run["phases"][i] for run in runs]
        for member, name in (("latency", phase["name"]), ("commit", "  commit")):
            if member == "latency" or phase.get("commit"):
                table.add(*before(phases, name),
                          *latency_cells([of.get(member) for of in phases], names))


def figure_table(runs: list, unit: str, overall: bool, complete: bool, latency: bool) -> Table:
    names = USUAL if latency else ()
    table = Table([("", "l"), (unit, "r"), ("per second", "r"), *latency_columns(names)])
    blank = [""] * len(names)

    def before(phases, name):
        of = phases[0]
        if name != of["name"]:
            return [name, count(of["commit"]["count"]), ""]
        if not complete and not of["operations"]:
            return [name, "not reached", ""]
        rate = figure(stats.headline(list(map(results.phase_rate, phases))).mean)
        name += " (incomplete)" if not complete and of.get("incomplete") else ""
        return [name, count(of["operations"]), rate]

    add_latencies(table, runs, before, names)
    if overall and complete:
        table.add("overall", count(results.operations(runs[0])),
                  figure(headline(runs, results.rate)), *blank)
        if results.steps(runs[0]):
            table.add("of the store", count(results.steps(runs[0])), figure(headline(
                runs, lambda run: results.steps(run) * 1e9 / results.elapsed_ns(run))), *blank)
    return table


def times_table(result: dict, runs: list[dict], exchanges: bool, totals: bool) -> Table:
    """The guide's: seconds and rates, with its Average."""
    unit = "exch" if exchanges else "oper"
    table = Table([("", "l"), ("time [s]", "r"), (f"rate [{unit}/s]", "r")])

    def add(name, time_ns, rate):
        table.add(name, f"{headline(runs, time_ns) / 1e9:.6f}", f"{headline(runs, rate):.2f}")

    for i, phase in enumerate(runs[0]["phases"]):
        add(phase["name"], lambda run, i=i: run["phases"][i]["elapsed_ns"],
            lambda run, i=i: results.phase_rate(run["phases"][i]))
    if totals and results.has_guide_phases(result):
        add("average", lambda run: results.elapsed_ns(run) / 4, results.mean_rate)
    if totals:
        add("overall", results.elapsed_ns, results.rate)
    return table


def step_table(runs: list[dict], i: int, phase: dict) -> Table:
    """What each exchange asked of the store, in order."""
    table = Table([(f"steps of {phase['name']}", "l"), ("operation", "l"), ("count", "r"),
                   *latency_columns(USUAL)])
    for k, step in enumerate(phase["steps"]):
        table.add(step["name"], step["operation"], count(step["count"]), *latency_cells(
            [run["phases"][i]["steps"][k]["latency"] for run in runs], USUAL))
        if step.get("predicted"):
            table.add("predicted", step["operation"], count(figures.half_up(step["predicted"])),
                      *[""] * len(USUAL))
    return table


def print_repeats(out: Output, result: dict, overall: bool) -> None:
    """What the headline stands on."""
    runs = results.complete_runs(result)
    repeat = results.count_parameter(result, "repeat", 1)
    out.gap()
    out.labelled("incomplete" if len(runs) < repeat else "runs", f"{len(runs)} of {repeat} runs" + (
        "; each figure above is a mean of its own, without its highest and lowest run: they need "
        "not add up" if len(runs) >= 3 else ""), INDENT)
    rates = [(phase["name"], [results.phase_rate(run["phases"][i]) for run in runs])
             for i, phase in enumerate(runs[0]["phases"])]
    rates += [("overall", list(map(results.rate, runs)))] if overall else []
    if len(runs) >= FEW:
        interval = stats.median_interval(rates[0][1])
        covered = f" ({100 * interval.coverage:.1f} %)" if interval else ""
        table = Table([("per second", "l"), ("mean", "r"), ("+- 95 %", "r"), ("median", "r"),
                       (f"its interval{covered}", "l")])
        for name, values in rates:
            mean, interval = stats.headline(values), stats.median_interval(values)
            table.add(name, figure(mean.mean),
                      mean.interval and figure((mean.interval.high - mean.interval.low) / 2),
                      figure(stats.median(values)),
                      interval and f"{figure(interval.low)} to {figure(interval.high)}")
        out.table(table)
    table = Table([("per second", "l"), *((name, "r") for name, _ in rates)])
    for i in range(len(runs)):
        table.add(f"run {i + 1}", *(figure(values[i]) for _, values in rates))
    out.table(table)


# An open loop


def print_open(out: Output, result: dict, run: dict) -> None:
    """In the words of perfdhcp where it has one: rate, sent, received, drops, drop time."""
    if not run["trials"] or not run["closed_loop"]["rate_per_s"]:
        return
    if run.get("goals"):
        print_search(out, run)
    elif run["trials"][0]["rate_per_s"]:
        print_rate(out, result, run)
    else:
        print_storm(out, run)
    loop = run["closed_loop"]
    each = loop["service"]["mean_ns"] if loop["service"] else 0
    out.labelled("closed loop", f"{figure(loop['rate_per_s'])} exchanges/s, {time(each)} each: one "
                                "after the other, before", INDENT)
    print_hook(out, result, each)


def print_hook(out: Output, result: dict, each_ns: float) -> None:
    """What a slow service that each exchange asks first allows at most."""
    delay = figures.scan_duration(results.parameter(result, "hook-delay")) or 0
    pool = results.parameter(result, "hook").partition("pool:")[2]
    servers_ = figures.scan_count(pool) or results.count_parameter(result, "threads", 1)
    if delay:
        out.labelled("hook", f"{figures.duration(delay)} for each exchange, "
                     f"{'in a pool' if pool else 'in line'}: {plural(servers_, 'thread')}, "
                     f"{figure(servers_ * 1e9 / (each_ns + delay))}/s at most", INDENT)


def drops(trial: dict) -> str:
    """ "12 of 5,000 sent (0.24 %): 10 late, 2 dropped, ..." """
    bad = sum(trial[name] for name in ("late", "dropped", "failed", "unanswered"))
    merged = f", {trial['merged']} merged (no drops)" if trial["merged"] else ""
    share = 100 * bad / trial["offered"]
    return (f"{count(bad)} of {count(trial['offered'])} sent ({share:.3g} %): {trial['late']} "
            f"late, {trial['dropped']} dropped, {trial['failed']} failed, {trial['unanswered']} "
            f"unanswered{merged}")


def print_servers(out: Output, what: str, predicted: dict | None) -> None:
    if predicted:
        out.labelled("predicted", f"the same {what} at "
                     f"{plural(predicted['servers'], 'simulated server')} of "
                     f"{time(predicted['service_ns'])}", INDENT)


def print_rate(out: Output, result: dict, run: dict) -> None:
    trial, predicted = run["trials"][0], run.get("predicted")
    said = results.verdict(trial)
    if said == "invalid":
        out.labelled("INVALID", trial["invalid"], INDENT)
    else:
        out.labelled("verdict", tables.VERDICTS[said][1], INDENT)
    out.labelled("rate", f"{figure(trial['in_time_per_s'])} exchanges/s answered in time, of "
                 f"{trial['rate_per_s']:.6g} expected ({results.parameter(result, 'arrivals')}), "
                 f"drop time {figures.duration(trial['deadline_ns'])}, queue of {trial['queue']}",
                 INDENT)
    out.labelled("drops", drops(trial), INDENT)
    if predicted:
        out.labelled("predicted", drops(predicted), INDENT)
    names = ("mean", "p50", "p95", "p99", "p99.9", "max")
    table = Table([("", "l"), ("exchanges", "r"), *latency_columns(names)])
    for name, of in (("response", trial["response"]),
                     *([("predicted", predicted["response"])] if predicted else []),
                     ("service", trial["service"]), ("lag", trial["lag"])):
        table.add(name, of["count"] if of else 0, *latency_cells([of], names))
    print_table(out, table)
    out.gap()
    print_servers(out, "arrivals", predicted)


def print_search(out: Output, run: dict) -> None:
    out.write("sustained rate: at most so many drops (late or lost), and no growing queue\n")
    for goal in run["goals"]:
        low, high = goal["low_per_s"], goal["high_per_s"]
        out.labelled(goal["goal"], " ".join([
            f"{figure(low)} exchanges/s," if low else "no rate was sustained,",
            f"not {figure(high)}{' (there the harness failed)' if goal['invalid'] else ''};"
            if high else "at least;",
            f"verified: {figure(goal['in_time_per_s'])}/s answered in time;" if goal["verified"]
            else "not verified;", f"as in {goal['source']}"]), INDENT)
    if run["incomplete"]:
        out.labelled("INCOMPLETE", "the search did not come to its end", INDENT)
    table = Table([("trial", "l"), ("rate/s", "r"), ("time", "r"), ("sent", "r"),
                   *((f"{goal['goal']} [%]", "r") for goal in run["goals"]), ("p99", "r")])
    for trial in run["trials"]:
        judged = []
        for goal in run["goals"]:
            share = results.bad_share(trial, goal["deadline_ns"])
            said = "cut" if trial["incomplete"] else "invalid" if trial["invalid"] else \
                "grew" if results.is_growing(trial, goal["deadline_ns"]) else \
                "no" if share > goal["bad_share"] else "yes"
            judged.append(f"{100 * share:.3f} {said}")
        table.add(trial["stage"], figure(trial["rate_per_s"]), time(trial["elapsed_ns"]),
                  count(trial["offered"]), *judged, *latency_cells([trial["response"]], ("p99",)))
    print_table(out, table)
    out.gap()


def print_storm(out: Output, run: dict) -> None:
    trial, predicted = run["trials"][0], run.get("predicted")
    sides = [run["storm"], (predicted or {}).get("storm")]
    trials = [trial, predicted]

    def pair(of, name, form=count):
        return [None if one is None or (one[name] is None and form is count) else
                "never" if one[name] is None else form(one[name]) for one in of]

    table = Table([("storm", "l"), ("measured", "r"), ("predicted", "r")])
    for label, of, name, form in (
            ("clients", sides, "clients", count), ("had an answer", sides, "served", count),
            ("50 % had one after", sides, "served_50_ns", time),
            ("99 % had one after", sides, "served_99_ns", time),
            ("all had one after", sides, "served_100_ns", time),
            ("requests sent", sides, "sent", count), ("sent again", sides, "retransmitted", count),
            ("dropped", trials, "dropped", count), ("merged", trials, "merged", count),
            ("duplicate answers", sides, "useless", count)):
        table.add(label, *pair(of, name, form))
    out.table(table)
    answers = [[second[0] for second in (of or {}).get("seconds") or ()] for of in trials]
    table = Table([("answers in second", "l"), ("measured", "r"), ("predicted", "r")])
    for i in range(len(answers[0])):
        both = [of[i] if i < len(of) else 0 for of in answers]
        if any(both):
            table.add(i + 1, *map(count, both))
    print_table(out, table)
    out.gap()
    print_servers(out, "clients", predicted)
    if trial["invalid"]:
        out.labelled("INVALID", trial["invalid"], INDENT)


# Below the figures


def remarks_of(result: dict) -> list[tuple[str, str]]:
    """Labels and texts: what the figures cost, what bears on them, and what was verified."""
    last = (results.complete_runs(result) or result["runs"][:1])[-1]
    server_time = results.parameter(result, "server-time")
    found = cost_of(result, last)
    if server_time:
        found.append(("server time", (f"{server_time} of processor time beside each exchange, as a "
                                     "DHCP server takes: the rates are not the store's")))
    found += outages_of(result)
    found += [("WARNING", warning["text"]) for warning in result["warnings"]]
    if last.get("digest"):
        found.append(("verified", verified(result, last)))
        found.append(("digest", f"{last['digest']}: the same on every store that did this work"))
    if result["durability"].get("node_loss"):
        found.append(("node loss", NODE_LOSS[result["durability"]["node_loss"]]))
    if not result["published"] and results.durability(result) != "none" and not server_time:
        found.append(("scope", "the store alone: no DHCP server, no packets"))
    return found


def cost_of(result: dict, run: dict) -> list[tuple[str, str]]:
    """What each operation cost the client; phases that ran together have one bill."""
    bills = [phase.get("usage") for phase in run["phases"]][:1 if run["together"] else None]
    done = results.operations(run)
    if not done or not bills[0] or results.is_open(run):
        return []
    names = ("user_ns", "system_ns", "voluntary_switches", "involuntary_switches", "fdatasyncs")
    user, system, voluntary, involuntary, syncs = (
        sum((bill or {}).get(name) or 0 for bill in bills) * (1 / done) for name in names)
    unit = "exchange" if results.is_exchanges(result) else "operation"
    return [("cost", f"per {unit}, client only: {time(user)} user, {time(system)} system, "
             f"{voluntary:.3f} + {involuntary:.3f} context switches"
             + (f", {syncs:.3f} fdatasyncs" if syncs else ""))]


def verified(result: dict, run: dict) -> str:
    if not run["verified"]:
        return "nothing: this store keeps no leases"
    exchanges = results.is_exchanges(result)
    search = run["phases"][1] if results.has_guide_phases(result) else None
    if search and search["operations"]:
        text = "every answer right: {} of {} searches hit".format(
            count(search["hits"] or 0), count(search["operations"]))
    else:
        done = results.steps(run) if exchanges else results.operations(run)
        text = f"every answer of {count(done)} operations right"
    if run.get("read_back") is not None:
        read, of = run["read_back"], run["read_back_of"]
        text += f", {'all' if read == of else f'{count(read)} of'} {count(of)} leases read back"
    return f"{text}, then it ended early" if run["incomplete"] else \
        f"{text}, {count(run['leases_left'])} leases left{' over' if exchanges else ''}"


def outages_of(result: dict) -> list[tuple[str, str]]:
    """How often the server went away, for how long, and what was in flight."""
    found = [run["reconnect"] for run in result["runs"] if run.get("reconnect")]
    if not result["runs"][0].get("reconnect"):
        return []
    total = {name: sum(one[name] for one in found) for name in found[0]}
    outages, ended = total["outages"], total["ended"]
    if not outages:
        return [("outages", "none")]
    text = f"{outages}"
    if ended:
        text += f", {time(total['outage_ns'])} in all"
    if ended > 1:
        text += f", {time(max(one['longest_ns'] for one in found))} the longest"
    if ended < outages:
        text += " (the last one without an end)"
    return [("outages", (f"{text} and {total['connections']} new connections; changes of unknown "
             f"outcome: {total['unknown']}, found done {total['found_done']}, submitted again "
             f"{total['repeated']}"))]
