-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "lean" for SQLite: the main columns of
-- Kea's lease4 and one key, the address, as in the DHCP Performance Guide of
-- 2012.  This file is compiled into sqlite_ubench; to create the table by
-- hand:
--
--     sqlite3 scratch.db <schema/sqlite-lean.sql
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source of the columns: lease4 of Kea 2.2, share/database/scripts/mysql.  Kea
-- itself has no SQLite lease store.  expire is in Unix seconds.

CREATE TABLE lease4 (
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
