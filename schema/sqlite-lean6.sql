-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "lean" for SQLite: the main columns
-- of Kea's lease6 and one key, the address.  This file is compiled into
-- sqlite_ubench, for --ipv6; to create the table by hand:
--
--     sqlite3 scratch.db <schema/sqlite-lean6.sql
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source of the columns: lease6 of Kea 3.3 (MySQL schema 35.0).  Kea itself has
-- no SQLite lease store.  expire is in Unix seconds.

-- WITHOUT ROWID stores rows in the order of the key, as in lease4.
CREATE TABLE lease6 (
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
