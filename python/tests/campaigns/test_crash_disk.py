# SPDX-License-Identifier: ISC
"""What a bad disk can keep, over all that chance decides."""

import random

import pytest

from ubench.campaigns import crash_disk
from ubench.campaigns.crash_disk import BadRecord, DiskEvent

CREATE, REMOVE, WRITE, TRUNCATE, SYNC, SYNCED = DiskEvent
FOLDER_SYNCED = ((SYNC, "", 1), (SYNCED, "", 1))
CREATED = ((CREATE, "x"), *FOLDER_SYNCED)
BEGUN_NS = 10


def piece(kind, name, offset=0, data=b"", time_ns=20):
    header = crash_disk.HEADER.pack(kind, len(name), time_ns, offset, len(data))
    return header + name.encode() + data


def record(*pieces):
    return b"".join(piece(*each) for each in pieces)


def outcomes(*pieces, seeds=300):
    """What the seeds leave, as a set of the files with their bytes."""
    left = [
        crash_disk.rebuild(record(*pieces), BEGUN_NS, random.Random(seed)) for seed in range(seeds)
    ]
    return {tuple(sorted(files.items())) for files in left}


def contents(*pieces):
    """The bytes that the seeds leave of file x."""
    return {dict(files)["x"] for files in outcomes(*pieces)}


WRITTEN = (WRITE, "x", 0, b"abc")


def test_what_was_synced_is_kept():
    assert contents(*CREATED, WRITTEN, (SYNC, "x", 2), (SYNCED, "x", 2)) == {b"abc"}


@pytest.mark.parametrize(
    "end",
    [
        [WRITTEN, (SYNC, "x", 2)],
        [WRITTEN, (SYNC, "x", 2), (SYNCED, "y", 2)],
        [WRITTEN, (SYNC, "x", 2), (SYNCED, "x", 3)],
        [(SYNC, "x", 2), WRITTEN, (SYNCED, "x", 2)],
        [(SYNC, "x", 2), WRITTEN, (SYNC, "x", 3), (SYNCED, "x", 2)],
    ],
    ids=["did not end", "another file's", "another sync's", "began before", "two at a time"],
)
def test_a_sync_that_says_nothing(end):
    assert contents(*CREATED, (CREATE, "y", 0, b"", 5), *end) == {b"", b"abc"}


def test_each_sector_is_kept_or_not():
    """Whatever is kept of the others; what is skipped is zero."""
    data = b"a" * 100 + b"b" * 512 + b"c" * 10
    kept = contents(*CREATED, (WRITE, "x", 412, data))
    assert len(kept) == 8
    assert bytes(412) + data in kept
    assert bytes(1024) + b"c" * 10 in kept


def test_a_truncation_is_kept_or_not():
    kept = contents(*CREATED, WRITTEN, (TRUNCATE, "x", 1))
    assert kept == {b"", b"abc", b"a", b"\0"}


def test_names_are_as_at_one_moment():
    left = outcomes((CREATE, "a"), (CREATE, "b"), (REMOVE, "a"), (CREATE, "c"))
    names = {"".join(name for name, data in files if data is not None) for files in left}
    assert names == {"", "a", "ab", "b", "bc"}


def test_everything_before_the_load_is_kept():
    assert contents((CREATE, "x", 0, b"", 5), (WRITE, "x", 0, b"x", 6)) == {b"x"}


def test_what_is_written_to_a_removed_file_is_nowhere():
    assert contents((CREATE, "x"), (REMOVE, "x"), *FOLDER_SYNCED, (WRITE, "x", 0, b"x")) == {None}


# ---- Records


def test_a_piece_that_a_kill_cut_off_was_never_done():
    created = record((CREATE, "x"))
    good = created + record(WRITTEN)
    for size in range(len(created)):
        with pytest.raises(BadRecord, match="no files"):
            crash_disk.rebuild(good[:size], 0, random.Random(1))
    for size in range(len(created), len(good)):
        assert crash_disk.rebuild(good[:size], 0, random.Random(1))["x"] in (b"", None)


@pytest.mark.parametrize(
    "bad",
    [
        piece(7, "x"),
        piece(0, "x"),
        piece(CREATE, ""),
        piece(CREATE, ".."),
        piece(CREATE, "a/b"),
        piece(CREATE, "a\0"),
        piece(CREATE, "x" * 256),
        piece(WRITE, "x", 1 << 41),
        piece(CREATE, "x", 0, b"x"),
    ],
    ids=lambda bad: repr(bad[32:40]),
)
def test_damaged_records(bad):
    good = record((CREATE, "x"), WRITTEN)
    with pytest.raises(BadRecord, match=f"damaged at byte {len(good)}"):
        crash_disk.rebuild(good + bad, 0, random.Random(1))


def test_files_are_replaced(tmp_path):
    """Files of the record are made anew, others stay, and a link is not followed."""
    leases = tmp_path / "leases"
    leases.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    (leases / "x").symlink_to(elsewhere)
    (leases / "x-shm").write_text("index")
    (leases / "other").write_text("stays")
    path = tmp_path / "record"
    path.write_bytes(record((CREATE, "x"), WRITTEN))
    crash_disk.spoil(leases, path, 100, random.Random(1))
    assert sorted(file.name for file in leases.iterdir()) == ["other", "x"]
    assert (leases / "x").read_bytes() == b"abc"
    assert elsewhere.read_text() == "theirs"


def test_a_record_that_is_missing(tmp_path):
    with pytest.raises(BadRecord, match="no files"):
        crash_disk.spoil(tmp_path, tmp_path / "missing", 0, random.Random(1))
