-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "lean" for MySQL and MariaDB: the
-- main columns of Kea's lease6 and one key, the address.  This file is
-- compiled into mysql_ubench, for --ipv6; to create the table by hand:
--
--     mysql ubench <schema/mysql-lean6.sql
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.

-- latin1: one byte per character of a hostname, so that the index on it in the
-- schema "kea" fits every engine.
CREATE TABLE lease6 (
    address BINARY(16) NOT NULL PRIMARY KEY,
    duid VARBINARY(130),
    valid_lifetime INT UNSIGNED,                -- seconds
    expire TIMESTAMP NULL,
    subnet_id INT UNSIGNED,
    pref_lifetime INT UNSIGNED,                 -- seconds
    lease_type TINYINT,                         -- 0 address, 2 prefix
    iaid INT UNSIGNED,
    prefix_len TINYINT UNSIGNED,
    fqdn_fwd BOOLEAN,
    fqdn_rev BOOLEAN,
    hostname VARCHAR(255),
    hwaddr VARBINARY(20),
    state INT UNSIGNED DEFAULT 0,               -- 1 declined, 2 reclaimed
    pool_id INT UNSIGNED NOT NULL DEFAULT 0
) DEFAULT CHARACTER SET latin1 COMMENT 'lease6 of ubench';
