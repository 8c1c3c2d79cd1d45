#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""mask.py text|json [--loose] <FILE: what a runner printed, or the line that it
appended to a file, without what is measured: `#` in its place.  Names, order, types
and layout stay, and so do counts, digests and settings; with --loose, for a run whose
end is a matter of chance, those are masked, too, and rows that are alike are one.
What a server says of itself is masked as a whole."""
import json
import re
import sys

NUMBER = r'-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?'

# Members of the line that are measured, or are the machine's.
MEASURED = re.compile(
    r'^(started_at|version|warning|port|invalid|buckets|series|seconds|wait_ns|SQLite|'
    r'MariaDB|PostgreSQL|secure_delete|file system|.*_switches|.*_bytes|'
    r'(begun|elapsed|sum|min|max|mean|sd|user|system|clock|fdatasync|'
    r'fdatasync_min|round_trip|harness|overhead|p[0-9.]+|served_[0-9]+)_ns|'
    r'in_time_per_s|closed_loop|servers|service_ns)$')
# ... and may be null as well.
MAYBE_NULL = ('fdatasync_ns', 'fdatasync_min_ns', 'invalid', 'lag')
# ... the latter where the end is a matter of chance: perhaps nothing was answered.
MAYBE_NULL_BY_CHANCE = ('response', 'service')
# ... and of these objects each member, but not its name.
MEASURED_IN = ('host',)


def place(text):
    """Without where the leases lie, and without versions."""
    text = re.sub(r'\b(on |file system=)(ext[234]|xfs|btrfs|tmpfs|overlay|f2fs|zfs)\b',
                  r'\1#', text)
    text = re.sub(r'\bsecure_delete=\d', 'secure_delete=#', text)
    return re.sub(r'(ubench|SQLite|MariaDB|MySQL|PostgreSQL) \d[\w.~+-]*( \([^)]*\))?',
                  r'\1 #', text)


def type_of(value):
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return {int: '#int', float: '#real', str: '"#"', list: '[#]', dict: '{#}'}[
        type(value)]


def member(name, value, inside, loose):
    """The value of that member, as a text or a container."""
    if name in MAYBE_NULL or (loose and name in MAYBE_NULL_BY_CHANCE):
        return '#'
    if name == 'facts' and ('MariaDB' in value or 'MySQL' in value or 'PostgreSQL' in value):
        return '{#}'
    if inside in MEASURED_IN or MEASURED.match(name):
        if isinstance(value, dict):
            return {k: member(k, v, 'host', loose) for k, v in value.items()}
        return '#' if loose else type_of(value)
    if isinstance(value, dict):
        return {k: member(k, v, name, loose) for k, v in value.items()}
    if isinstance(value, list):
        items = [member('', v, '', loose) for v in value]
        return items[:1] if loose else items
    if loose and inside not in ('parameters', 'facts') and (
            name in ('digest', 'verified', 'grew') or not isinstance(value, (str, bool))):
        return '#'
    return place(json.dumps(value))


def show(value, indent, lead):
    """Prints it; what holds no objects is on one line, and an item of a list that is
    as the one before is not told again."""
    if isinstance(value, str):
        print(indent + lead + value)
        return
    items = value.items() if isinstance(value, dict) else (('', v) for v in value)
    items = [(json.dumps(k) + ': ' if k else '', v) for k, v in items]
    ends = '{}' if isinstance(value, dict) else '[]'
    if all(isinstance(v, str) for _, v in items):
        print(indent + lead + ends[0] + ', '.join(k + v for k, v in items) + ends[1])
        return
    print(indent + lead + ends[0])
    last = None
    for key, item in items:
        show('as the one before' if not key and item == last else item, indent + '  ', key)
        last = item
    print(indent + ends[1])


def narrow(match):
    """A number, right-aligned in as much space as it had."""
    return '#'.rjust(len(match.group(0)))


TIME = NUMBER + r' (ns|us|ms|s)\b'


def row(line, exact):
    """A table's row: what `exact` matches stays, the other numbers go."""
    kept = re.match(exact, line)
    start = kept.end() if kept else 0
    return line[:start] + re.sub(f' +({TIME}|{NUMBER})', narrow, line[start:])


# A table's header, and what stays of each row below.
TABLES = (
    (r' .* per second', r'  commit +[\d,]+|\S.*?  +[\d,]+'),
    (r' .* time \[s\]', r'\S+( %)?|  .*'),
    (r' +min +mean', r'\S+( %)?|  commit'),
    (r'steps of ', r'.{19}\S+ +[\d,]+'),
    (r' .* exchanges +mean ', r'lag|\S+ +[\d,]+'),
    (r'per second +mean', r'\S+( %)?'),
    (r'per second +\S', r'run \d+'),
)
# Sentences, and what is measured in them: a number with its unit goes with it.
QUANTITY = NUMBER + r'( (ns|us|ms|s|min)\b|(us|ms|s)\b)?'
SENTENCES = (
    (r'(baselines|cost|closed loop|drops|predicted  ) ', QUANTITY),
    (r'search      takes', QUANTITY),
    (r'(50 %|99 %|all) had one', ' +' + TIME),
    (r'hook  ', r'[\d.,]+(?=/s at most)'),
    (r'rate  ', r'[\d.,]+(?= exchanges/s answered)'),
    (r'(verdict|INVALID) ', r'(?:verdict|INVALID) .*'),
    (r'host  ', r'(?<=host            ).*'),
    (r'measured by ', r'(?<= on ).*'),
)


def text_line(line, exact):
    for pattern, measured in SENTENCES:
        if re.match(pattern, line) and not exact:
            return re.sub(measured, narrow if measured[0] == ' ' else '#', place(line))
    return row(line, exact) if exact else place(line)


def loose_line(line):
    """Less of it: a table of any number of rows is one row."""
    line = re.sub(r'^(digest +)\w+', r'\1#', line)
    line = re.sub('^(coarse|fine|verify) .*', 'trial #', line)
    line = re.sub(r'^([0-9.]+ % in \d s) .*', r'\1 #', line)
    if not re.match(r'[0-9.]+ % in', line):
        line = re.sub(r'(?<!\w)' + NUMBER, '#', line)
    return re.sub(r'(#|n/a|yes|no|invalid)( +(#|n/a|yes|no|invalid))+', '#',
                  re.sub(r'   +', '   ', line))


def unfold(lines):
    """Each text in a line of its own: where it is folded depends on what is in it."""
    last = ''
    for line in lines:
        line = line.rstrip('\n')
        if line.startswith(' ' * 16) and re.match(r'\S.{14} \S', last):
            last += ' ' + line.strip()
            continue
        if last is not None:
            yield last
        last = line
    yield last


def text(lines, loose):
    past_head = False
    exact = last = None
    for line in list(unfold(lines))[1:]:
        header = [rows for pattern, rows in TABLES if re.match(pattern, line)]
        if line.startswith('WARNING'):
            continue
        if header or not line:
            exact = header[0] if header else None
            past_head = True
        else:
            line = text_line(line, exact)
            line = loose_line(line) if loose and past_head else line
        if not loose or line != last:
            print(line)
        last = line


def main():
    loose = '--loose' in sys.argv
    if sys.argv[1] == 'text':
        text(sys.stdin, loose)
    else:
        for line in sys.stdin:
            show(member('', json.loads(line), '', loose), '', '')


main()
