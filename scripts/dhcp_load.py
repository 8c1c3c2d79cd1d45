# SPDX-License-Identifier: ISC
"""Reads what perfdhcp printed."""
import json
import os
import re
import statistics

QUEUE_GROWTH = 0.05  # of the time that a client waits; as in the runners' trial_queue_growing
LEAST_GROWTH = 3  # clients: a few may be under way at any time


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
                **while_sending(text, rate, run, sent, granted),
                "holds": max(lost, unanswered) <= run["max_lost"]}
    took = re.search(r"It took (\d+):(\d+):([0-9.]+)", text)
    if took is None:
        raise ValueError("no duration")
    hours, minutes, seconds = map(float, took.groups())
    return {**trial, "resent": number_after(text, "Requests resent: "),
            "duration_s": hours * 3600 + minutes * 60 + seconds}


def read_sums(text, seconds):
    """At the end of each second, how many clients had asked and how many leases were granted.  The
    sums that perfdhcp prints with -C are those of discovers, requests, renewals and releases that
    were sent, then of their answers, and others."""
    rows = [[int(word) for word in line.split(",")] for line in text.splitlines()
            if re.fullmatch("[0-9]+(,[0-9]+){7,}", line)][:seconds]
    return [(row[0], row[len(row) // 4 + 1]) for row in rows]


def while_sending(text, rate, run, sent, granted):
    """The leases granted per second until the last client asked, and whether the queue grew.

    Clients that are served later waited in a queue, so they do not count for the rate.  The queue
    grew if more clients waited in the last third of the trial than in the first, by more than the
    rate offers in a twentieth of the time that a client waits.  A client that is never served also
    seems to wait; all of these are assumed to have been lost between the two thirds."""
    sums = read_sums(text, run["seconds"])
    while len(sums) > 1 and sums[-2][0] >= sent:  # perfdhcp was late with its lines
        sums.pop()
    if not sums:
        return {"granted_per_s": granted / run["seconds"], "queue_grew": False}
    waiting = [asked - answered for asked, answered in sums]
    third = max(1, len(waiting) // 3)
    growth = statistics.fmean(waiting[-third:]) - statistics.fmean(waiting[:third])
    return {"granted_per_s": sums[-1][1] / run["seconds"],
            "queue_grew": growth - (sent - granted) > max(
                LEAST_GROWTH, QUEUE_GROWTH * run["within_s"] * rate)}


def read_seconds(text, seconds):
    """The same second by second."""
    sums = [(0, 0), *read_sums(text, seconds)]
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
