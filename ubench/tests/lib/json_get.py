# SPDX-License-Identifier: ISC
"""json_get.py FILE [PATH]...: fails unless each line of FILE is one JSON object; prints how
many there are, or of the last one the values at the paths ("phases.2.incomplete"), one per
line.  json_get.py -e EXPRESSION [FILE]: prints what Python makes of it for each line, in
which the object is r."""

import json
import sys


def text(value):
    """A value on a line: a string as it is."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def at(value, path):
    """The value at a path."""
    for step in path.split(".") if path else ():
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def main(words):
    """Prints it; returns the exit status."""
    if words[0] == "-e":
        with open(words[2]) if len(words) > 2 else sys.stdin as file:
            for line in file:
                print(text(eval(words[1], {"r": json.loads(line)})))
        return 0
    with open(words[0]) as file:
        lines = [json.loads(line) for line in file]
    if not all(isinstance(line, dict) for line in lines):
        print("not one object on each line", file=sys.stderr)
        return 1
    if not words[1:]:
        print(len(lines))
    for path in words[1:]:
        try:
            print(text(at(lines[-1], path)))
        except (KeyError, IndexError):
            print(f"json_get: nothing is at {path}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
