-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "kea" for SQLite: all columns of
-- Kea's lease6, in their order, and its secondary indexes.  This file is
-- compiled into sqlite_ubench, for --ipv6; to create the table by hand:
--
--     sqlite3 scratch.db <schema/sqlite-kea6.sql
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source: lease6 of Kea 3.3 (MySQL schema 35.0, share/database/scripts/mysql);
-- Kea itself has no SQLite lease store.  Left out: the foreign keys, which
-- SQLite does not check unless asked, with the two indexes that MySQL makes for
-- them, and the triggers that keep statistics.  expire is in Unix seconds.

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
    hwtype INTEGER,
    hwaddr_source INTEGER,
    state INTEGER DEFAULT 0,            -- 0 default, 1 declined, 2 reclaimed
    user_context TEXT,
    pool_id INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE INDEX lease6_by_duid_iaid_subnet_id
    ON lease6 (duid, iaid, subnet_id);
CREATE INDEX lease6_by_subnet_id_lease_type
    ON lease6 (subnet_id, lease_type);
CREATE INDEX lease6_by_subnet_id_address
    ON lease6 (subnet_id, address);
CREATE INDEX lease6_by_hostname ON lease6 (hostname);
CREATE INDEX lease6_by_expire_state ON lease6 (expire, state);
CREATE INDEX lease6_by_hwaddr ON lease6 (hwaddr);
CREATE INDEX lease6_by_state_subnet_id
    ON lease6 (state, subnet_id);
