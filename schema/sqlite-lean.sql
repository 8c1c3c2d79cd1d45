-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "lean" for SQLite: the main columns of
-- Kea's lease4 and one key, the address, as in the DHCP Performance Guide of
-- 2012.  sqlite_ubench has this file compiled in; by hand:
--
--     sqlite3 scratch.db <schema/sqlite-lean.sql
--
-- Safe to run twice: it creates what is missing and drops nothing.  Where there
-- are lease tables and no marker, the marker stays empty, which is none.
--
-- Source of the columns: lease4 of Kea 2.2, share/database/scripts/mysql.  Kea
-- itself has no SQLite lease store.  expire is in Unix seconds.

-- This table is the permission to empty lease4: it says that ubench made it.
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

CREATE TABLE IF NOT EXISTS lease4 (
    address INTEGER PRIMARY KEY,  -- IPv4 as a number: 1.0.0.0 is 16777216
    hwaddr BLOB,
    client_id BLOB,
    valid_lifetime INTEGER,
    expire INTEGER,
    subnet_id INTEGER,
    fqdn_fwd INTEGER,
    fqdn_rev INTEGER,
    hostname TEXT,
    state INTEGER DEFAULT 0,      -- 0 default, 1 declined, 2 reclaimed
    pool_id INTEGER NOT NULL DEFAULT 0
);
