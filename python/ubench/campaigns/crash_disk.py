# SPDX-License-Identifier: ISC
"""A bad disk: what it can have kept of a folder, from the record of what was done to the folder.

ubench_disk.so writes the record (ubench/disk/disk_shim.c). What was synced is kept. Of the rest,
each sector of each write is kept or not, by chance and independently of the others, and so is each
truncation. Files that were created or removed since the folder was last synced are so up to a
moment that chance decides. Everything before the load began counts as synced.
"""

from __future__ import annotations

import os
import random
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from pathlib import Path
from typing import Generic, TypeVar

Entry = TypeVar("Entry")

HEADER = struct.Struct("=IIQQQ")  # kind, length of the name, time, offset, length of the data
SECTOR = 512
NAME_MAX = 255
OFFSET_MAX = 1 << 40
FILE_NAME = re.compile(r"(?!\.\.?$)[^/\0]+")

NO_FILES = "the record has no files; was the library loaded?"
DAMAGED = "the record is damaged at byte {place}"
NOT_A_NAME = "the record is damaged at byte {place}: '{name}' is not the name of a file"


class BadRecord(Exception):
    """The record cannot be that of a load."""


class DiskEvent(IntEnum):
    """What was done. A sync of a file, or of the folder, begins and ends."""

    CREATE = 1
    REMOVE = 2
    WRITE = 3
    TRUNCATE = 4
    SYNC = 5
    SYNCED = 6


SYNC_EVENTS = (DiskEvent.SYNC, DiskEvent.SYNCED)


@dataclass(frozen=True)
class Piece:
    """One entry of a record."""

    kind: DiskEvent
    name: str  # "" stands for the folder
    time_ns: int
    offset: int  # of a sync: its number
    data: memoryview


@dataclass(frozen=True)
class FileChange:
    """A change of a file: its new length, or bytes at an offset."""

    is_truncation: bool
    offset: int
    data: memoryview


@dataclass
class Journal(Generic[Entry]):
    """Changes in their order, of which the first `safe` are on the disk."""

    changes: list[Entry] = field(default_factory=list)
    safe: int = 0
    # The sync that began last: its number, and the number of changes before it.
    sync: tuple[int, int] | None = None

    def begin_sync(self, number: int) -> None:
        """Note that a sync begins."""
        self.sync = (number, len(self.changes))

    def end_sync(self, number: int) -> None:
        """Note that a sync has ended.

        Only that of the sync that began last counts, so that nothing is taken for safe that is
        not, however many threads sync at a time.
        """
        if self.sync and self.sync[0] == number:
            self.safe = self.sync[1]
            self.sync = None

    def settle(self) -> None:
        """Take everything for synced."""
        self.safe = len(self.changes)
        self.sync = None


FileJournal = Journal[FileChange]
# Which file a name stands for after a change of the folder; None: for none.
FolderJournal = Journal[tuple[str, FileJournal | None]]


def read_pieces(record: memoryview) -> Iterator[Piece]:
    """Yield the entries of a record; one that a kill cut off was never done. Raises BadRecord."""
    place = 0
    while place + HEADER.size <= len(record):
        number, name_length, time_ns, offset, length = HEADER.unpack_from(record, place)
        begin = place + HEADER.size + name_length
        name = bytes(record[place + HEADER.size : begin]).decode(errors="replace")
        if not DiskEvent.CREATE <= number <= DiskEvent.SYNCED or name_length > NAME_MAX:
            raise BadRecord(DAMAGED.format(place=place))
        kind = DiskEvent(number)
        is_sync = kind in SYNC_EVENTS
        has_other_data = length > 0 and kind is not DiskEvent.WRITE
        if has_other_data or (offset > OFFSET_MAX and not is_sync):
            raise BadRecord(DAMAGED.format(place=place))
        if begin + length > len(record):
            return
        is_folder = not name and is_sync
        if not is_folder and not FILE_NAME.fullmatch(name):
            raise BadRecord(NOT_A_NAME.format(place=place, name=name))
        place = begin + length
        yield Piece(kind, name, time_ns, offset, record[begin:place])


class DiskReplay:
    """The files of a folder, as a record's entries change them."""

    def __init__(self, begun_ns: int) -> None:
        self.folder = FolderJournal()
        self.files: dict[str, FileJournal] = {}  # those that exist now
        self.names: dict[str, None] = {}  # of all files that the record names, in its order
        self._begun_ns = begun_ns
        self._has_begun = False

    def apply(self, piece: Piece) -> None:
        """Take the next entry."""
        self._has_begun = self._has_begun or piece.time_ns >= self._begun_ns
        if piece.name:
            self.names[piece.name] = None
        journal = self._change(piece)
        if journal is not None and not self._has_begun:
            journal.settle()

    def _change(self, piece: Piece) -> FileJournal | FolderJournal | None:
        """Return the journal that the entry has changed."""
        if piece.kind is DiskEvent.CREATE:
            return self._point(piece.name, FileJournal())
        if not piece.name:
            _note_sync(self.folder, piece)
            return self.folder
        journal = self.files.get(piece.name)
        if journal is None:
            return None  # the file was removed: what is written to it is in no folder
        if piece.kind is DiskEvent.REMOVE:
            return self._point(piece.name, None)
        if piece.kind in SYNC_EVENTS:
            _note_sync(journal, piece)
        else:
            is_truncation = piece.kind is DiskEvent.TRUNCATE
            journal.changes.append(FileChange(is_truncation, piece.offset, piece.data))
        return journal

    def _point(self, name: str, journal: FileJournal | None) -> FolderJournal:
        """Let a name stand for another file, or for none."""
        if journal is None:
            del self.files[name]
        else:
            self.files[name] = journal
        self.folder.changes.append((name, journal))
        return self.folder


def _note_sync(journal: FileJournal | FolderJournal, piece: Piece) -> None:
    if piece.kind is DiskEvent.SYNC:
        journal.begin_sync(piece.offset)
    else:
        journal.end_sync(piece.offset)


def rebuild(record: bytes, begun_ns: int, chance: random.Random) -> dict[str, bytes | None]:
    """Return the files that a bad disk has, with None for those that it does not have.

    `begun_ns` is when the load began. Raises BadRecord.
    """
    replay = DiskReplay(begun_ns)
    for piece in read_pieces(memoryview(record)):
        replay.apply(piece)
    if not replay.names:
        raise BadRecord(NO_FILES)
    folder = replay.folder
    unsure = len(folder.changes) - folder.safe
    kept = folder.changes[: folder.safe + chance.randrange(unsure + 1)]
    files: dict[str, bytes | None] = dict.fromkeys(replay.names)
    for name, journal in dict(kept).items():
        if journal is not None:
            files[name] = content(journal, chance)
    return files


def content(journal: FileJournal, chance: random.Random) -> bytes:
    """Return what a file has: all that is safe, and of the rest what chance decides."""
    kept = bytearray()
    for number, change in enumerate(journal.changes):
        is_safe = number < journal.safe
        for begin, end in _parts(change, is_safe):
            if is_safe or chance.random() < 0.5:
                _write(kept, change, begin, end)
    return bytes(kept)


def _parts(change: FileChange, is_safe: bool) -> list[tuple[int, int]]:
    """Return the ranges of a file that a change writes whole or not at all: its sectors."""
    begin, end = change.offset, change.offset + len(change.data)
    if is_safe:
        return [(begin, end)]
    sectors = range(begin - begin % SECTOR + SECTOR, end, SECTOR)
    return list(pairwise([begin, *sectors, end]))


def _write(kept: bytearray, change: FileChange, begin: int, end: int) -> None:
    """Do a part of a change. What a file skips is zero."""
    kept.extend(bytes(max(0, end - len(kept))))
    if change.is_truncation:
        del kept[change.offset :]
    kept[begin:end] = change.data[begin - change.offset : end - change.offset]


def spoil(folder: Path, record: Path, begun_ns: int, chance: random.Random) -> None:
    """Replace the files of a folder that are in a record by what a bad disk has of them.

    Other files stay. The index of a write-ahead log (-shm) goes, as what it was made of may be
    gone. Raises BadRecord.
    """
    try:
        text = record.read_bytes()
    except FileNotFoundError:
        raise BadRecord(NO_FILES) from None
    for name, kept in rebuild(text, begun_ns, chance).items():
        for old in (folder / name, folder / f"{name}-shm"):
            if os.path.lexists(old):
                old.unlink()
        if kept is not None:
            with open(folder / name, "xb") as file:
                file.write(kept)
