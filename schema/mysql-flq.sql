-- SPDX-License-Identifier: ISC
--
-- The free lease queue that servers share (--allocator=shared-flq), in addition to
-- ubench's schema "kea" for MySQL and MariaDB: tables and functions that do the work of
-- Kea's.  This file is compiled into mysql_ubench; to create the tables by hand:
--
--     cat schema/mysql-kea.sql schema/mysql-flq.sql | mysql ubench
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source of the facts: flq_pool4, free_lease4, sflqCreateFlqPool4, sflqPickFreeLease4,
-- sflqInsertLease4, sflqUpdateLease4 and sflqDeleteLease4 of Kea 3.3 (MySQL schema 35.0).  The
-- names of the functions are ubench's own.  As in Kea, they say READS SQL DATA although they
-- write: a server with a binary log would else demand a privilege.

CREATE TABLE flq_pool4 (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    start_address INT UNSIGNED NOT NULL,
    end_address INT UNSIGNED NOT NULL,
    last_returned_address INT UNSIGNED DEFAULT 0,
    subnet_id INT UNSIGNED NOT NULL,
    created_ts TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    modification_ts TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
    UNIQUE INDEX flq_pool4_by_range (start_address, end_address),
    INDEX flq_pool4_by_subnet_id (subnet_id)
) DEFAULT CHARACTER SET latin1 COMMENT 'flq_pool4 of ubench';

-- Kea's times have whole seconds; skip-locked compares them.
CREATE TABLE free_lease4 (
    address INT UNSIGNED NOT NULL PRIMARY KEY,
    modification_ts TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)
) DEFAULT CHARACTER SET latin1 COMMENT 'free_lease4 of ubench';

-- Makes a pool, whose queue is empty.
DELIMITER $$
CREATE PROCEDURE ubench_flq_create(IN pool_start INT UNSIGNED, IN pool_end INT UNSIGNED)
COMMENT 'ubench_flq_create of ubench'
BEGIN
    DELETE FROM flq_pool4;
    INSERT INTO flq_pool4 (start_address, end_address, subnet_id)
    VALUES (pool_start, pool_end, 1);
END $$

-- Adds those of some addresses to the queue that have no lease, as offered long ago.
CREATE PROCEDURE ubench_flq_fill(IN first INT UNSIGNED, IN last INT UNSIGNED)
COMMENT 'ubench_flq_fill of ubench'
BEGIN
    DECLARE made INT UNSIGNED DEFAULT 1;

    INSERT INTO free_lease4 (address, modification_ts) VALUES (first, FROM_UNIXTIME(1));
    WHILE made <= last - first DO
        INSERT INTO free_lease4 (address, modification_ts)
        SELECT address + made, modification_ts FROM free_lease4
        WHERE address BETWEEN first AND last - made;
        SET made = made * 2;
    END WHILE;
    DELETE free_lease4 FROM free_lease4
    INNER JOIN lease4 ON lease4.address = free_lease4.address AND lease4.state != 2
    WHERE free_lease4.address BETWEEN first AND last;
END $$

-- The free address behind the one that was picked last, or from the beginning; 0: none.
-- As in Kea, the row of the pool is read without a lock before it is updated.
CREATE FUNCTION ubench_flq_pick(pool_start INT UNSIGNED, pool_end INT UNSIGNED)
RETURNS INT UNSIGNED
READS SQL DATA
COMMENT 'ubench_flq_pick of ubench'
BEGIN
    DECLARE pool BIGINT UNSIGNED;
    DECLARE latest INT UNSIGNED;
    DECLARE picked INT UNSIGNED DEFAULT 0;

    SELECT id, last_returned_address INTO pool, latest FROM flq_pool4
    WHERE start_address = pool_start AND end_address = pool_end;
    IF pool IS NULL THEN
        RETURN 0;
    END IF;
    IF latest < pool_start OR latest >= pool_end THEN
        SET latest = pool_start - 1;
    END IF;
    SELECT address INTO picked FROM free_lease4
    WHERE address > latest AND address <= pool_end ORDER BY address LIMIT 1;
    IF picked = 0 THEN
        SELECT address INTO picked FROM free_lease4
        WHERE address >= pool_start AND address <= latest ORDER BY address LIMIT 1;
    END IF;
    IF picked != 0 THEN
        UPDATE flq_pool4 SET last_returned_address = picked WHERE id = pool;
    END IF;
    RETURN picked;
END $$

-- Inserts a lease and takes its address out of the queue.
CREATE FUNCTION ubench_flq_insert(
    new_address INT UNSIGNED, new_hwaddr VARBINARY(20), new_client_id VARBINARY(255),
    new_valid_lifetime INT UNSIGNED, new_expire TIMESTAMP, new_subnet_id INT UNSIGNED,
    new_fqdn_fwd TINYINT(1), new_fqdn_rev TINYINT(1), new_hostname VARCHAR(255),
    new_state INT UNSIGNED, new_user_context TEXT, new_relay_id VARBINARY(255),
    new_remote_id VARBINARY(255), new_pool_id INT UNSIGNED)
RETURNS INT
READS SQL DATA
COMMENT 'ubench_flq_insert of ubench'
BEGIN
    DECLARE inserted INT;

    INSERT INTO lease4 (address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd,
                        fqdn_rev, hostname, state, user_context, relay_id, remote_id, pool_id)
    VALUES (new_address, new_hwaddr, new_client_id, new_valid_lifetime, new_expire, new_subnet_id,
            new_fqdn_fwd, new_fqdn_rev, new_hostname, new_state, new_user_context, new_relay_id,
            new_remote_id, new_pool_id);
    SET inserted = ROW_COUNT();
    IF inserted > 0 THEN
        IF new_state = 2 THEN
            INSERT INTO free_lease4 (address) VALUES (new_address)
            ON DUPLICATE KEY UPDATE address = new_address;
        ELSE
            DELETE FROM free_lease4 WHERE address = new_address;
        END IF;
    END IF;
    RETURN inserted;
END $$

-- Updates a lease that has the expiry.  The address of a reclaimed one returns to the queue.
CREATE FUNCTION ubench_flq_update(
    new_address INT UNSIGNED, new_hwaddr VARBINARY(20), new_client_id VARBINARY(255),
    new_valid_lifetime INT UNSIGNED, new_expire TIMESTAMP, new_subnet_id INT UNSIGNED,
    new_fqdn_fwd TINYINT(1), new_fqdn_rev TINYINT(1), new_hostname VARCHAR(255),
    new_state INT UNSIGNED, new_user_context TEXT, new_relay_id VARBINARY(255),
    new_remote_id VARBINARY(255), new_pool_id INT UNSIGNED, old_address INT UNSIGNED,
    old_expire TIMESTAMP)
RETURNS INT
READS SQL DATA
COMMENT 'ubench_flq_update of ubench'
BEGIN
    DECLARE updated INT;

    UPDATE lease4 SET
        address = new_address, hwaddr = new_hwaddr, client_id = new_client_id,
        valid_lifetime = new_valid_lifetime, expire = new_expire, subnet_id = new_subnet_id,
        fqdn_fwd = new_fqdn_fwd, fqdn_rev = new_fqdn_rev, hostname = new_hostname,
        state = new_state, user_context = new_user_context, relay_id = new_relay_id,
        remote_id = new_remote_id, pool_id = new_pool_id
    WHERE address = old_address AND expire = old_expire;
    SET updated = ROW_COUNT();
    IF updated > 0 THEN
        IF new_state = 2 THEN
            INSERT INTO free_lease4 (address) VALUES (new_address)
            ON DUPLICATE KEY UPDATE address = new_address;
        ELSE
            DELETE FROM free_lease4 WHERE address = new_address;
        END IF;
    END IF;
    RETURN updated;
END $$

-- Deletes a lease that has the expiry; its address returns to the queue.
CREATE FUNCTION ubench_flq_remove(old_address INT UNSIGNED, old_expire TIMESTAMP)
RETURNS INT
READS SQL DATA
COMMENT 'ubench_flq_remove of ubench'
BEGIN
    DECLARE removed INT;

    DELETE FROM lease4 WHERE address = old_address AND expire = old_expire;
    SET removed = ROW_COUNT();
    IF removed > 0 THEN
        INSERT INTO free_lease4 (address) VALUES (old_address)
        ON DUPLICATE KEY UPDATE address = old_address;
    END IF;
    RETURN removed;
END $$
DELIMITER ;
