-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "kea" for SQLite: all columns of Kea's
-- lease4, in their order, and its eight secondary indexes.  This file is
-- compiled into sqlite_ubench; to create the table by hand:
--
--     sqlite3 scratch.db <schema/sqlite-kea.sql
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source: lease4 of Kea 3.3 (MySQL schema 35.0, share/database/scripts/mysql);
-- Kea itself has no SQLite lease store.  Left out: the reference of state to
-- lease_state, which SQLite does not check unless asked, and the triggers that
-- keep statistics.  expire is in Unix seconds.

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
    user_context TEXT,
    relay_id BLOB,
    remote_id BLOB,
    pool_id INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX lease4_by_hwaddr_subnet_id
    ON lease4 (hwaddr, subnet_id);
CREATE INDEX lease4_by_client_id_subnet_id
    ON lease4 (client_id, subnet_id);
CREATE INDEX lease4_by_subnet_id ON lease4 (subnet_id);
CREATE INDEX lease4_by_hostname ON lease4 (hostname);
CREATE INDEX lease4_by_expire_state ON lease4 (expire, state);
CREATE INDEX lease4_by_relay_id ON lease4 (relay_id);
CREATE INDEX lease4_by_remote_id ON lease4 (remote_id);
CREATE INDEX lease4_by_state_subnet_id
    ON lease4 (state, subnet_id);
