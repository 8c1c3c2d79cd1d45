# SPDX-License-Identifier: ISC
"""A whole DHCP server with its lease store under perfdhcp: the lines of ubench-kea/1 that
scripts/dhcp.sh writes, and their tables.

Its figure is either the highest rate of new leases that the server held, or what became of
one trial at a given rate, or of one storm."""
from report import figures, results, stats
from report.table import Table

MOST_OTHER = 0.05  # a larger share of the processors used by others is worth a warning
MOST_NS = 1 << 60

# The members that tell configurations apart, in the order of a label.
SETTINGS = ("server", "store", "sync", "threads", "queue", "delayed_ack", "pool", "classes",
            "max_lost", "within_s", "processors", "hook", "hook_ms", "ha", "ha_delay_s",
            "kill_s", "full", "subnets", "reservations", "hosts")


def is_search(line):
    """Other commands have one trial, at a given rate or of a storm."""
    return line.get("rate") is not None or len(line.get("trials", ())) != 1


def is_storm(trial):
    return trial.get("duration_s", 0) > 0


def best_trial(line):
    """The trial that a rate comes from: the highest rate that held.  Of other commands the
    only one; None if there is none."""
    trials = line.get("trials", ())
    if not is_search(line):
        return trials[0]
    held = [one for one in trials if one.get("holds") and one.get("kept_up")]
    return max(held, key=lambda one: one.get("offered", 0), default=None)


def cost_us(trial, part):
    """Processor time for each lease granted, in microseconds, of "server", "store" or
    "load"; None if it is not known."""
    seconds = (trial or {}).get("processor_s", {}).get(part)
    return None if seconds is None or not trial["granted"] else seconds * 1e6 / trial["granted"]


def describe(line):
    """What a result has in common with those of stores, from a line of ubench-kea/1."""
    name = line["server"]
    program = name if name != "kea" else "kea-dhcp6" if line["family"] == 6 else "kea-dhcp4"
    store = line["store"] if line["store"] == name else program + "/" + line["store"]
    product, _, version = line.get("store_name", "").rpartition(" ")
    run = search(line) if is_search(line) else open_loop(line)
    return {"kind": "server", "program": program, "version": line["server_version"],
            "store": store, "parameters": parameters(line), "warnings": warnings(line),
            "facts": {program: line["server_version"], **({product: version} if product else {})},
            "incomplete": run["incomplete"], "runs": [run]}


def parameters(line):
    found = {"workload": "server " + line["command"],
             "ipv6": "yes" if line["family"] == 6 else ""}
    for name in SETTINGS:
        value = line.get(name)
        found.update({name + "." + key: of for key, of in value.items()}
                     if isinstance(value, dict) else {name: value})
    if "threads" in line and line["threads"] is None:
        del found["threads"]
        found["threads"] = "several"
    if not is_search(line):
        storm = is_storm(line["trials"][0])
        found["clients" if storm else "rate"] = (
            line.get("clients") if storm else float(line["trials"][0].get("offered", 0)))
    return {name: "%.6g" % value if isinstance(value, float) else str(value)
            for name, value in found.items() if value and value != "none"}


def warnings(line):
    texts = [("other", line["warning"])] if line.get("warning") else []
    if line.get("limited_by_load"):
        texts.append(("limited-by-load",
                      "perfdhcp could not send faster: the server may take more"))
    best = best_trial(line) or {}
    if best.get("cores") and best.get("elapsed_s"):
        share = (best.get("processor_s", {}).get("other", 0) /
                 (best["elapsed_s"] * best["cores"]))
        if share > MOST_OTHER:
            texts.append(("other-work", "other work used %.0f %% of the processors" %
                          (share * 100)))
    return [{"code": code, "text": text} for code, text in texts]


def nanoseconds(seconds):
    return int(min(seconds * 1e9 + 0.5, MOST_NS)) if seconds > 0 else 0


def search(line):
    """The highest rate that held, as the run of one exchange: the leases of its trial.  A
    published rate has no trial, and as many leases as make it exact."""
    best, rate = best_trial(line), line.get("rate")
    leases = best["granted"] if best else 1000000 if rate is not None else 0
    return run_of(line, not rate, leases, leases / rate if rate else line.get("seconds", 0))


def run_of(line, incomplete, leases, seconds):
    phase = {"name": "sarr" if line["family"] == 6 else "dora", "incomplete": False,
             "operations": leases, "elapsed_ns": nanoseconds(seconds), "latency": None}
    return {"incomplete": incomplete, "together": False, "verified": True, "phases": [phase]}


def open_loop(line):
    """A trial at a given rate, or a storm.  perfdhcp does not tell how long answers took."""
    trial, seconds = line["trials"][0], line.get("seconds", 0)
    sent, granted, storm = trial["sent"], trial["granted"], is_storm(trial)
    run = run_of(line, False, granted, seconds)
    run["trials"] = [{
        "stage": "single", "rate_per_s": trial.get("offered", 0), "incomplete": False,
        "duration_ns": nanoseconds(seconds), "deadline_ns": nanoseconds(line["within_s"]),
        "elapsed_ns": nanoseconds(trial["duration_s"] if storm else seconds),
        "offered": sent, "answered": granted, "unanswered": sent - granted, "queue": 0,
        "late": 0, "dropped": 0, "failed": 0, "merged": 0, "grew": False,
        "in_time_per_s": 0 if storm else granted / max(seconds, 1),
        "bad_share": (sent - granted) / sent if sent else 0, "response": None,
        "invalid": None if storm or trial.get("kept_up") else
        "perfdhcp fell behind its own schedule"}]
    if storm:
        resent = trial.get("resent")
        run["storm"] = {
            "clients": sent, "served": granted, "sent": sent + (resent or 0),
            "retransmitted": resent, "served_50_ns": 0, "served_99_ns": 0,
            "served_100_ns": nanoseconds(trial["duration_s"]) if granted == sent else None}
    return run
