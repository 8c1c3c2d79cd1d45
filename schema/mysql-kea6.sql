-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "kea" for MySQL and MariaDB: all
-- columns of Kea's lease6, in their order, its secondary indexes and its
-- foreign keys, but not the triggers that keep statistics.  This file is
-- compiled into mysql_ubench, for --ipv6; to create the table by hand:
--
--     mysql ubench <schema/mysql-kea6.sql
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source of the facts: lease6 of Kea 3.3 (MySQL schema 35.0).

-- Only InnoDB checks foreign keys, and it requires both tables to use InnoDB.
CREATE TABLE lease_state (
    state INT UNSIGNED NOT NULL PRIMARY KEY,
    name VARCHAR(64) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET latin1 COMMENT 'lease_state of ubench';
INSERT INTO lease_state (state, name) VALUES
    (0, 'default'),
    (1, 'declined'),
    (2, 'expired-reclaimed'),
    (3, 'released'),
    (4, 'registered');

CREATE TABLE lease6_types (
    lease_type TINYINT NOT NULL PRIMARY KEY,
    name VARCHAR(5)
) ENGINE = InnoDB DEFAULT CHARACTER SET latin1 COMMENT 'lease6_types of ubench';
INSERT INTO lease6_types (lease_type, name) VALUES
    (0, 'IA_NA'),
    (2, 'IA_PD');

CREATE TABLE lease_hwaddr_source (
    hwaddr_source INT UNSIGNED NOT NULL PRIMARY KEY,
    name VARCHAR(40)
) ENGINE = InnoDB DEFAULT CHARACTER SET latin1 COMMENT 'lease_hwaddr_source of ubench';
INSERT INTO lease_hwaddr_source (hwaddr_source, name) VALUES
    (4, 'HWADDR_SOURCE_DUID');

-- latin1: one byte per character of a hostname, so that the index on it fits
-- every engine.
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
) DEFAULT CHARACTER SET latin1 COMMENT 'lease6 of ubench';
