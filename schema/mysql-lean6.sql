-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "lean" for MySQL and MariaDB: the
-- main columns of Kea's lease6 and one key, the address.  mysql_ubench has this
-- file compiled in and takes it for --ipv6; by hand:
--
--     mysql ubench <schema/mysql-lean6.sql
--
-- Safe to run twice: it only creates, and fails where one of these is already there.
-- No runner touches tables that were created by hand.

-- latin1: one byte for a character of a host name, so that the index over it in
-- the schema "kea" fits every engine.
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
