# SPDX-License-Identifier: ISC
"""Reads what perfdhcp printed, and chooses the next rate to try."""
import json
import math
import os
import re

import campaign  # noqa: F401, which finds the package report

from report.servers import held


def number_after(text, name):
    found = re.search("^" + re.escape(name) + r".*?(-?[0-9.]+)", text, re.MULTILINE)
    return json.loads(found[1]) if found else None


def exchange(text):
    return {name: number_after(text, words) for name, words in (
        ("sent", "sent packets: "), ("received", "received packets: "),
        ("min_ms", "min delay: "), ("mean_ms", "avg delay: "),
        ("max_ms", "max delay: "), ("sd_ms", "std deviation: "))}


def read_trial(text, rate, run, used, old):
    """The clients that asked in the time of sending, and those of them that were
    granted a lease in time; used are processor times in seconds, and old is what
    became of --renew-old.  Raises ValueError if the text is not that of a whole run of perfdhcp."""
    exchanges = list(map(exchange, text.split("***Statistics for: ")[1:]))
    if len(exchanges) < 2:
        raise ValueError("no statistics")
    discover, request, *others = exchanges
    sent, granted = discover["sent"], request["received"]
    if None in (sent, granted):
        raise ValueError("no counts of packets")
    beside = dict(zip((name for name in ("renew", "release") if name in run), others))
    lost = 1 - granted / sent if sent > 0 else 1
    begun = sent
    if old:
        beside["renew"] = old
        begun = min(sent, old["sent"] * 100 / run["renew_old"])
    # A process of the database that ended in between takes its time with it.
    parts = {name: max(0, round(used[name], 2)) for name in ("server", "store", "load")}
    other = max(0, round(used["all"], 2) - sum(parts.values()))
    trial = {"discover": discover, "request": request, "sent": sent, "granted": granted,
             "lost": lost, **beside, "processor_s": {**parts, "other": other},
             "elapsed_s": used["elapsed"], "cores": os.cpu_count()}
    if run["command"] != "storm":
        renew = beside.get("renew", {"sent": 0})
        unanswered = 1 - renew["received"] / renew["sent"] if renew["sent"] else 0
        return {**trial, "offered": rate, "kept_up": begun + 1 >= 0.98 * rate * run["seconds"],
                "holds": max(lost, unanswered) <= run["max_lost"]}
    took = re.search(r"It took (\d+):(\d+):([0-9.]+)", text)
    if took is None:
        raise ValueError("no duration")
    hours, minutes, seconds = map(float, took.groups())
    return {**trial, "resent": number_after(text, "Requests resent: "),
            "duration_s": hours * 3600 + minutes * 60 + seconds}


def read_seconds(text, seconds):
    """Second by second: the sums that perfdhcp prints with -C are those of discovers,
    requests, renewals and releases that were sent, then of their answers, and others."""
    rows = [[int(word) for word in line.split(",")] for line in text.splitlines()
            if re.fullmatch("[0-9]+(,[0-9]+){7,}", line)][:seconds]
    sums = [(0, 0)] + [(row[0], row[len(row) // 4 + 1]) for row in rows]
    return [{"asked": b[0] - a[0], "granted": b[1] - a[1]} for a, b in zip(sums, sums[1:])]


def silent_s(trial, each):
    """For how long nobody was answered: seconds without an answer, or the longest wait."""
    silent = "".join("x" if one["asked"] > 0 and one["granted"] == 0 else " " for one in each)
    waits = [trial[name]["max_ms"] or 0 for name in ("discover", "request")]
    return max(*map(len, silent.split(" ")), max(waits) / 1000)


def failover(each, kill_s):
    """The cost of a killed partner: answers, and the time until nine in ten clients of a second
    are answered again."""
    behind = each[kill_s:]
    well = [one["granted"] >= 0.9 * one["asked"] for one in behind]
    bad = well.index(False) if False in well else 0
    return {"lost": max(0, sum(one["asked"] - one["granted"] for one in behind)),
            "back_s": well.index(True, bad) if True in well[bad:] else None}


def next_rate(trials, start, factor):
    """The next rate to try, or None at the end of the search, which raises the rate until too much
    is lost in two trials, then halves the distance to the highest that held, until it is less than
    a twentieth of it.  A rate for which the load was too slow did not hold."""
    tried = {}
    for one in trials:
        tried.setdefault(one["offered"], []).append(held(one))
    low = max((rate for rate, found in tried.items() if any(found)), default=0)
    high = min((rate for rate, found in tried.items() if len(found) > 1 and not any(found)),
               default=math.inf)
    again = min((rate for rate, found in tried.items() if found == [False]), default=None)
    if again or not trials:
        return again or start
    if low == 0:
        return math.floor(high / factor) if high > 1 else None
    if high == math.inf:
        return math.ceil(low * factor)
    return None if high / low < 1.05 or high - low < 2 else round(math.sqrt(low * high))
