# SPDX-License-Identifier: ISC
"""The rate of a runner beside another program's, from interleaved rounds of both.

ratios.py rates FILE SIDE BAR NAMES LABEL...: notes in FILE, for a side ("ours" or the other's
    name), what the line of JSON on standard input says: the rate of each phase, or of those
    NAMES that are not empty.  Instead of JSON there may be lines "PHASE RATE".
ratios.py show FILE: the medians of both sides, and of the ratios of the rounds, with the lowest and
    the highest of them (the second ones, of five and more), beside the bar: the least ratio,
    or "LEAST..MOST".  Without another side: the time of an operation, and the most of it.
    FILE is removed.
"""

import json
import os
import statistics
import sys


def figures(text):
    """(name, figure) of what was measured."""
    if not text.startswith("{"):
        return [(name, float(rate)) for name, rate in map(str.split, text.splitlines())]
    return [(one["name"], one["operations"] * 1e9 / one["elapsed_ns"])
            for one in json.loads(text)["runs"][0]["phases"]]


def note(path, side, bar, names, *labels):
    with open(path, "a", encoding="utf-8") as file:
        for name, figure in figures(sys.stdin.read()):
            for label in labels if not names or name in names.split() else ():
                print(name, label, bar, "/s", side, figure, sep="|", file=file)


def show(path):
    rounds = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            *key, side, figure = line.rstrip("\n").split("|")
            rounds.setdefault(tuple(key), {}).setdefault(side, []).append(float(figure))
    os.remove(path)
    for (name, label, bar, unit), sides in rounds.items():
        ours = sides.pop("ours")
        middle, text = statistics.median(ours), f"{name} {label}:"
        if not sides:
            cost = 1e9 / middle
            print(f"{text:42} {cost:10.1f} ns/operation", f"ABOVE {bar}" if cost > float(bar) else
                  "ok")
            continue
        (other, theirs), = sides.items()
        ratios = sorted(one / peer for one, peer in zip(ours, theirs, strict=True))
        ends = ratios[1:-1] if len(ratios) > 4 else ratios
        ratio, (least, _, most) = statistics.median(ratios), bar.partition("..")
        verdict = f"BELOW {least}" if ratio < float(least) else \
            f"ABOVE {most}" if most and ratio > float(most) else "ok"
        print(f"{text:42} {middle:10.2f} {unit}, {other} {statistics.median(theirs):10.2f} {unit},"
              f" ratio {ratio:.3f} ({ends[0]:.2f}..{ends[-1]:.2f}) {verdict}")


show(*sys.argv[2:]) if sys.argv[1] == "show" else note(*sys.argv[2:])
