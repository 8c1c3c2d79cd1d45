# SPDX-License-Identifier: ISC
"""Makes of a folder what a bad disk could have kept, from the record of what was done to it,
which ubench_disk.so writes (ubench/disk/disk_shim.c).

What was synced is there.  Of what was not, each sector of each write is there or not,
by the seed, whatever is there of those before and after it, and so is each truncation.
Files that were made or removed since the folder was synced are so up to some moment.
All that was done before the load began is taken for synced.
"""
import itertools
import os
import re
import struct

CREATE, REMOVE, WRITE, TRUNCATE, SYNC, SYNCED = range(1, 7)
HEADER = struct.Struct("=IIQQQ")  # kind, length of the name, time, offset, length
SECTOR = 512
WORD = (1 << 64) - 1
NO_FILES = "the record has no files: was the shim loaded?"


def random_at(key, i):
    """The i-th of a sequence of random numbers; that of core/random.h."""
    x = (key + (i + 1) * 0x9e3779b97f4a7c15) & WORD
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9 & WORD
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb & WORD
    return x ^ (x >> 31)


def put(content, at, data):
    """Writes bytes into a file; what is skipped is zero."""
    content.extend(bytes(max(0, at + len(data) - len(content))))
    content[at:at + len(data)] = data


def cut(content, length):
    """Gives a file another length."""
    content.extend(bytes(max(0, length - len(content))))
    del content[length:]


def make_journal():
    """The changes of a file, or of the names in the folder; the first so many that are safe; and
    the sync that began last, with the number of changes before it."""
    return {"changes": [], "safe": 0, "sync": None}


def take(folder, files, kind, name, offset, data):
    """One piece of the record; files has the journal of each file that is there now."""
    journal = files.get(name) if name else folder
    if kind == CREATE:
        files[name] = make_journal()
        folder["changes"].append((name, files[name]))
    elif journal is None:
        return  # it is done to a file that was removed: it is in no folder
    elif kind == SYNC:
        journal["sync"] = offset, len(journal["changes"])
    elif kind == SYNCED:
        # Only the end of the last sync that began counts, so that nothing is taken for safe
        # that is not, however many sync at a time.
        if journal["sync"] and journal["sync"][0] == offset:
            journal["safe"], journal["sync"] = journal["sync"][1], None
    elif kind == REMOVE:
        del files[name]
        folder["changes"].append((name, None))
    else:
        journal["changes"].append((kind, offset, data))


def make_all_safe(journals):
    """A sync that has begun has nothing left to do then."""
    for journal in journals:
        journal.update(safe=len(journal["changes"]), sync=None)


def read_pieces(record):
    """(kind, name, time, offset, bytes) of each; one that a kill cut off was never done."""
    at = 0
    while at + HEADER.size <= len(record):
        kind, name_length, time_ns, offset, length = HEADER.unpack_from(record, at)
        begin = at + HEADER.size + name_length
        name = bytes(record[at + HEADER.size:begin]).decode(errors="replace")
        if (not CREATE <= kind <= SYNCED or name_length > 255
                or length > 0 and kind != WRITE or offset > 1 << 40 and kind < SYNC):
            raise ValueError(f"the record is damaged at byte {at}")
        if begin + length > len(record):
            return
        if not re.fullmatch(r"(?!\.\.?$)[^/\0]+", name) and (name or kind < SYNC):
            raise ValueError(f"the record is damaged at byte {at}: '{name}' is not the name "
                             "of a file in the folder")
        at = begin + length
        yield kind, name, time_ns, offset, record[begin:at]


def rebuild(record, begun_ns, seed):
    """The files that a bad disk has then, {name: bytes}; those that it has not are None."""
    folder, files, names, begun = make_journal(), {}, {}, False
    chance = map(random_at, itertools.repeat(seed), itertools.count())
    for kind, name, time_ns, offset, data in read_pieces(record):
        if not begun and time_ns >= begun_ns:
            make_all_safe([folder, *files.values()])
            begun = True
        take(folder, files, kind, name, offset, data)
        if name:
            names[name] = None
    if not begun:
        make_all_safe([folder, *files.values()])
    if not names:
        raise ValueError(NO_FILES)
    safe, changes = folder["safe"], folder["changes"]
    there = dict(changes[:safe + next(chance) % (len(changes) - safe + 1)])
    for name, journal in there.items():
        if journal:
            names[name] = content_of(journal, chance)
    return names


def content_of(journal, chance):
    """A file's bytes: what is safe, and of the rest what the next random numbers say."""
    content = bytearray()
    for number, (kind, at, data) in enumerate(journal["changes"]):
        is_safe = number < journal["safe"]
        if kind == TRUNCATE:
            if is_safe or next(chance) >> 63:
                cut(content, at)
            continue
        begin, end = at, at + len(data)
        while begin < end:
            border = end if is_safe else min(begin - begin % SECTOR + SECTOR, end)
            if is_safe or next(chance) >> 63:
                put(content, begin, data[begin - at:border - at])
            begin = border
    return bytes(content)


def spoil(folder, path, begun_ns, seed):
    """Replaces the files of the folder that are in the record; others stay.  The index of a
    write-ahead log (-shm) goes: what that was made of may be gone."""
    try:
        with open(path, "rb") as file:
            record = memoryview(file.read())
    except FileNotFoundError:
        raise ValueError(NO_FILES) from None
    for name, content in rebuild(record, begun_ns, seed).items():
        for old in (f"{folder}/{name}", f"{folder}/{name}-shm"):
            if os.path.lexists(old):
                os.unlink(old)
        if content is not None:
            with open(f"{folder}/{name}", "xb") as file:
                file.write(content)
