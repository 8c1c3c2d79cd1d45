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
import string
from pathlib import Path

from report import (
    Problem,
    answer,
    crashes,
    duel,
    predict,
    results,
    rows,
    screen,
    servers,
    tables,
)
from report.figures import figure, plural
from report.lines import knowledge
from report.options import Option
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
    product = results.product_text(newest) or f"{row.store} "
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
    found = {"median": made.median, "low": None, "high": None, "text":
             f"{figure(made.median)} per second, median of {plural(len(made.values), 'run')}"}
    if made.interval:
        found.update(low=made.low, high=made.high)
        found["text"] += f", 95 % interval {figure(made.low)} to {figure(made.high)}"
    return found


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
    names = screen.long_names(of)
    return {"clients": SITE.clients, "hours": SITE.lease_s / 3600, "minutes": SITE.restart_s / 60,
            "renewAt": SITE.renew_at, "reserve": SITE.reserve, "verdicts": answer.VERDICTS,
            "rows": [{"name": f"{names[setup]} ({setup.section.title})",
                      "class": setup.cls or "published", "store": setup.store,
                      "rates": [{"rate": one.per_s, "most": None if most == math.inf else most}
                                if one.kind else None
                                for one, most in zip(setup.rates, of.fits[setup].most)]}
                     for setup in of.setups]}


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
    light, dark = ("".join(f".s-{one.name} {{ --ink: {getattr(one, which)}; }}\n"
                           for one in (*STORES, OTHER)) for which in ("light", "dark"))
    return light + f"@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def page_data(found: list[dict], of: answer.Answer | None, fought: list[dict]) -> str:
    """The JSON, with as many digits as can be drawn."""
    used = [row for is_open in (False, True) for section in
            rows.sections([one for one in found if one["open"] == is_open])
            for row in section.rows]
    data = {"groups": [describe(row) for row in used],
            "answer": answer_data(of) if of else None,
            "stores": {store.name: store.mark for store in (*STORES, OTHER)},
            "classes": {**knowledge.meanings(), "published": "not measured here"},
            "order": [*reversed(results.CLASSES), "published"],
            "ratios": ratios(fought)}
    short = json.loads(json.dumps(data), parse_float=lambda of: float(f"{float(of):.7g}"))
    return json.dumps(short, separators=(",", ":")).replace("<", "\\u003c")


def make_page(found: list[dict], lines: list[dict], fought: list[dict], title: str) -> str:
    """The HTML: page.html with what the other commands print."""
    cells, all_found = crashes.gather(lines), answer.with_duels(found, fought)
    of, made = None, []
    with contextlib.suppress(Problem):  # there may be nothing to work out
        kept, short = answer.drop_short(all_found)
        of = answer.Answer(SITE, kept, short=short)
    with contextlib.suppress(Problem):
        made = predict.work_out(found)
    if of and not any(rate.kind for setup in of.setups for rate in setup.rates):
        of = None  # of phases alone there may be no rate that a site can be judged by
    parts = {name: Output("html", io.StringIO())
             for name in ("intro", "answer", "duels", "tables")}
    crashes.print_contradictions(cells, parts["intro"])
    parts["intro"].note(intro(rows.without_references(all_found)))
    if of:
        parts["answer"].write('<section id="answer">\n<h2>Which store is fast enough?</h2>\n'
                              '<div id="screen">')
        screen.print_screen(of, parts["answer"])
        parts["answer"].write("</div>\n<details>\n<summary>Every row, class and cost, and their "
                              "sources</summary>\n")
        screen.print_sources(of, parts["answer"])
        parts["answer"].write("</details>\n</section>\n")
    if fought:
        parts["duels"].write('<section>\n<h2>Duels</h2>\n<div id="ratios"></div>\n')
        parts["duels"].table(duel.summary(fought))
        parts["duels"].write("</section>\n")
    tables.print_tables(parts["tables"], found, cells)
    if made:
        parts["tables"].heading("a whole server, predicted from its store")
        predict.print_predictions(made, parts["tables"])
    return string.Template((HERE / "page.html").read_text()).substitute(
        {name: out.stream.getvalue() for name, out in parts.items()}, title=html.escape(title),
        style=(HERE / "page.css").read_text() + colours(), script=(HERE / "page.js").read_text(),
        data=page_data(rows.without_references(found), of, fought))


OPTIONS = [Option("title", "text", "what stands above it all", "TEXT",
                  "Lease stores, measured", letter="t", group="Output")]
SUMMARY = "tables and charts on one page of HTML"
EPILOG = ("ubench_report page results.jsonl > report.html\n"
          "    the page needs nothing else; open it in a browser")


def run(values: dict, files: list[str], complain) -> int:
    found, lines, fought = results.read_all(files, complain)
    if not found and not lines and not fought:
        raise results.nothing_in(files)
    Output().write(make_page(found, lines, fought, values["title"]))
    return 0
