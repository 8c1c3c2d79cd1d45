# SPDX-License-Identifier: ISC
"""Makes of a folder what a bad disk could have kept, from the record of what was done to it,
which ubench_disk.so writes (ubench/disk/disk_shim.c).

What was synced is there.  Of what was not, each sector of each write is there or not,
by chance, whatever is there of those before and after it, and so is each truncation.
Files that were made or removed since the folder was synced are so up to some moment.
All that was done before the load began is taken for synced.
"""
import os
import re
import struct
from types import SimpleNamespace

CREATE, REMOVE, WRITE, TRUNCATE, SYNC, SYNCED = range(1, 7)
HEADER = struct.Struct("=IIQQQ")  # kind, length of the name, time, offset, length
SECTOR = 512
NO_FILES = "the record has no files: was the shim loaded?"


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


def new_journal():
    """The changes of a file, or of the names in the folder; the first so many that are safe; and
    the sync that began last, with the number of changes before it."""
    return SimpleNamespace(changes=[], safe=0, sync=None)


def rebuild(record, begun_ns, chance):
    """The files that a bad disk has then, {name: bytes}; those that it has not are None."""
    folder, names, begun = new_journal(), {}, False
    journals = {"": folder}  # and those of the files that are there now
    for kind, name, time_ns, offset, data in read_pieces(record):
        begun = begun or time_ns >= begun_ns
        if name:
            names[name] = None
        journal = journals.get(name)
        if kind == CREATE or kind == REMOVE and journal:
            journals[name] = new_journal() if kind == CREATE else None
            folder.changes.append((name, journals[name]))
            journal = folder
        elif not journal:
            continue  # it is done to a file that was removed: it is in no folder
        elif kind == SYNC:
            journal.sync = offset, len(journal.changes)
        elif kind != SYNCED:
            journal.changes.append((kind, offset, data))
        elif journal.sync and journal.sync[0] == offset:
            # Only the end of the last sync that began counts, so that nothing is taken for safe
            # that is not, however many sync at a time.
            journal.safe, journal.sync = journal.sync[1], None
        if not begun:
            journal.safe, journal.sync = len(journal.changes), None
    if not names:
        raise ValueError(NO_FILES)
    unsure = len(folder.changes) - folder.safe
    there = dict(folder.changes[:folder.safe + chance.randrange(unsure + 1)])
    for name, journal in there.items():
        if journal:
            names[name] = content_of(journal, chance)
    return names


def content_of(journal, chance):
    """A file's bytes: what is safe, and of the rest what chance decides."""
    content = bytearray()
    for number, (kind, at, data) in enumerate(journal.changes):
        is_safe, end = number < journal.safe, at + len(data)
        sectors = () if is_safe else range(at - at % SECTOR + SECTOR, end, SECTOR)
        borders = [at, *sectors, end]
        for begin, border in zip(borders, borders[1:]):
            if is_safe or chance.random() < 0.5:
                content.extend(bytes(max(0, border - len(content))))  # what is skipped is zero
                if kind == TRUNCATE:
                    del content[at:]
                content[begin:border] = data[begin - at:border - at]
    return bytes(content)


def spoil(folder, path, begun_ns, chance):
    """Replaces the files of the folder that are in the record; others stay.  The index of a
    write-ahead log (-shm) goes: what that was made of may be gone."""
    try:
        with open(path, "rb") as file:
            record = memoryview(file.read())
    except FileNotFoundError:
        raise ValueError(NO_FILES) from None
    for name, content in rebuild(record, begun_ns, chance).items():
        for old in (f"{folder}/{name}", f"{folder}/{name}-shm"):
            if os.path.lexists(old):
                os.unlink(old)
        if content is not None:
            with open(f"{folder}/{name}", "xb") as file:
                file.write(content)
