# SPDX-License-Identifier: ISC
"""What crash campaigns came to: lines of ubench-crash/1, grouped by file, cell and level.

A file is a campaign.  What is said of a level holds only where the campaign's own controls
passed there: see doubt."""
from report import stats

LEVELS = {"1": "kill -9", "1b": "kill -9 of a backend", "1c": "kill -9 of the client",
          "2": "power cut", "3": "bad disk", "4": "loss of its node",
          "4k": "kill -9 of its node", "4s": "SIGSTOP of its node",
          "4n": "no network of its node"}
RANKS = {level: rank for rank, level in enumerate(LEVELS)}
VERDICTS = ("kept", "lost", "resurrected", "hole", "phantom", "corrupt", "invalid")
CLASSES = ("none", "volatile", "process-safe", "bounded", "power-safe")
NOTE = ("lossy: crashes that lost or damaged something that was acknowledged.  at most: how "
        "often that happens in truth, with a confidence of 95 % (Clopper-Pearson).  window: from "
        "the first lost acknowledgement to the crash, in operations that were acknowledged "
        "in it (all are lost unless there are holes) and in time.  Levels: 1 kill -9, 1b of one "
        "backend, 1c of the client, 2 power cut, 3 a disk that keeps what was synced and some "
        "of the rest, 4 the loss of the node for ever; and where the load goes on with another "
        "node, 4k kill -9, 4s SIGSTOP, 4n its network down.")


def fault(line):
    """What is wrong with a line, or None."""
    labels, durability = line.get("labels"), line.get("durability")
    labels = labels if isinstance(labels, dict) else {}
    cls = text(durability if isinstance(durability, dict) else {}, "class")
    if text(line, "verdict") not in VERDICTS:
        return "the verdict is not one that is known"
    if not text(line, "store"):
        return "store is missing"
    if not text(labels, "cell"):
        return "the label cell is missing: the line is not of a campaign"
    if text(labels, "level") not in LEVELS:
        return "the label level is not one of " + ", ".join(LEVELS)
    if not cls and line["verdict"] not in ("invalid", "corrupt"):
        return "durability is missing"
    return None if not cls or cls in CLASSES else "the class of durability is not known"


def text(line, key):
    value = line.get(key)
    return value if isinstance(value, str) else ""


def count(line, key):
    """A whole number that is not negative, or None."""
    value = line.get(key)
    return value if type(value) is int and value >= 0 else None


def gather(lines, complain):
    """The cells of (file, number, line): by file and level, else as they came."""
    cells = {}
    for file, number, line in lines:
        wrong = fault(line)
        if wrong is not None:
            complain(file, number, wrong)
            continue
        labels = line["labels"]
        key = file, labels["cell"], labels["level"]
        if key not in cells:
            cells[key] = {"file": file, "name": labels["cell"], "level": labels["level"],
                          "store": line["store"], "control": text(labels, "control"),
                          "product": "", "class": "", "from": "", "batch": None,
                          "crashes": [], "invalid": 0}
        add_line(cells[key], line)
    files = list(dict.fromkeys(cell["file"] for cell in cells.values()))
    order = sorted(cells.values(),
                   key=lambda cell: (files.index(cell["file"]), RANKS[cell["level"]]))
    for cell in order:
        finish(cell)
    judge_levels(order)
    return order


def add_line(cell, line):
    """A line of a server that did not start does not have its settings."""
    if line["verdict"] == "invalid":
        cell["invalid"] += 1
        return
    cell["crashes"].append(line)
    durability = line.get("durability") or {}
    cls, source = text(durability, "class"), text(durability, "from")
    if cls and cell["class"] and (cls, source) != (cell["class"], cell["from"]):
        cell["class"] = "mixed"
    elif cls and not cell["class"]:
        cell.update({"class": cls, "from": source, "product": text(line, "product"),
                     "batch": count(line.get("load") or {}, "batch")})


def finish(cell):
    crashes = cell["crashes"]
    verdicts = [line["verdict"] for line in crashes]
    cell["judged"] = len(crashes)
    cell["lossy"] = len(crashes) - verdicts.count("kept")
    cell["corrupt"] = verdicts.count("corrupt")
    cell["holes"] = verdicts.count("hole")
    cell["torn"] = sum((count(line.get("operations") or {}, "torn_batches") or 0) > 0
                       for line in crashes)  # older lines do not say
    cell["bound"] = stats.binomial_upper(cell["lossy"], cell["judged"]) if crashes else 1
    cell["must_lose"] = is_control(cell, "loses at ")
    cell["must_keep"] = is_control(cell, "keeps at ")


def is_control(cell, what):
    """Whether "loses at 2 3" names the level of the cell."""
    return cell["control"].startswith(what) and cell["level"][0] in cell["control"][len(what):]


def leases(line):
    """Leases that were lost, outdated or resurrected; None if they were not counted."""
    counts = [count(line.get("leases") or {}, way) for way in ("lost", "outdated", "resurrected")]
    return None if any(one is None or one >= 1 << 32 for one in counts) else sum(counts)


def judge_levels(cells):
    """Gives each cell "doubt", why nothing may be said of its level, and "contradicts": its
    controls passed, and it lost what its class promises to keep."""
    levels = {}
    for cell in cells:
        levels.setdefault((cell["file"], cell["level"]), []).append(cell)
    doubts = {key: doubt(key[1], [cell for cell in of if cell["judged"]])
              for key, of in levels.items()}
    for cell in cells:
        kind = cell["level"][0]
        kept = {"1": ("power-safe", "bounded", "process-safe"), "4": ()}
        cell["doubt"] = doubts[cell["file"], cell["level"]]
        cell["contradicts"] = (cell["lossy"] > 0 and not cell["must_lose"] and
                               cell["doubt"] is None and
                               cell["class"] in kept.get(kind, ("power-safe",)))


def doubt(level, cells):
    for cell in cells:
        if cell["must_lose"] and not cell["lossy"]:
            return "a control that must lose did not"
        if cell["must_keep"] and cell["lossy"]:
            return "a control that must not lose did"
    if level in ("1b", "1c"):  # judged like the kill of all
        return None
    if not any(cell["must_keep"] for cell in cells):
        return "there is no control that must not lose"
    if not any(cell["must_lose"] for cell in cells):
        return "there is no control that must lose"
    return None


def beside(cells, result):
    """What was seen of a store with the version, settings and size of transactions of a
    result: for each level the cell that did worst.  "" if nothing was."""
    worst = {}
    for cell in cells:
        if (cell["judged"] and not cell["must_lose"] and cell["doubt"] is None and
                has_settings(cell, result)):
            level = cell["level"]
            worst[level] = max(worst.get(level, cell), cell, key=badness)
    return ", ".join("%s %d of %d (at most %.3g %%)" % (
        LEVELS[level], worst[level]["lossy"], worst[level]["judged"], 100 * worst[level]["bound"])
        for level in LEVELS if level in worst)


def badness(cell):
    """A cell that lost more often; of two that did so as often, the one of fewer crashes."""
    return cell["lossy"] / cell["judged"], -cell["judged"]
