-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "kea" for MySQL and MariaDB: all columns
-- of Kea's lease4, in their order, its eight secondary indexes and its foreign
-- key, but not the triggers that keep statistics.  This file is compiled into
-- mysql_ubench; to create the table by hand:
--
--     mysql ubench <schema/mysql-kea.sql
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source of the facts: lease4 of Kea 3.3 (MySQL schema 35.0).

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

-- latin1: one byte per character of a hostname, so that the index on it fits
-- every engine.
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
) DEFAULT CHARACTER SET latin1 COMMENT 'lease4 of ubench';
