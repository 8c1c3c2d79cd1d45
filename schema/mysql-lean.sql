-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "lean" for MySQL and MariaDB: the main
-- columns of Kea's lease4 and one key, the address, as in the DHCP Performance
-- Guide of 2012.  mysql_ubench has this file compiled in; by hand:
--
--     mysql ubench <schema/mysql-lean.sql
--
-- Safe to run twice: it only creates, and fails where one of these is already there.
-- No runner touches tables that were created by hand.

-- latin1: one byte for a character of a host name, so that the index over it in
-- the schema "kea" fits every engine.
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
