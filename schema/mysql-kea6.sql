-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "kea" for MySQL and MariaDB: all
-- columns of Kea's lease6, in their order, its secondary indexes and its foreign
-- keys, but not the triggers that keep statistics.  mysql_ubench has this file
-- compiled in and takes it for --ipv6; by hand:
--
--     mysql ubench <schema/mysql-kea6.sql
--
-- Safe to run twice: it creates what is missing and drops nothing.  A lease6
-- that ubench did not make is never marked as its own: then the first statement
-- that is executed fails.
--
-- Source of the facts: lease6 of Kea 3.3 (MySQL schema 35.0).

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
SELECT 'kea' FROM DUAL WHERE NOT EXISTS (
    SELECT 1 FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = 'lease6')
AND NOT EXISTS (SELECT 1 FROM ubench_marker WHERE lease6 = 'kea');

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

CREATE TABLE IF NOT EXISTS lease6_types (
    lease_type TINYINT NOT NULL PRIMARY KEY,
    name VARCHAR(5)
) ENGINE = InnoDB DEFAULT CHARACTER SET latin1;
INSERT INTO lease6_types (lease_type, name)
SELECT * FROM (
    SELECT 0 AS lease_type, 'IA_NA' AS name UNION ALL SELECT 2, 'IA_PD') AS ours
WHERE NOT EXISTS (SELECT 1 FROM lease6_types);

CREATE TABLE IF NOT EXISTS lease_hwaddr_source (
    hwaddr_source INT UNSIGNED NOT NULL PRIMARY KEY,
    name VARCHAR(40)
) ENGINE = InnoDB DEFAULT CHARACTER SET latin1;
INSERT INTO lease_hwaddr_source (hwaddr_source, name)
SELECT * FROM (
    SELECT 4 AS hwaddr_source, 'HWADDR_SOURCE_DUID' AS name) AS ours
WHERE NOT EXISTS (SELECT 1 FROM lease_hwaddr_source);

-- latin1: one byte for a character of a host name, so that the index over it
-- fits every engine.
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
    hwtype SMALLINT UNSIGNED,
    hwaddr_source INT UNSIGNED,
    state INT UNSIGNED DEFAULT 0,
    user_context TEXT,
    pool_id INT UNSIGNED NOT NULL DEFAULT 0,
    INDEX lease6_by_duid_iaid_subnet_id (duid, iaid, subnet_id),
    INDEX lease6_by_subnet_id_lease_type (subnet_id, lease_type),
    INDEX lease6_by_subnet_id_address (subnet_id, address),
    INDEX lease6_by_hostname (hostname),
    INDEX lease6_by_expire_state (expire, state),
    INDEX lease6_by_hwaddr (hwaddr),
    INDEX lease6_by_state_subnet_id (state, subnet_id),
    CONSTRAINT fk_lease6_state FOREIGN KEY (state)
        REFERENCES lease_state (state),
    CONSTRAINT fk_lease6_type FOREIGN KEY (lease_type)
        REFERENCES lease6_types (lease_type),
    CONSTRAINT fk_lease6_hwaddr_source FOREIGN KEY (hwaddr_source)
        REFERENCES lease_hwaddr_source (hwaddr_source)
) DEFAULT CHARACTER SET latin1;
