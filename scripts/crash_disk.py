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


def make_safe(folder, journal, count):
    """The first so many changes of a file or the folder that are not safe yet become safe."""
    for kind, target, value in journal["changes"][:count]:
        if kind == WRITE:
            put(journal["content"], target, value)
        elif kind == TRUNCATE:
            cut(journal["content"], target)
        elif kind == CREATE:
            folder["safe"][target] = value
        else:
            folder["safe"].pop(target, None)
    del journal["changes"][:count]


def note_sync(folder, journal, kind, number):
    """Only the end of the last sync that began counts, so that nothing is taken for safe
    that is not, however many sync at a time."""
    if kind == SYNC:
        journal["sync"] = number, len(journal["changes"])
    elif journal["sync"] and journal["sync"][0] == number:
        make_safe(folder, journal, journal["sync"][1])
        journal["sync"] = None


def make_all_safe(folder):
    """A sync that has begun has nothing left to do then."""
    for journal in [*folder["now"].values(), folder]:
        make_safe(folder, journal, len(journal["changes"]))
        journal["sync"] = None


def take(folder, kind, name, offset, data):
    """One piece of the record."""
    file = folder["now"].get(name) if name else folder
    if kind == CREATE:
        file = folder["now"][name] = {"content": bytearray(), "changes": [], "sync": None}
        folder["changes"].append((kind, name, file))
    elif file is None:
        return  # it is done to a file that was removed: it is in no folder
    elif kind in (SYNC, SYNCED):
        note_sync(folder, file, kind, offset)
    elif kind == REMOVE:
        del folder["now"][name]
        folder["changes"].append((kind, name, None))
    else:
        file["changes"].append((kind, offset, data))


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
    folder = {"safe": {}, "now": {}, "changes": [], "sync": None}
    begun, names, draws = False, {}, itertools.count()
    for kind, name, time_ns, offset, data in read_pieces(record):
        if not begun and time_ns >= begun_ns:
            make_all_safe(folder)
            begun = True
        take(folder, kind, name, offset, data)
        if name:
            names[name] = None
    if not begun:
        make_all_safe(folder)
    if not names:
        raise ValueError(NO_FILES)
    make_safe(folder, folder, random_at(seed, next(draws)) % (len(folder["changes"]) + 1))
    for name, file in folder["safe"].items():
        for kind, at, data in file["changes"]:
            if kind == TRUNCATE:
                if random_at(seed, next(draws)) >> 63:
                    cut(file["content"], at)
                continue
            begin, end = at, at + len(data)
            while begin < end:
                border = min(begin - begin % SECTOR + SECTOR, end)
                if random_at(seed, next(draws)) >> 63:
                    put(file["content"], begin, data[begin - at:border - at])
                begin = border
        names[name] = bytes(file["content"])
    return names


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
