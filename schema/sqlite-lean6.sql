-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "lean" for SQLite: the main columns
-- of Kea's lease6 and one key, the address.  sqlite_ubench has this file
-- compiled in and takes it for --ipv6; by hand:
--
--     sqlite3 scratch.db <schema/sqlite-lean6.sql
--
-- Safe to run twice: it creates what is missing and drops nothing.  Where there
-- are lease tables and no marker, the marker stays empty, which is none.
--
-- Source of the columns: lease6 of Kea 3.3 (MySQL schema 35.0).  Kea itself has
-- no SQLite lease store.  expire is in Unix seconds.

-- This table is the permission to empty lease6: it says that ubench made it.
CREATE TABLE IF NOT EXISTS ubench_marker (
    schema TEXT NOT NULL,
    made_at TEXT NOT NULL,   -- UTC
    made_with TEXT NOT NULL  -- SQLite's version
);
INSERT INTO ubench_marker (schema, made_at, made_with)
SELECT 'lean', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), sqlite_version()
WHERE NOT EXISTS (SELECT 1 FROM ubench_marker)
  AND NOT EXISTS (SELECT 1 FROM sqlite_master
                  WHERE name COLLATE NOCASE IN ('lease4', 'lease6'));

-- Without a rowid the rows lie in the order of their key, as those of lease4.
CREATE TABLE IF NOT EXISTS lease6 (
    address BLOB NOT NULL PRIMARY KEY,  -- 16 bytes
    duid BLOB,
    valid_lifetime INTEGER,
    expire INTEGER,
    subnet_id INTEGER,
    pref_lifetime INTEGER,
    lease_type INTEGER,                 -- 0 address, 2 prefix
    iaid INTEGER,
    prefix_len INTEGER,
    fqdn_fwd INTEGER,
    fqdn_rev INTEGER,
    hostname TEXT,
    hwaddr BLOB,
    state INTEGER DEFAULT 0,            -- 0 default, 1 declined, 2 reclaimed
    pool_id INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
