-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "lean" for MySQL and MariaDB: the main
-- columns of Kea's lease4 and one key, the address, as in the DHCP Performance
-- Guide of 2012.  This file is compiled into mysql_ubench; to create the table
-- by hand:
--
--     mysql ubench <schema/mysql-lean.sql
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.

-- latin1: one byte per character of a hostname, so that the index on it in the
-- schema "kea" fits every engine.
CREATE TABLE lease4 (
    address INT UNSIGNED NOT NULL PRIMARY KEY,  -- 1.0.0.0 is 16777216
    hwaddr VARBINARY(20),
    client_id VARBINARY(255),
    valid_lifetime INT UNSIGNED,                -- seconds
    expire TIMESTAMP NULL,
    subnet_id INT UNSIGNED,
    fqdn_fwd BOOLEAN,
    fqdn_rev BOOLEAN,
    hostname VARCHAR(255),
    state INT UNSIGNED DEFAULT 0,               -- 1 declined, 2 reclaimed
    pool_id INT UNSIGNED NOT NULL DEFAULT 0
) DEFAULT CHARACTER SET latin1 COMMENT 'lease4 of ubench';
