-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "lean" for MySQL and MariaDB: the
-- main columns of Kea's lease6 and one key, the address.  mysql_ubench has this
-- file compiled in and takes it for --ipv6; by hand:
--
--     mysql ubench <schema/mysql-lean6.sql
--
-- Safe to run twice: it creates what is missing and drops nothing.  A lease6
-- that ubench did not make is never marked as its own: then the first statement
-- that is executed fails.

-- The table ubench_marker is the permission to empty lease6.  Its column says
-- which schema ubench made lease6 with; if it says 'scratch copy', the owner of the
-- database made both, and lease6 is emptied but never dropped.
SET @ubench = (
    SELECT IF(SUM(table_name = 'lease6') > SUM(table_name = 'ubench_marker'),
              'SELECT 1 FROM `lease6 is not ubench''s own`',
              'CREATE TABLE IF NOT EXISTS ubench_marker (
                   row_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
                   lease6 VARCHAR(16)) ENGINE = InnoDB')
    FROM information_schema.tables WHERE table_schema = DATABASE()
      AND table_name IN ('lease6', 'ubench_marker'));
PREPARE ubench FROM @ubench;
EXECUTE ubench;
DEALLOCATE PREPARE ubench;
SET @ubench = (
    SELECT IF(COUNT(*) > 0, 'DO 0',
              'ALTER TABLE ubench_marker ADD COLUMN lease6 VARCHAR(16)')
    FROM information_schema.columns WHERE table_schema = DATABASE()
      AND table_name = 'ubench_marker' AND column_name = 'lease6');
PREPARE ubench FROM @ubench;
EXECUTE ubench;
DEALLOCATE PREPARE ubench;
INSERT INTO ubench_marker (lease6)
SELECT 'lean' FROM DUAL WHERE NOT EXISTS (
    SELECT 1 FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = 'lease6')
AND NOT EXISTS (SELECT 1 FROM ubench_marker WHERE lease6 = 'lean');

-- latin1: one byte for a character of a host name, so that the index over it in
-- the schema "kea" fits every engine.
CREATE TABLE IF NOT EXISTS lease6 (
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
) DEFAULT CHARACTER SET latin1;
