-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "kea" for MySQL and MariaDB: all columns
-- of Kea's lease4, in their order, its eight secondary indexes and its foreign
-- key, but not the triggers that keep statistics.  mysql_ubench has this file
-- compiled in; by hand:
--
--     mysql ubench <schema/mysql-kea.sql
--
-- Safe to run twice: it creates what is missing and drops nothing.  A lease4
-- that ubench did not make is never marked as its own: then the first statement
-- that is executed fails.
--
-- Source of the facts: lease4 of Kea 3.3 (MySQL schema 35.0).

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
SELECT 'kea' FROM DUAL WHERE NOT EXISTS (
    SELECT 1 FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = 'lease4')
AND NOT EXISTS (SELECT 1 FROM ubench_marker WHERE lease4 = 'kea');

-- InnoDB alone checks foreign keys, and wants it of both tables.  One of another's
-- gets no rows.
CREATE TABLE IF NOT EXISTS lease_state (
    state INT UNSIGNED NOT NULL PRIMARY KEY,
    name VARCHAR(64) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET latin1;
INSERT INTO lease_state (state, name)
SELECT * FROM (
    SELECT 0 AS state, 'default' AS name UNION ALL SELECT 1, 'declined'
    UNION ALL SELECT 2, 'expired-reclaimed' UNION ALL SELECT 3, 'released'
    UNION ALL SELECT 4, 'registered') AS ours
WHERE NOT EXISTS (SELECT 1 FROM lease_state);

-- latin1: one byte for a character of a host name, so that the index over it
-- fits every engine.
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
    state INT UNSIGNED DEFAULT 0,
    user_context TEXT,
    relay_id VARBINARY(255),
    remote_id VARBINARY(255),
    pool_id INT UNSIGNED NOT NULL DEFAULT 0,
    INDEX lease4_by_hwaddr_subnet_id (hwaddr, subnet_id),
    INDEX lease4_by_client_id_subnet_id (client_id, subnet_id),
    INDEX lease4_by_subnet_id (subnet_id),
    INDEX lease4_by_hostname (hostname),
    INDEX lease4_by_expire_state (expire, state),
    INDEX lease4_by_relay_id (relay_id),
    INDEX lease4_by_remote_id (remote_id),
    INDEX lease4_by_state_subnet_id (state, subnet_id),
    CONSTRAINT fk_lease4_state FOREIGN KEY (state) REFERENCES lease_state (state)
) DEFAULT CHARACTER SET latin1;
