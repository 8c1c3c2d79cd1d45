# SPDX-License-Identifier: ISC
"""Crash campaigns: lines of ubench-crash/1, grouped by file, cell and level.

A file is a campaign.  What is said of a level holds only where the campaign's own controls
passed there: see _doubt."""

from __future__ import annotations

from report import Problem, options, results, stats
from report.table import Cell, Output, Table

LEVELS = {"1": "kill -9", "1b": "kill -9 of a backend", "1c": "kill -9 of the client",
          "2": "power cut", "3": "bad disk", "4": "loss of its node",
          "4k": "kill -9 of its node", "4s": "SIGSTOP of its node",
          "4n": "no network of its node"}
NOTE = ("lossy: crashes that lost or damaged something that was acknowledged.  at most: how often "
        "that happens in truth, with a confidence of 95 % (Clopper-Pearson).  window: from the "
        "first lost acknowledgement to the crash, in operations that were acknowledged in it (all "
        "of them are lost, unless there are holes) and in time.  Levels: "
        + ", ".join(" ".join(level) for level in LEVELS.items()) + ".")


def gather(lines: list[dict]) -> list[dict]:
    """The cells, by file and level, else as they came; beside what _cell tells each has doubt (why
    nothing may be said of the level, or None) and contradicts (its controls passed, and it lost
    what its class promises to keep)."""
    groups: dict = {}
    for line in lines:
        labels = line["labels"]
        groups.setdefault((line["file"], labels["cell"], labels["level"]), []).append(line)
    files, levels = list(dict.fromkeys(file for file, _, _ in groups)), list(LEVELS)
    found = [_cell(*key, groups[key]) for key in sorted(
        groups, key=lambda key: (files.index(key[0]), levels.index(key[2])))]
    for cell in found:
        cell["doubt"] = _doubt(cell["level"], [
            other for other in found if other["judged"] and
            (other["file"], other["level"]) == (cell["file"], cell["level"])])
        # A class promises nothing about the loss of its node.
        kept = {"1": ("power-safe", "bounded", "process-safe"), "4": ()}.get(
            cell["level"][0], ("power-safe",))
        cell["contradicts"] = (cell["lossy"] > 0 and not cell["must_lose"] and
                               cell["doubt"] is None and cell["class"] in kept)
    return found


def _cell(file: str, name: str, level: str, lines: list[dict]) -> dict:
    """A cell with the sums of its crashes: judged, lossy, corrupt, holes, torn (a part of a
    transaction that was not committed was there), invalid (not judged), bound (how often it loses
    in truth, at most), must_lose and must_keep (controls)."""
    crashes = [line for line in lines if line["verdict"] != "invalid"]
    verdicts = [line["verdict"] for line in crashes]
    # A server that did not start again has not told its settings.
    told = [line for line in crashes if line.get("durability")]
    settings = dict.fromkeys((line["durability"]["class"], line["durability"]["from"])
                             for line in told)
    cls, source = next(iter(settings), ("", ""))
    first, control = told[0] if told else {}, lines[0]["labels"].get("control", "")
    lossy = len(verdicts) - verdicts.count("kept")

    def controls(what):  # "loses at 2 3" names the levels
        return control.startswith(what) and level[0] in control[len(what):]

    return {"file": file, "name": name, "level": level, "store": lines[0]["store"],
            "control": control, "class": "mixed" if len(settings) > 1 else cls, "from": source,
            "product": first.get("product", ""), "batch": first.get("load", {}).get("batch"),
            "crashes": crashes, "invalid": len(lines) - len(crashes), "judged": len(verdicts),
            "lossy": lossy, "corrupt": verdicts.count("corrupt"), "holes": verdicts.count("hole"),
            "torn": sum(line.get("operations", {}).get("torn_batches", 0) > 0 for line in crashes),
            "bound": stats.binomial_upper(lossy, len(verdicts)),
            "must_lose": controls("loses at "), "must_keep": controls("keeps at ")}


def _doubt(level: str, cells: list[dict]) -> str | None:
    """Why nothing may be said of a level, by the cells of which crashes were judged."""
    for cell in cells:
        if cell["must_lose"] and not cell["lossy"]:
            return "a control that must lose did not"
        if cell["must_keep"] and cell["lossy"]:
            return "a control that must not lose did"
    if level in ("1b", "1c"):  # judged as the kill of all is
        return None
    if not any(cell["must_keep"] for cell in cells):
        return "there is no control that must not lose"
    return None if any(cell["must_lose"] for cell in cells) else \
        "there is no control that must lose"


def beside(cells: list[dict], result: dict) -> str:
    """The crashes of a store with the version, settings and size of transactions of a result: for
    each level the cell that lost most often, or as often in more crashes; "" if there is none."""
    found: dict = {}
    durability, product = result["durability"], results.product_text(result)
    settings = (result["store"], durability["class"], durability["from"],
                results.parameter(result, "batch") or "1")
    for cell in cells:
        # "SQLite 3.40.1": more may follow, but not of the version.
        is_product = bool(product) and cell["product"].startswith(product) and \
            cell["product"][len(product):][:1] in ("", " ", ",")
        if cell["judged"] and not cell["must_lose"] and cell["doubt"] is None and is_product and \
                (*(cell[name] for name in ("store", "class", "from")), str(cell["batch"])) == \
                settings:
            found.setdefault(cell["level"], []).append(cell)
    worst = [max(found[level], key=lambda cell: (cell["lossy"] / cell["judged"], -cell["judged"]))
             for level in LEVELS if level in found]
    return ", ".join(f"{LEVELS[cell['level']]} {cell['lossy']} of {cell['judged']} "
                     f"(at most {100 * cell['bound']:.3g} %)" for cell in worst)


def print_contradictions(cells: list[dict], out: Output) -> None:
    """These bear on everything else, and come first."""
    found = [cell for cell in cells if cell["contradicts"]]
    for cell in found:
        out.warning(f"CONTRADICTION: {cell['name']} is {cell['class']} by its settings, and lost "
                    f"acknowledged changes in {cell['lossy']} of {cell['judged']} crashes at level "
                    f"{cell['level']}")
    if found:
        out.gap()


def print_cells(cells: list[dict], out: Output) -> bool:
    """The cells of levels with a verdict, and why others have none.  False if there are others."""
    doubts = {(cell["file"], cell["level"]): cell["doubt"] for cell in cells if cell["doubt"]}
    if out.form == "csv":
        out.table(_csv_table(cells))
        return not doubts
    for (file, level), why in doubts.items():
        out.item(f"{file}, level {level}: no verdict: {why}")
    table = Table("cell|level|class|lossy>|at most>|window [oper]>|window [ms]>|recovery [ms]>|"
                  "remarks", absent="-")
    for cell in cells:
        if not cell["doubt"]:
            judged = cell["judged"] > 0
            table.add(cell["name"], cell["level"], cell["class"] or None,
                      f"{cell['lossy']} of {cell['judged']}" if judged else None,
                      f"{100 * cell['bound']:.2f} %" if judged else None,
                      _spread(cell, "window_operations", 1), _spread(cell, "window_ns", 1e6),
                      _spread(cell, "recovery_ns", 1e6), _remark(cell))
    if table.rows:
        out.tables(table)
        out.note(NOTE)
    return not doubts


def _spread(cell: dict, member: str, scale: float) -> Cell | None:
    """The median, the least and the most."""
    values = [line[member] / scale for line in cell["crashes"] if line.get(member) is not None]
    if not values:
        return None
    middle, decimals = stats.median(values), 1 if max(values) < 10 else 0
    return Cell(f"{middle:.{decimals}f} [{min(values):.{decimals}f}-{max(values):.{decimals}f}]",
                middle)


def _remark(cell: dict) -> str:
    control = "control: must lose" if cell["must_lose"] else "control: must not lose" \
        if cell["level"][0] in cell["control"] else ""
    parts = [(cell["holes"], "with holes"), (cell["corrupt"], "corrupt"),
             (cell["torn"], "with part of a batch"), (cell["invalid"], "not judged")]
    return ", ".join([control] * bool(control) + [f"{n} {what}" for n, what in parts if n])


def _csv_table(cells: list[dict]) -> Table:
    """All cells; those of doubtful levels have no figures."""
    table = Table("campaign|cell|level|store|class|from|judged|lossy|at_most|holes|corrupt|"
                  "not_judged|doubt")
    for cell in cells:
        sure = cell["doubt"] is None
        table.add(*(cell[name] for name in ("file", "name", "level", "store", "class", "from")),
                  cell["judged"], cell["lossy"] if sure else None,
                  f"{cell['bound']:.6f}" if sure else None, cell["holes"] if sure else None,
                  cell["corrupt"] if sure else None, cell["invalid"], cell["doubt"])
    return table


OPTIONS = [options.FORMAT]
SUMMARY = "losses in the crashes of scripts/crash"
EPILOG = ("ubench_report crashes build/crash/crashes.jsonl\n"
          "    A file is a campaign; a level whose controls failed has no verdict,\n"
          "    and the exit status is 1.")


def run(values: dict, files: list[str], complain) -> int:
    cells = gather(results.load(files, complain)[1])
    if not cells:
        raise Problem(f"there are no crashes in {files[0]}")
    out = Output(values["format"])
    print_contradictions(cells, out)
    return 0 if print_cells(cells, out) else 1
