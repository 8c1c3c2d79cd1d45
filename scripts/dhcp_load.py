# SPDX-License-Identifier: ISC
"""Reads what perfdhcp printed, and chooses the next rate to try."""
import json
import math
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


def read_trial(text, rate, run, before, after, old=None):
    """The clients that asked in the time of sending, and those of them that were
    granted a lease in time; before and after are processor times in seconds, and old is what
    became of --renew-old.  Raises ValueError if the text is not that of a whole run of perfdhcp."""
    parts = text.split("***Statistics for: ")
    if len(parts) < 3:
        raise ValueError("no statistics")
    discover, request = exchange(parts[1]), exchange(parts[2])
    if None in (discover["sent"], request["received"]):
        raise ValueError("no counts of packets")
    more = dict(zip((name for name in ("renew", "release") if name in run),
                    map(exchange, parts[3:])))
    sent, granted = discover["sent"], request["received"]
    if old:
        more["renew"] = old
    renewed = more.get("renew", {"sent": 0, "received": 0})
    # A process of the database that ended in between takes its time with it.
    used = {name: max(0, round(after[name] - before[name], 2))
            for name in ("server", "store", "load", "all")}
    other = max(0, used.pop("all") - sum(used.values()))
    lost = 1 - granted / sent if sent > 0 else 1
    trial = {"offered": rate, "discover": discover, "request": request, "sent": sent,
            "granted": granted, "lost": lost,
            "kept_up": min(sent, old["sent"] * 100 / run["renew_old"] if old else sent) + 1
                       >= 0.98 * rate * run["seconds"],
            "holds": max(lost, 1 - renewed["received"] / max(renewed["sent"], 1)
                         if renewed["sent"] else 0) <= run["max_lost"], **more,
            "processor_s": {**used, "other": other},
            "elapsed_s": after["at"] - before["at"], "cores": after["cores"]}
    if run["command"] == "storm":
        took = re.search(r"It took (\d+):(\d+):([0-9.]+)", text)
        if took is None:
            raise ValueError("no duration")
        trial["resent"] = number_after(text, "Requests resent: ")
        trial["duration_s"] = int(took[1]) * 3600 + int(took[2]) * 60 + float(took[3])
        for name in ("offered", "kept_up", "holds"):
            del trial[name]
    return trial


def read_seconds(text, seconds):
    """Second by second: the sums that perfdhcp prints with -C are those of discovers,
    requests, renewals and releases that were sent, then of their answers, and others."""
    rows = [[int(word) for word in line.split(",")] for line in text.splitlines()
            if re.fullmatch("[0-9]+(,[0-9]+){7,}", line)][:seconds]
    sums = [(0, 0)] + [(row[0], row[len(row) // 4 + 1]) for row in rows]
    return [{"asked": b[0] - a[0], "granted": b[1] - a[1]} for a, b in zip(sums, sums[1:])]


def silent_s(result):
    """For how long nobody was answered: seconds without an answer, or the longest wait."""
    trial, longest, now = result["trials"][0], 0, 0
    for one in result["seconds_each"]:
        now = now + 1 if one["asked"] > 0 and one["granted"] == 0 else 0
        longest = max(longest, now)
    waits = [trial[name]["max_ms"] or 0 for name in ("discover", "request")]
    return max(longest, max(waits) / 1000)


def failover(each, kill_s):
    """The cost of a killed partner: answers, and the time until nine in ten clients of a second
    are answered again."""
    behind = each[kill_s:]
    well = [one["granted"] >= 0.9 * one["asked"] for one in behind]
    bad = well.index(False) if False in well else 0
    return {"lost": max(0, sum(one["asked"] - one["granted"] for one in behind)),
            "back_s": well.index(True, bad) if True in well[bad:] else None}


# The search: raises the rate until too much is lost in two trials, then halves the
# distance to the highest that held, until it is less than a twentieth of it.  A rate
# for which the load was too slow did not hold.

def next_rate(trials, start, factor):
    """The next rate to try, or None at the end of the search."""
    tried = {}
    for one in trials:
        tried.setdefault(one["offered"], []).append(held(one))
    low = max((rate for rate, found in tried.items() if any(found)), default=None)
    high = min((rate for rate, found in tried.items() if len(found) > 1 and not any(found)),
               default=None)
    again = min((rate for rate, found in tried.items() if found == [False]), default=None)
    if again:
        return again
    if low is None and high is None:
        return start
    if low is None:
        return math.floor(high / factor) if high > 1 else None
    if high is None:
        return math.ceil(low * factor)
    if high / low < 1.05 or high - low < 2:
        return None
    return round(math.sqrt(low * high))
