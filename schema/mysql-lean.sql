-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "lean" for MySQL and MariaDB: the main
-- columns of Kea's lease4 and one key, the address, as in the DHCP Performance
-- Guide of 2012.  mysql_ubench has this file compiled in; by hand:
--
--     mysql ubench <schema/mysql-lean.sql
--
-- Safe to run twice: it creates what is missing and drops nothing.  A lease4
-- that ubench did not make is never marked as its own: then the first statement
-- that is executed fails.

-- The table ubench_marker is the permission to empty lease4.  Its column says
-- which schema ubench made lease4 with; if it says 'scratch copy', the owner of the
-- database made both, and lease4 is emptied but never dropped.
SET @ubench = (
    SELECT IF(SUM(table_name = 'lease4') > SUM(table_name = 'ubench_marker'),
              'SELECT 1 FROM `lease4 is not ubench''s own`',
              'CREATE TABLE IF NOT EXISTS ubench_marker (
                   row_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
                   lease4 VARCHAR(16)) ENGINE = InnoDB')
    FROM information_schema.tables WHERE table_schema = DATABASE()
      AND table_name IN ('lease4', 'ubench_marker'));
PREPARE ubench FROM @ubench;
EXECUTE ubench;
DEALLOCATE PREPARE ubench;
SET @ubench = (
    SELECT IF(COUNT(*) > 0, 'DO 0',
              'ALTER TABLE ubench_marker ADD COLUMN lease4 VARCHAR(16)')
    FROM information_schema.columns WHERE table_schema = DATABASE()
      AND table_name = 'ubench_marker' AND column_name = 'lease4');
PREPARE ubench FROM @ubench;
EXECUTE ubench;
DEALLOCATE PREPARE ubench;
INSERT INTO ubench_marker (lease4)
SELECT 'lean' FROM DUAL WHERE NOT EXISTS (
    SELECT 1 FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = 'lease4')
AND NOT EXISTS (SELECT 1 FROM ubench_marker WHERE lease4 = 'lean');

-- latin1: one byte for a character of a host name, so that the index over it in
-- the schema "kea" fits every engine.
CREATE TABLE IF NOT EXISTS lease4 (
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
) DEFAULT CHARACTER SET latin1;
