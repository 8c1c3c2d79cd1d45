# SPDX-License-Identifier: ISC
"""ubench_report show: all that a result has: what was measured and how safe it is, the figures with
all quantiles, and where they come from."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from report import Problem, figures, merge, options, results, rows, servers, stats, tables
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
HOST = ("cpu", "cores", "virtualisation", "kernel", "file_system", "device", "write_cache")
NODE_LOSS = {"yes": "survived: another node has each acknowledged change",
             "no": "not survived: changes are acknowledged before another node has them",
             "unknown": "not known: nodes came or went, or are not shown"}
USUAL, OTHERS = ("p50", "p99", "p99.9", "max"), ("min", "mean", "sd", "p95", "p99.99")
RESPONSE = ("mean", "p50", "p95", "p99", "p99.9", "max")
NOT_DONE = {"deadlocks": "given up for a deadlock: not done, not counted",
            "conflicts": "in conflict with another: not done, not counted",
            "stale": "asked again: the node was behind another"}


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
    is_open = result["open"]
    if result["kind"] == "server":
        sections = rows.sections([result])
        tables.print_trial_tables(out, sections if is_open else [])
        servers.print_tables([] if is_open else sections, sections if is_open else [], out)
        return
    out.pairs(head_of(result), INDENT)
    out.gap()
    for number, one in enumerate(result["runs"] if is_open else (), 1):
        if len(result["runs"]) > 1:
            out.write(f"run {number} of {results.parameter(result, 'repeat')}\n")
        if one["trials"] and one["closed_loop"]["rate_per_s"]:
            print_open(out, result, one)
    if not is_open:
        print_closed(out, result)
    out.gap()
    out.pairs(remarks_of(result), INDENT)


def print_table(out: Output, table: Table) -> None:
    """With an empty line before it."""
    out.gap()
    out.table(table)


def members(of: dict) -> str:
    """Settings as "name=value"; figures as "name 214 us"."""
    return ", ".join(
        f"{name}={value}" if type(value) is str else
        f"{name[:-3].replace('_', ' ')} {time(value)}" if name.endswith("_ns") else
        f"{name.replace('_', ' ')} " + (count(value) if type(value) is int else f"{value:.3f}")
        for name, value in of.items() if value is not None)


# Above the figures


def head_of(result: dict) -> list[tuple[str, str]]:
    """The store, the load, the durability, the settings, and the machine."""
    durability, facts, host = result["durability"], result["facts"], result["host"]
    cls, program = durability["class"], result["program"]
    floors = {f"{name}_ns": result["floors"].get(f"{name}_ns") or None
              for name in ("clock", "fdatasync", "round_trip", "harness")}
    return [(program, subject(result)),
            (cls or "not known", durability["from"] if cls is None else
             rows.MEANINGS[cls] + f" ({durability['from']})" * (cls != "none")),
            ("at risk", at_risk(result)), parts_of(result.get("parts", [])),
            ("published", result["published"]) if result["published"] else
            ("measured by", f"{program} {result['version']}"),
            ("settings", members(dict(list(facts.items())[1:]))),
            ("parameters", members(result["parameters"])), ("labels", members(result["labels"])),
            ("host", members({name: host[name] for name in HOST if name in host})),
            ("baselines", members(floors))]


def subject(result: dict) -> str:
    """The store, how much was asked of it, and its tables."""
    def number(name, fallback=0):
        return results.count_parameter(result, name, fallback)

    product, version = next(iter(result["facts"].items()), ("", ""))
    if result["class"] != "none":
        product += f" {version}"
    exchanges = result["exchanges"]
    schema, six = results.parameter(result, "schema"), results.parameter(result, "ipv6")
    load = " ".join(filter(None, [
        count(number("count")) if number("count") else "",
        f"exchanges ({results.parameter(result, 'workload')}) of" if exchanges else "",
        f"a pool of {count(number('pool'))} addresses with" if number("pool") else
        f"{count(number('clients', number('preload')))} clients with" if exchanges else "",
        results.parameter(result, "lease"), f"{'IPv6 ' if six else ''}leases"]))
    named = f"schema {schema} ({SCHEMAS.get(schema, 'unknown')})" if schema else ""
    return ", ".join(filter(None, [product, plural(number("threads", 1), "thread"), load, named]))


def at_risk(result: dict) -> str:
    """The leases in groups that are not yet committed, which are at risk whatever the class."""
    threads, group = (results.count_parameter(result, name, 1) for name in ("threads", "batch"))
    batch = min(group, -(-results.count_parameter(result, "count", 1) // threads))
    return f"up to {count(batch * threads)} leases at any moment: {plural(threads, 'thread')} of " \
        f"{count(batch)} changes not yet committed" if group > 1 else ""


def parts_of(parts: list[dict]) -> tuple[str, str]:
    """The processes that the run was split into, and how well they worked at the same time."""
    if len(parts) < 2:
        return "part", "".join(f"{part['number']} of {part['of']} ({part['host']}): the others did "
                               "the rest of what the options say" for part in parts)
    clocks = ", ".join("{} (clock {:+.3g} ms)".format(
        part["host"], (part["begun_us"] - part["common_us"]) / 1e3) for part in parts)
    error = max(part["error_us"] for part in parts) / 1e3
    together = 100 * min(part.get("together", 1) for part in parts)
    return ("generators", f"{len(parts)}: {clocks}; clocks known to {error:.2g} ms; all at work "
            f"in {together:.3g} % of the time of each, at least")


# A closed loop


def headline(runs: list[dict], of: Callable[[dict], float]) -> float:
    return stats.headline([of(run) for run in runs]).mean


def latency_cells(histograms: list, names: tuple) -> list[str | None]:
    """The medians over the runs; None if one has no such figure."""
    found = []
    for name in names:
        values = [results.latency(of, name) for of in histograms]
        found.append(None if None in values else time(stats.median(values)))
    return found


def figures_table(head: str, *heads: str) -> Table:
    """A table of a name and figures."""
    return Table([head, *(f"{of}>" for of in heads)])


def print_closed(out: Output, result: dict) -> None:
    complete = bool(results.complete_runs(result))
    # the complete ones, or the one that was cut short
    runs = results.complete_runs(result)[:100] or result["runs"][:1]
    phases, exchanges = runs[0]["phases"], result["exchanges"]
    overall = complete and (not exchanges or runs[0]["together"])
    latency = results.parameter(result, "latency") == "on"
    out.table(figure_table(runs, "exchanges" if exchanges else "operations", overall, complete,
                           USUAL if latency else ()))
    for phase in phases:
        for name, what in NOT_DONE.items():
            if phase.get(name):
                out.write(f"{phase['name']}: {count(phase[name])} {what}\n")
    print_table(out, times_table(result, runs, exchanges, overall))
    if results.has_guide_phases(result) and complete:
        out.note("average: as in the guide of 2012; its fastest phase decides it.  Compare by "
                 "overall.")
    if latency:
        table = figures_table("", *OTHERS)
        for _, name, histograms in timed_of(runs):
            table.add(name, *latency_cells(histograms, OTHERS))
        print_table(out, table)
    for i, phase in enumerate(phases):
        if phase.get("steps") and phase["operations"] and latency:
            print_table(out, step_table(runs, i, phase))
    if results.count_parameter(result, "repeat", 1) > 1 and complete:
        print_repeats(out, result, overall)


def timed_of(runs: list[dict]):
    """The number, name and latencies of each phase, and of its transactions ("  commit")."""
    for i, phase in enumerate(runs[0]["phases"]):
        for member, name in (("latency", phase["name"]), ("commit", "  commit")):
            if member == "latency" or phase.get("commit"):
                yield i, name, [run["phases"][i].get(member) for run in runs]


def figure_table(runs: list, unit: str, overall: bool, complete: bool, names: tuple) -> Table:
    table, blank = figures_table("", unit, "per second", *names), [""] * len(names)
    for i, name, histograms in timed_of(runs):
        phase = runs[0]["phases"][i]
        if name != phase["name"]:
            before = [name, count(phase["commit"]["count"]), ""]
        elif not complete and not phase["operations"]:
            before = [name, "not reached", ""]
        else:
            name += " (incomplete)" if not complete and phase.get("incomplete") else ""
            before = [name, count(phase["operations"]), figure(headline(
                runs, lambda run, i=i: results.phase_rate(run["phases"][i])))]
        table.add(*before, *latency_cells(histograms, names))
    if overall:
        table.add("overall", count(results.operations(runs[0])),
                  figure(headline(runs, results.rate)), *blank)
        if results.steps(runs[0]):
            table.add("of the store", count(results.steps(runs[0])), figure(headline(
                runs, lambda run: results.steps(run) * 1e9 / results.elapsed_ns(run))), *blank)
    return table


def times_table(result: dict, runs: list[dict], exchanges: bool, totals: bool) -> Table:
    """The guide's: seconds and rates, with its Average."""
    table = Table(f"|time [s]>|rate [{'exch' if exchanges else 'oper'}/s]>")
    wanted = results.phase_figures(runs[0])
    if totals and results.has_guide_phases(result):
        wanted.append(("average", results.mean_ns, results.mean_rate))
    if totals:
        wanted.append(("overall", results.elapsed_ns, results.rate))
    for name, time_ns, rate in wanted:
        table.add(name, f"{headline(runs, time_ns) / 1e9:.6f}", f"{headline(runs, rate):.2f}")
    return table


def step_table(runs: list[dict], i: int, phase: dict) -> Table:
    """The operations that each exchange asked of the store, in order."""
    table = Table([f"steps of {phase['name']}", "operation", "count>", *(f"{of}>" for of in USUAL)])
    for k, step in enumerate(phase["steps"]):
        table.add(step["name"], step["operation"], count(step["count"]), *latency_cells(
            [run["phases"][i]["steps"][k]["latency"] for run in runs], USUAL))
        if step.get("predicted"):
            table.add("predicted", step["operation"], count(figures.half_up(step["predicted"])),
                      *[""] * len(USUAL))
    return table


def print_repeats(out: Output, result: dict, overall: bool) -> None:
    """The runs behind the headline."""
    runs = results.complete_runs(result)
    repeat = results.count_parameter(result, "repeat", 1)
    out.gap()
    out.labelled("incomplete" if len(runs) < repeat else "runs", f"{len(runs)} of {repeat} runs" + (
        "; each figure above is a mean without its highest and lowest run, so that they need "
        "not add up" if len(runs) >= 3 else ""), INDENT)
    rates = [(name, list(map(rate, runs))) for name, _, rate in results.phase_figures(runs[0])]
    rates += [("overall", list(map(results.rate, runs)))] if overall else []
    if len(runs) >= FEW:
        interval = stats.median_interval(rates[0][1])
        covered = f" ({100 * interval.coverage:.1f} %)" if interval else ""
        table = Table(f"per second|mean>|+- 95 %>|median>|its interval{covered}")
        for name, values in rates:
            mean, interval = stats.headline(values), stats.median_interval(values)
            table.add(name, figure(mean.mean),
                      mean.interval and figure((mean.interval.high - mean.interval.low) / 2),
                      figure(stats.median(values)),
                      interval and f"{figure(interval.low)} to {figure(interval.high)}")
        out.table(table)
    table = figures_table("per second", *(name for name, _ in rates))
    for i in range(len(runs)):
        table.add(f"run {i + 1}", *(figure(values[i]) for _, values in rates))
    out.table(table)


# An open loop: rows of a trial and its storm, as they were measured and predicted

PAIRS = (("clients", "clients", count), ("had an answer", "served", count),
         ("50 % had one after", "served_50_ns", time), ("99 % had one after", "served_99_ns", time),
         ("all had one after", "served_100_ns", time), ("sent again", "retransmitted", count),
         ("expected per second", "rate_per_s", figure),
         ("in time per second", "in_time_per_s", figure),
         ("sent", "offered", count), ("late", "late", count), ("dropped", "dropped", count),
         ("failed", "failed", count), ("unanswered", "unanswered", count),
         ("drops [%]", "bad_share", lambda share: f"{100 * share:.3g}"),
         ("merged (no drops)", "merged", count), ("duplicate answers", "useless", count),
         ("drop time", "deadline_ns", figures.duration), ("queue", "queue", count),
         ("servers", "servers", count), ("service", "service_ns", time))


def print_open(out: Output, result: dict, run: dict) -> None:
    """In the words of perfdhcp where it has one: rate, sent, received, drops, drop time."""
    trial, loop = run["trials"][0], run["closed_loop"]
    predicted = run.get("predicted") or {}
    if run.get("goals"):
        print_search(out, run)
    else:
        said = results.verdict(trial)
        out.pairs([("INVALID", trial["invalid"] or ""),
                   ("verdict", "" if "storm" in run else tables.VERDICTS[said][1])], INDENT)
        print_trial(out, trial, predicted, run.get("storm") or {})
    each = loop["service"]["mean_ns"] if loop["service"] else 0
    limit, delay = loop.get("hook_limit_per_s"), results.parameter(result, "hook-delay")
    out.gap()
    out.pairs([
        ("closed loop", f"{figure(loop['rate_per_s'])} exchanges/s, {time(each)} each: one after "
                        "the other, before"),
        ("hook", f"{delay} for each exchange, {figure(limit)}/s at most" if limit else "")], INDENT)


def print_trial(out: Output, trial: dict, predicted: dict, storm: dict) -> None:
    if predicted and "bad_share" not in predicted:
        predicted = {**predicted, "bad_share": results.bad_share({**trial, **predicted})}
    both = {**trial, **storm}, {**predicted, **(predicted.get("storm") or {})}
    table = Table(f"{'storm' if storm else 'trial'}|measured>|predicted>")
    for label, name, form in PAIRS:
        values = [None if name not in of else "never" if of[name] is None and form is time else
                  of[name] and form(of[name]) for of in both]
        if values != [None, None]:
            table.add(label, *values)
    out.table(table)
    seconds = [[second[0] for second in of.get("seconds") or ()] for of in both]
    table = Table("answers in second|measured>|predicted>")
    for i, answers in enumerate(seconds[0] if storm else ()):
        other = seconds[1][i] if i < len(seconds[1]) else 0
        if answers or other:
            table.add(i + 1, count(answers), count(other))
    if not storm:
        table = figures_table("", "exchanges", *RESPONSE)
        for name, of in (("response", trial["response"]), ("predicted", predicted.get("response")),
                         ("service", trial["service"]), ("lag", trial["lag"])):
            if of or name != "predicted":
                table.add(name, of["count"] if of else 0, *latency_cells([of], RESPONSE))
    print_table(out, table)


def print_search(out: Output, run: dict) -> None:
    table = Table(tables.TRIAL_TABLES[0][1].partition("|")[2] + "|source")
    for (_, *cells), goal in zip(tables.goal_rows("", run), run["goals"]):
        table.add(*cells, goal["source"])
    out.table(table)
    goals = run["goals"]
    table = figures_table("trial", "rate/s", "time", "sent",
                          *(f"{goal['goal']} [%]" for goal in goals), "p99")
    for trial in run["trials"]:
        judged = []
        for goal in goals:
            share = results.bad_share(trial, goal["deadline_ns"])
            said = "cut" if trial["incomplete"] else "invalid" if trial["invalid"] else \
                "grew" if results.is_growing(trial, goal["deadline_ns"]) else \
                "no" if share > goal["bad_share"] else "yes"
            judged.append(f"{100 * share:.3f} {said}")
        table.add(trial["stage"], figure(trial["rate_per_s"]), time(trial["elapsed_ns"]),
                  count(trial["offered"]), *judged, *latency_cells([trial["response"]], ("p99",)))
    print_table(out, table)


# Below the figures


def remarks_of(result: dict) -> list[tuple[str, str]]:
    """The cost of the work, what bears on the figures, and what was verified."""
    last = (results.complete_runs(result) or result["runs"][:1])[-1]
    server_time = results.parameter(result, "server-time")
    alone = not result["published"] and result["class"] != "none" and not server_time
    outages = [run["reconnect"] for run in result["runs"] if run.get("reconnect")]
    return [("cost", cost_of(result, last)),
            ("server time", f"{server_time} of processor time beside each exchange, as a DHCP "
             "server takes: the rates are not the store's" if server_time else ""),
            ("outages", "" if not result["runs"][0].get("reconnect") else
             members(reduce(lambda a, b: merge.add("", a, b), outages))),
            *(("WARNING", warning["text"]) for warning in result["warnings"]),
            *([("verified", verified(result, last)),
               ("digest", f"{last['digest']}: the same on every store that did this work")]
              if last.get("digest") else []),
            ("node loss", NODE_LOSS.get(result["durability"].get("node_loss"), "")),
            ("scope", "the store alone: no DHCP server, no packets" if alone else "")]


def cost_of(result: dict, run: dict) -> str:
    """The cost of each operation for the client; phases that ran together share theirs."""
    usage = [phase.get("usage") for phase in run["phases"]][:1 if run["together"] else None]
    done = results.operations(run)
    if not done or not usage[0] or result["open"]:
        return ""
    names = ("user_ns", "system_ns", "voluntary_switches", "involuntary_switches", "fdatasyncs")
    sums = {name: sum((one or {}).get(name) or 0 for one in usage) / done for name in names}
    unit = "exchange" if result["exchanges"] else "operation"
    servers = {name[7:]: sum(one[name] for one in usage) / done for name in
               ("server_cpu_ns", "server_syncs", "server_log_bytes", "server_scanned_rows")
               if all((one or {}).get(name) is not None for one in usage)}
    return f"per {unit}, client only: {members(sums)}" + \
        (f"; its server: {members(servers)}" if servers else "")


def verified(result: dict, run: dict) -> str:
    if not run["verified"]:
        return "nothing: this store keeps no leases"
    exchanges = result["exchanges"]
    search = run["phases"][1] if results.has_guide_phases(result) else None
    if search and search["operations"]:
        text = f"every answer right: {count(search['hits'] or 0)} of " \
            f"{count(search['operations'])} searches hit"
    else:
        done = results.steps(run) if exchanges else results.operations(run)
        text = f"every answer of {count(done)} operations right"
    if run.get("read_back") is not None:
        read, of = run["read_back"], run["read_back_of"]
        text += f", {'all' if read == of else f'{count(read)} of'} {count(of)} leases read back"
    return f"{text}, then it ended early" if run["incomplete"] else \
        f"{text}, {count(run['leases_left'])} leases left{' over' if exchanges else ''}"
