# SPDX-License-Identifier: ISC
"""ubench_report show: all that the line of a result has, under the names that the line has, which
results/schema.json explains: the settings, each phase with all quantiles, each run of several."""

from __future__ import annotations

from itertools import takewhile

from report import Problem, options, results, rows, stats, tables
from report.figures import count, figure, half_up, time
from report.lines import knowledge
from report.table import Output, Table

SUMMARY = "all that results have: settings, all quantiles, the machine"
EPILOG = """ubench_report show --line=3 results.jsonl
    prints all of the third result"""
OPTIONS = [options.Option("line", "count", "only line N of each file; 0: all", "N", "0",
                          most=2**32 - 1, letter="l", group="What to show")]
INDENT = 16
FEW = 4  # runs, below which each stands for itself
LATENCY = ("min", "mean", "sd", *results.QUANTILES, "max")


def run(values: dict, files: list[str], complain: results.Complain) -> int:
    found, _ = results.load(files, complain, whole=True)
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
        tables.print_tables(out, [result], [])
        return
    out.pairs(head_of(result), INDENT)
    out.gap()
    if result["open"]:
        for one in result["runs"]:
            print_open(out, one)
    else:
        print_closed(out, result)
    out.pairs([*[("WARNING", warning["text"]) for warning in result["warnings"]],
               ("error", result["error"]),
               *((f"run {number}", members(run)) for number, run in enumerate(result["runs"], 1)),
               *(("reconnect", members(run["reconnect"])) for run in result["runs"]
                 if run.get("reconnect"))], INDENT)


def head_of(result: dict) -> list[tuple[str, str]]:
    """The store, its durability, the settings, and the machine."""
    durability, product = result["durability"], results.product_text(result)
    cls = durability["class"]
    facts = {name: value for name, value in result["facts"].items()
             if name != result["product"]["name"]}
    return [(result["program"], f"{product}; {result['published']}" if result["published"] else
             f"{result['version']}, {product}"),
            (cls or "not known", f"{knowledge.meanings()[cls]} ({durability['from']})" if cls else
             durability["from"]),
            ("durability", members(more_of(durability))),
            *(("part", members(part)) for part in result.get("parts", ())),
            ("started at", result["started_at"]), ("settings", members(facts)),
            *((name, members(result[name])) for name in ("parameters", "labels", "host")),
            ("baselines", members(result["baselines"]))]


def more_of(durability: dict) -> dict:
    """All other members, besides the class and the text of its settings."""
    found = {name: value for name, value in durability.items() if name not in ("class", "from")}
    if found.get("node_loss"):
        found["node_loss"] = found["node_loss"]["loss"]
    return found


def label(name: str) -> str:
    return (name[:-3] if name.endswith("_ns") else name).replace("_", " ")


def form(name: str, value) -> str | None:
    """A text, or a number in the unit of its name; None for what is neither."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, (int, float)):
        return None
    if name.endswith("_ns"):
        return time(value)
    if name.endswith("_share"):
        return f"{100 * value:.3g} %"
    return count(value) if isinstance(value, int) else figure(value)


def members(of: dict) -> str:
    """Texts as "name=value", numbers as "name 214 us", without what holds others."""
    return ", ".join(f"{name}={value}" if isinstance(value, str) else
                     f"{label(name)} {form(name, value)}"
                     for name, value in of.items() if form(name, value) is not None)


def latency_cells(histograms: list, names: tuple = LATENCY) -> list[str | None]:
    """The medians over the runs; None if one has no such figure."""
    columns = ([results.latency(of, name) for of in histograms] for name in names)
    return [None if None in values else time(stats.median(values)) for values in columns]


def print_closed(out: Output, result: dict) -> None:
    """Each figure is that of several runs: a mean without the highest and the lowest."""
    complete = [*takewhile(lambda run: not run["incomplete"], result["runs"])][:stats.MOST]
    runs = complete or result["runs"][:1]  # or the one that was cut short
    out.tables(phase_table(result, runs, bool(complete)))
    repeat = results.count_parameter(result, "repeat", 1)
    if repeat > 1:
        out.pairs([("incomplete" if len(complete) < repeat else "runs",
                    f"{len(complete)} of {repeat}")], INDENT)
        out.tables(run_table(runs))
    for i, phase in enumerate(runs[0]["phases"]):
        if phase["operations"]:
            out.tables(step_table(phase["name"], [run["phases"][i].get("steps", ())
                                                  for run in runs]))
    for phase in runs[-1]["phases"]:
        out.pairs([(phase["name"], members({name: phase[name] for name in (
            "hits", "misses", "deadlocks", "conflicts", "stale") if phase.get(name)}))], INDENT)
    out.pairs([("cost", cost_of(runs[-1]))], INDENT)


def phase_table(result: dict, runs: list[dict], complete: bool) -> Table:
    """The phases with their transactions, the guide's Average, and all together."""
    lines: list[tuple] = []  # name, operations, functions of the time and the rate, latencies
    for i, (name, *pair) in enumerate(results.phase_figures(runs[0])):
        phases = [run["phases"][i] for run in runs]
        first = phases[0]
        cut = not complete and (first["incomplete"] or not first["operations"])
        lines.append((name + " (incomplete)" * cut, count(first["operations"]), pair,
                      [phase["latency"] for phase in phases]))
        if first["commit"]:
            lines.append(("  commit", count(first["commit"]["count"]), None,
                          [phase["commit"] for phase in phases]))
    if complete and not result["exchanges"] and len(result["runs"][0]["phases"]) == 4:
        lines.append(("average", "", (results.mean_ns, results.mean_rate), None))
    if complete and (not result["exchanges"] or runs[0]["together"]):
        lines.append(("overall", count(results.operations(runs[0])),
                      (results.elapsed_ns, results.rate), None))
    timed = any(of for *_, latencies in lines for of in latencies or ())
    names = LATENCY if timed else ()
    table = Table(["", "operations>", "time [s]>", "per second>", *(f"{of}>" for of in names)])
    for name, done, pair, latencies in lines:
        figures = [stats.headline(list(map(of, runs))).mean for of in pair or ()]
        table.add(name, done, *((f"{figures[0] / 1e9:.6f}", figure(figures[1])) if pair else
                                ("", "")),
                  *(latency_cells(latencies, names) if latencies else [""] * len(names)))
    return table


def step_table(name: str, runs: list[list[dict]]) -> Table:
    """The operations that each exchange asked of the store, in order."""
    names = ("mean", "p50", "p99", "max")
    table = Table([f"steps of {name}", "operation", "count>", *(f"{of}>" for of in names)])
    for steps in zip(*runs):
        first = steps[0]
        table.add(first["name"], first["operation"], count(first["count"]),
                  *latency_cells([step["latency"] for step in steps], names))
        if first.get("predicted"):
            table.add("predicted", first["operation"], count(half_up(first["predicted"])),
                      *[""] * len(names))
    return table


def run_table(runs: list[dict]) -> Table:
    """The rates of each run; of several the mean without the highest and lowest, and the median,
    each with its interval."""
    named = [(name, rate) for name, _, rate in results.phase_figures(runs[0])]
    columns = [[rate(run) for run in runs] for _, rate in [*named, ("", results.rate)]]
    table = Table(["per second", *(f"{name}>" for name, _ in named), "overall>"])
    for i, values in enumerate(zip(*columns), 1):
        table.add(f"run {i}", *map(figure, values))
    if len(runs) >= FEW:
        means, intervals = (list(map(of, columns)) for of in (stats.headline,
                                                              stats.median_interval))
        table.add("mean", *(figure(of.mean) for of in means))
        table.add("+- 95 %", *(of.interval and figure((of.interval.high - of.interval.low) / 2)
                               for of in means))
        table.add("median", *(figure(stats.median(values)) for values in columns))
        covered = f" ({100 * intervals[0].coverage:.1f} %)" if intervals[0] else ""
        table.add("its interval" + covered, *(of and f"{figure(of.low)} to {figure(of.high)}"
                                              for of in intervals))
    return table


def cost_of(run: dict) -> str:
    """The cost of an operation for the client, and for its server where that is known; phases that
    ran together share theirs."""
    usage = [phase["usage"] for phase in run["phases"] if phase["usage"]]
    usage, done = usage[:1] if run["together"] else usage, results.operations(run)
    if not usage or not done:
        return ""
    return "for each operation: " + members({
        name: sum(one[name] for one in usage) / done for name in usage[0]
        if name != "max_rss_bytes" and all(one.get(name) is not None for one in usage)})


def print_open(out: Output, run: dict) -> None:
    out.pairs([("closed loop", members(run["closed_loop"])),
               *(("goal", members(goal)) for goal in run.get("goals", ()))], INDENT)
    out.gap()
    if len(run["trials"]) > 1 or run.get("goals"):
        out.tables(search_table(run))
        return
    for trial in run["trials"]:
        storm, predicted = run.get("storm") or {}, run.get("predicted") or {}
        both = {**trial, **storm}, {**predicted, **(predicted.get("storm") or {})}
        table = Table(f"{'storm' if storm else 'trial'}|measured>|predicted>")
        for name in dict.fromkeys([*both[0], *both[1]]):
            values = [form(name, of[name]) or ("never" if name.endswith("_ns") else None)
                      if name in of else "" for of in both]
            if not isinstance(both[0].get(name), (dict, list)) and any(values):
                table.add(label(name), *values)
        seconds = Table("answers in second|measured>|predicted>")
        answers = [[second[0] for second in of.get("seconds") or ()] for of in both]
        for i, answered in enumerate(answers[0] if storm else ()):
            other = answers[1][i] if i < len(answers[1]) else 0
            if answered or other:
                seconds.add(i + 1, count(answered), count(other))
        times = Table(["", "count>", *(f"{of}>" for of in LATENCY)])
        for name, of in (("response", trial["response"]), ("predicted", predicted.get("response")),
                         ("service", trial["service"]), ("lag", trial["lag"])):
            if of:
                times.add(name, count(of["count"]), *latency_cells([of]))
        out.tables(table, seconds, times)


def search_table(run: dict) -> Table:
    """The trials of a search, each judged by every goal."""
    goals = run.get("goals", ())
    table = Table(["trial", "rate/s>", "time>", "sent>", *(f"{goal['goal']}>" for goal in goals),
                   "p99>"])
    for trial in run["trials"]:
        judged = [f"{form('bad_share', of['bad_share'])} {'yes' if of['met'] else 'no'}"
                  for of in trial.get("judged", ())] or [None] * len(goals)
        table.add(trial["stage"], figure(trial["rate_per_s"]), time(trial["elapsed_ns"]),
                  count(trial["offered"]), *judged, *latency_cells([trial["response"]], ("p99",)))
    return table
