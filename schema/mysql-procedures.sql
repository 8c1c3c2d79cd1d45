-- SPDX-License-Identifier: ISC
--
-- The stored procedures of --trips=procedure for MySQL and MariaDB, which answer the packets of
-- DHCP clients.  This file is compiled into mysql_ubench, which runs it after
-- mysql-kea.sql or mysql-kea-stats.sql.
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
--
-- Each procedure asks what Kea's statements ask for one packet, in Kea's order; each search
-- sends a result set, and the number of rows that the call has changed says whether the change
-- was done (in MariaDB the sum of all statements, which a SELECT INTO would count in).  Before a
-- change the expiry is read once more, since a result set goes to the client alone: the lease is
-- changed only if it has that expiry, Kea's optimistic lock.

DELIMITER $$
-- DISCOVER: the client's lease, or else whether the offered address is free.
CREATE PROCEDURE ubench_discover4(
    IN asked_client_id VARBINARY(255), IN asked_hwaddr VARBINARY(20),
    IN asked_address INT UNSIGNED)
COMMENT 'ubench_discover4 of ubench'
BEGIN
    SELECT * FROM lease4 WHERE client_id = asked_client_id;
    IF FOUND_ROWS() = 0 THEN
        SELECT * FROM lease4 WHERE hwaddr = asked_hwaddr;
        IF FOUND_ROWS() = 0 THEN
            SELECT * FROM lease4 WHERE address = asked_address;
        END IF;
    END IF;
END $$

-- REQUEST: extends the client's lease, or gives it the address if that is free, which Kea looks
-- up twice.
CREATE PROCEDURE ubench_request4(
    IN asked_address INT UNSIGNED, IN asked_hwaddr VARBINARY(20),
    IN asked_client_id VARBINARY(255), IN asked_valid_lifetime INT UNSIGNED,
    IN asked_expire DATETIME, IN asked_subnet_id INT UNSIGNED,
    IN asked_fqdn_fwd BOOLEAN, IN asked_fqdn_rev BOOLEAN,
    IN asked_hostname VARBINARY(255), IN asked_state INT UNSIGNED,
    IN asked_user_context TEXT, IN asked_relay_id VARBINARY(255),
    IN asked_remote_id VARBINARY(255), IN asked_pool_id INT UNSIGNED)
COMMENT 'ubench_request4 of ubench'
BEGIN
    DECLARE is_known BOOLEAN;
    DECLARE known_expire DATETIME;
    SELECT * FROM lease4 WHERE client_id = asked_client_id;
    SET is_known = FOUND_ROWS() > 0;
    IF NOT is_known THEN
        SELECT * FROM lease4 WHERE hwaddr = asked_hwaddr;
        SET is_known = FOUND_ROWS() > 0;
    END IF;
    SELECT * FROM lease4 WHERE address = asked_address;
    IF is_known THEN
        SET known_expire = (SELECT expire FROM lease4 WHERE address = asked_address);
        UPDATE lease4 SET
            address = asked_address, hwaddr = asked_hwaddr, client_id = asked_client_id,
            valid_lifetime = asked_valid_lifetime, expire = asked_expire,
            subnet_id = asked_subnet_id, fqdn_fwd = asked_fqdn_fwd,
            fqdn_rev = asked_fqdn_rev, hostname = asked_hostname, state = asked_state,
            user_context = asked_user_context, relay_id = asked_relay_id,
            remote_id = asked_remote_id, pool_id = asked_pool_id
        WHERE address = asked_address AND expire = known_expire;
    ELSEIF FOUND_ROWS() = 0 THEN
        SELECT * FROM lease4 WHERE address = asked_address;
        IF FOUND_ROWS() = 0 THEN
            INSERT INTO lease4 (
                address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd,
                fqdn_rev, hostname, state, user_context, relay_id, remote_id, pool_id)
            VALUES (
                asked_address, asked_hwaddr, asked_client_id, asked_valid_lifetime,
                asked_expire, asked_subnet_id, asked_fqdn_fwd, asked_fqdn_rev,
                asked_hostname, asked_state, asked_user_context, asked_relay_id,
                asked_remote_id, asked_pool_id);
        END IF;
    END IF;
END $$

-- REQUEST of a client that was switched on again: Kea first looks whether it has a lease.
CREATE PROCEDURE ubench_reboot4(
    IN asked_address INT UNSIGNED, IN asked_hwaddr VARBINARY(20),
    IN asked_client_id VARBINARY(255), IN asked_valid_lifetime INT UNSIGNED,
    IN asked_expire DATETIME, IN asked_subnet_id INT UNSIGNED,
    IN asked_fqdn_fwd BOOLEAN, IN asked_fqdn_rev BOOLEAN,
    IN asked_hostname VARBINARY(255), IN asked_state INT UNSIGNED,
    IN asked_user_context TEXT, IN asked_relay_id VARBINARY(255),
    IN asked_remote_id VARBINARY(255), IN asked_pool_id INT UNSIGNED)
COMMENT 'ubench_reboot4 of ubench'
BEGIN
    SELECT * FROM lease4 WHERE client_id = asked_client_id;
    IF FOUND_ROWS() > 0 THEN
        CALL ubench_request4(
            asked_address, asked_hwaddr, asked_client_id, asked_valid_lifetime,
            asked_expire, asked_subnet_id, asked_fqdn_fwd, asked_fqdn_rev,
            asked_hostname, asked_state, asked_user_context, asked_relay_id,
            asked_remote_id, asked_pool_id);
    END IF;
END $$

-- RELEASE with lease affinity, and DECLINE: the row stays, in another state.
CREATE PROCEDURE ubench_end4(
    IN asked_address INT UNSIGNED, IN asked_hwaddr VARBINARY(20),
    IN asked_client_id VARBINARY(255), IN asked_valid_lifetime INT UNSIGNED,
    IN asked_expire DATETIME, IN asked_subnet_id INT UNSIGNED,
    IN asked_fqdn_fwd BOOLEAN, IN asked_fqdn_rev BOOLEAN,
    IN asked_hostname VARBINARY(255), IN asked_state INT UNSIGNED,
    IN asked_user_context TEXT, IN asked_relay_id VARBINARY(255),
    IN asked_remote_id VARBINARY(255), IN asked_pool_id INT UNSIGNED)
COMMENT 'ubench_end4 of ubench'
BEGIN
    DECLARE known_expire DATETIME;
    SELECT * FROM lease4 WHERE address = asked_address;
    IF FOUND_ROWS() > 0 THEN
        SET known_expire = (SELECT expire FROM lease4 WHERE address = asked_address);
        UPDATE lease4 SET
            address = asked_address, hwaddr = asked_hwaddr, client_id = asked_client_id,
            valid_lifetime = asked_valid_lifetime, expire = asked_expire,
            subnet_id = asked_subnet_id, fqdn_fwd = asked_fqdn_fwd,
            fqdn_rev = asked_fqdn_rev, hostname = asked_hostname, state = asked_state,
            user_context = asked_user_context, relay_id = asked_relay_id,
            remote_id = asked_remote_id, pool_id = asked_pool_id
        WHERE address = asked_address AND expire = known_expire;
    END IF;
END $$

-- RELEASE without lease affinity: the row goes.
CREATE PROCEDURE ubench_remove4(
    IN asked_address INT UNSIGNED)
COMMENT 'ubench_remove4 of ubench'
BEGIN
    DECLARE known_expire DATETIME;
    SELECT * FROM lease4 WHERE address = asked_address;
    IF FOUND_ROWS() > 0 THEN
        SET known_expire = (SELECT expire FROM lease4 WHERE address = asked_address);
        DELETE FROM lease4 WHERE address = asked_address AND expire = known_expire;
    END IF;
END $$
DELIMITER ;
