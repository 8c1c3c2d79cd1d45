# SPDX-License-Identifier: ISC
"""One page of HTML from results, with nothing fetched from anywhere: the tables and sentences of
the other commands, and what page.js draws charts from.  Foreign text is escaped in HTML; in the
data no text can end the script element, and page.js makes text nodes of it alone."""

from __future__ import annotations

import contextlib
import html
import io
import json
import math
from pathlib import Path

from report import Problem, answer, crashes, duel, predict, results, rows, screen, servers, tables
from report.figures import figure, plural
from report.options import Option
from report.rates import EXCHANGES
from report.stats import median
from report.stores import OTHER, STORES
from report.table import Output

SITE = answer.Site(clients=20000)
SECONDS_MAX, MACHINES_MAX = 1200, 6
HERE = Path(__file__).parent


# The data of page.js: configurations of which tables have rows, with what charts have of them


def about(row: rows.Row) -> str:
    """The text below a figure when the reader hovers over it."""
    newest = row.results[-1]
    product = " ".join(next(iter(newest["facts"].items()), (row.store, "")))
    days = dict.fromkeys(result["started_at"][:10] for result in (row.results[0], newest))
    warned = [result["warned"] for result in row.results if result["warned"]]
    return "\n".join(filter(None, [
        ", ".join(filter(None, [product, row.cls or "published", row.differs])),
        newest["durability"]["from"],
        f"{newest['program']} {newest['version']}, {' to '.join(days)}",
        warned and f"{len(warned)} of {len(row.results)} results: {warned[0]}"]))


def describe(row: rows.Row) -> dict:
    """A figure is a phase, or, first, all of several; the rates of open loops were asked for."""
    newest = row.results[-1]
    workload = results.parameter(newest, "workload") or row.section.phases
    named = [(name, figure) for name, _, figure in results.phase_figures(row.section.shape)]
    named = [] if newest["open"] else [("", results.rate)] * (len(named) > 1) + named
    return {"class": row.cls or "published", "store": row.store, "label": row.label,
            "about": about(row), "workload": workload,
            "version": newest["version"], "title": servers.title_of(row.section),
            "standard": row.is_default, "seconds": seconds(row) if named else [],
            "figures": {name if name == workload else f"{name or 'all'} of {workload}": {
                "phase": name or "operations", "rate": rate(row, figure),
                "latency": latencies(row, name)} for name, figure in named},
            "threads": results.parameter(newest, "threads") or "1"}


def rate(row: rows.Row, of_run) -> dict | None:
    """The median of the runs, its interval if there is one, and both as a sentence."""
    made = rows.Summary(row, of_run)
    if not made.values:
        return None
    text = f"{figure(made.median)} per second, median of {plural(len(made.values), 'run')}"
    if made.interval:
        text += f", 95 % interval {figure(made.low)} to {figure(made.high)}"
    low, high = (made.low, made.high) if made.interval else (None, None)
    return {"median": made.median, "low": low, "high": high, "text": text}


def latencies(row: rows.Row, name: str) -> list[list[float]]:
    """The medians of quantiles over the runs, as far as they are not chance."""
    found = []
    for quantile, share in results.QUANTILES.items():
        values = [results.latency((results.find_phase(run, name) or {}).get("latency"), quantile)
                  for _, run in row.runs]
        if values and None not in values:
            found.append([share, median(values)])
    return found


def seconds(row: rows.Row) -> list[int]:
    """Operations in each second of the first run, without the last of each phase, which is no whole
    one; phases that ran one after the other stand one after the other."""
    phases = row.runs[0][1]["phases"] if row.runs else []
    return [second[0] for phase in phases for second in (phase.get("series") or [])[:-1]][
        :SECONDS_MAX]


# The answer, for a site of any size


def answer_data(of: answer.Answer) -> dict:
    def rate_data(setup, demand):
        one, most = setup.rates[demand], answer.most_clients(setup, demand)
        return {"rate": one.per_s, "most": None if most == math.inf else most} \
            if one.kind else None

    names = screen.long_names(of)
    return {"clients": SITE.clients, "hours": SITE.lease_s / 3600, "minutes": SITE.restart_s / 60,
            "renewAt": SITE.renew_at, "reserve": SITE.reserve, "verdicts": answer.VERDICTS,
            "rows": [{"name": f"{names[setup]} ({setup.section.title})",
                      "class": setup.cls or "published", "store": setup.store,
                      "rates": [rate_data(setup, demand) for demand in (0, 1)]}
                     for setup in of.setups]}


def page_data(found: list[dict], of: answer.Answer | None) -> dict:
    used = [row for is_open in (False, True) for section in
            rows.sections([one for one in found if one["open"] == is_open])
            for row in section.rows]
    return {"groups": [describe(row) for row in used],
            "answer": answer_data(of) if of else None,
            "stores": {store.name: store.mark for store in (*STORES, OTHER)},
            "classes": {**rows.MEANINGS, "published": "not measured here"},
            "order": [*reversed(results.CLASSES), "published"],
            "helps": EXCHANGES}


def ratios(fought: list[dict]) -> list[dict]:
    """The sides of duels against A, and A against A; those of one name together, the oldest first:
    their history by version."""
    found = []
    for line in fought:
        for i, side in enumerate(line["sides"][1:], 1):
            one, begun = duel.estimate(line, i), line["started_at"]
            if one and one.interval:
                name = "A against A" if side["twin"] else \
                    f"{side['name']} / {line['sides'][0]['name']}"
                name = ": ".join(filter(None, (line["label"], name)))
                found.append({"store": "other", "label": f"{begun[:10]} {name}",
                              "value": one.ratio, "low": one.interval.low,
                              "high": one.interval.high, "tip":
                              f"{name}, {begun}, {duel.version_of(side)}: {one.ratio:.3f}"})
    return sorted(found, key=lambda one: one["tip"])


def intro(found: list[dict]) -> str:
    """The first sentence: when and where it was measured."""
    measured = [one for one in found if not one["published"]]
    days = sorted(one["started_at"][:10] for one in measured)
    machines = [*dict.fromkeys(", ".join(
        one["host"][name] + " cores" * (name == "cores")
        for name in ("cpu", "cores", "memory", "kernel") if name in one["host"])
        for one in measured)][:MACHINES_MAX]
    return "Stores in which a DHCP server keeps its leases" + (
        f", measured {' to '.join(dict.fromkeys([days[0], days[-1]]))} on "
        f"{'; on '.join(filter(None, machines)) or 'a machine that is not known'}." if days else
        ".")


def colours() -> str:
    """The style of each store, from the one table of stores."""
    def of(dark):
        return "".join(f"--{one.name}: {one.dark if dark else one.light}; "
                       for one in (*STORES, OTHER))

    return (f":root {{ {of(False)}}}\n@media screen and (prefers-color-scheme: dark) "
            f"{{ :root {{ {of(True)}}} }}\n"
            + "".join(f".s-{one.name} {{ --ink: var(--{one.name}); }}\n"
                      for one in (*STORES, OTHER)))


def write_page(found: list[dict], lines: list[dict], fought: list[dict], title: str,
               out: Output) -> None:
    cells, used = crashes.gather(lines), rows.without_references(found)
    all_found = found + [result for line in fought for result in duel.as_results(line)]
    of, made = None, []
    with contextlib.suppress(Problem):  # there may be nothing to work out
        of = answer.Answer(SITE, all_found)
    with contextlib.suppress(Problem):
        made = predict.work_out(found)
    if of and not any(rate.kind for setup in of.setups for rate in setup.rates):
        of = None  # of phases alone there may be no rate that a site can be judged by
    data = json.loads(json.dumps({**page_data(used, of), "ratios": ratios(fought)}),
                      parse_float=lambda of: float(f"{float(of):.7g}"))  # enough to be drawn
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    title = html.escape(title)
    out.write('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
              f"<title>{title}</title>\n"
              '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
              '<meta name="color-scheme" content="light dark">\n'
              f"<style>\n{(HERE / 'page.css').read_text()}{colours()}</style>\n</head>\n<body>\n"
              f"<header><h1>{title}</h1>\n")
    crashes.print_contradictions(cells, out)
    out.note(intro(rows.without_references(all_found)))
    out.write("</header>\n<main>\n")
    if of:
        out.write('<section id="answer">\n<h2>Which store is fast enough?</h2>\n<div id="screen">')
        screen.print_screen(of, out)
        out.write("</div>\n<details>\n<summary>Every row, class and cost, and their sources"
                  "</summary>\n")
        screen.print_sources(of, out)
        out.write("</details>\n</section>\n")
    if fought:
        out.write('<section>\n<h2>Duels</h2>\n<div id="ratios"></div>\n')
        out.table(duel.summary(fought))
        out.write("</section>\n")
    out.write('<form id="filters" aria-label="Filters"></form>\n<p id="count" role="status"></p>\n'
              '<div id="drawn"></div>\n<section id="tables">\n<h2>Tables</h2>\n')
    tables.print_tables(out, found, cells)
    if made:
        out.heading("a whole server, predicted from its store")
        predict.print_predictions(made, out)
    out.write("</section>\n</main>\n<footer><p>Made by <code>ubench_report page</code>. What the "
              "figures mean: README.md and results/README.md of ubench.</p></footer>\n"
              f'<script type="application/json" id="data">{text}</script>\n'
              f"<script>\n{(HERE / 'page.js').read_text()}</script>\n</body>\n</html>\n")


OPTIONS = [Option("title", "text", "what stands above it all", "TEXT",
                          "Lease stores, measured", letter="t", group="Output")]
SUMMARY = "tables and charts on one page of HTML"
EPILOG = ("ubench_report page results.jsonl > report.html\n"
          "    the page needs nothing else; open it in a browser")


def run(values: dict, files: list[str], complain) -> int:
    found, lines, fought = results.read_all(files, complain)
    if not found and not lines and not fought:
        raise results.nothing_in(files)
    text = io.StringIO()
    write_page(found, lines, fought, values["title"], Output("html", text))
    Output("html").write(text.getvalue())
    return 0
