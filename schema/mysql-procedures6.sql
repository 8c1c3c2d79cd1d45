-- SPDX-License-Identifier: ISC
--
-- The stored procedures of --trips=procedure for MySQL and MariaDB, which answer the packets of
-- DHCP clients with IPv6 leases.  This file is compiled into mysql_ubench, which runs it after
-- mysql-kea6.sql or mysql-kea6-stats.sql.
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
--
-- Each procedure asks what Kea's statements ask for one packet, in Kea's order; each search
-- sends a result set, and the number of rows that the call has changed says whether the change
-- was done (in MariaDB the sum of all statements, which a SELECT INTO would count in).  Before a
-- change the expiry is read once more, since a result set goes to the client alone: the lease is
-- changed only if it has that expiry, Kea's optimistic lock.

DELIMITER $$
-- SOLICIT: the client's lease, or else whether the advertised address is free.
CREATE PROCEDURE ubench_discover6(
    IN asked_duid VARBINARY(130), IN asked_iaid INT UNSIGNED,
    IN asked_lease_type TINYINT, IN asked_address BINARY(16))
COMMENT 'ubench_discover6 of ubench'
BEGIN
    SELECT address, hwaddr, duid, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
           hostname, state, lease_type, iaid, pref_lifetime, prefix_len, user_context,
           hwtype, hwaddr_source, pool_id
    FROM lease6 WHERE duid = asked_duid AND iaid = asked_iaid
          AND lease_type = asked_lease_type;
    IF FOUND_ROWS() = 0 THEN
        SELECT address, hwaddr, duid, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
               hostname, state, lease_type, iaid, pref_lifetime, prefix_len, user_context,
               hwtype, hwaddr_source, pool_id
        FROM lease6 WHERE address = asked_address AND lease_type = asked_lease_type;
    END IF;
END $$

-- REQUEST of a new client: gives it the address if that is free.
CREATE PROCEDURE ubench_request6(
    IN asked_address BINARY(16), IN asked_hwaddr VARBINARY(20),
    IN asked_duid VARBINARY(130), IN asked_valid_lifetime INT UNSIGNED,
    IN asked_expire DATETIME, IN asked_subnet_id INT UNSIGNED,
    IN asked_fqdn_fwd BOOLEAN, IN asked_fqdn_rev BOOLEAN,
    IN asked_hostname VARBINARY(255), IN asked_state INT UNSIGNED,
    IN asked_lease_type TINYINT, IN asked_iaid INT UNSIGNED,
    IN asked_pref_lifetime INT UNSIGNED, IN asked_prefix_len TINYINT UNSIGNED,
    IN asked_user_context TEXT, IN asked_hwtype SMALLINT UNSIGNED,
    IN asked_hwaddr_source INT UNSIGNED, IN asked_pool_id INT UNSIGNED)
COMMENT 'ubench_request6 of ubench'
BEGIN
    SELECT address, hwaddr, duid, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
           hostname, state, lease_type, iaid, pref_lifetime, prefix_len, user_context,
           hwtype, hwaddr_source, pool_id
    FROM lease6 WHERE duid = asked_duid AND iaid = asked_iaid
          AND lease_type = asked_lease_type;
    IF FOUND_ROWS() = 0 THEN
        SELECT address, hwaddr, duid, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
               hostname, state, lease_type, iaid, pref_lifetime, prefix_len, user_context,
               hwtype, hwaddr_source, pool_id
        FROM lease6 WHERE address = asked_address AND lease_type = asked_lease_type;
        IF FOUND_ROWS() = 0 THEN
            INSERT INTO lease6 (
                address, hwaddr, duid, valid_lifetime, expire, subnet_id, fqdn_fwd,
                fqdn_rev, hostname, state, lease_type, iaid, pref_lifetime, prefix_len,
                user_context, hwtype, hwaddr_source, pool_id)
            VALUES (
                asked_address, asked_hwaddr, asked_duid, asked_valid_lifetime,
                asked_expire, asked_subnet_id, asked_fqdn_fwd, asked_fqdn_rev,
                asked_hostname, asked_state, asked_lease_type, asked_iaid,
                asked_pref_lifetime, asked_prefix_len, asked_user_context, asked_hwtype,
                asked_hwaddr_source, asked_pool_id);
        END IF;
    END IF;
END $$

-- RENEW: extends the client's lease.
CREATE PROCEDURE ubench_renew6(
    IN asked_address BINARY(16), IN asked_hwaddr VARBINARY(20),
    IN asked_duid VARBINARY(130), IN asked_valid_lifetime INT UNSIGNED,
    IN asked_expire DATETIME, IN asked_subnet_id INT UNSIGNED,
    IN asked_fqdn_fwd BOOLEAN, IN asked_fqdn_rev BOOLEAN,
    IN asked_hostname VARBINARY(255), IN asked_state INT UNSIGNED,
    IN asked_lease_type TINYINT, IN asked_iaid INT UNSIGNED,
    IN asked_pref_lifetime INT UNSIGNED, IN asked_prefix_len TINYINT UNSIGNED,
    IN asked_user_context TEXT, IN asked_hwtype SMALLINT UNSIGNED,
    IN asked_hwaddr_source INT UNSIGNED, IN asked_pool_id INT UNSIGNED)
COMMENT 'ubench_renew6 of ubench'
BEGIN
    DECLARE known_expire DATETIME;
    SELECT address, hwaddr, duid, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
           hostname, state, lease_type, iaid, pref_lifetime, prefix_len, user_context,
           hwtype, hwaddr_source, pool_id
    FROM lease6 WHERE duid = asked_duid AND iaid = asked_iaid
          AND lease_type = asked_lease_type AND subnet_id = asked_subnet_id;
    IF FOUND_ROWS() > 0 THEN
        SET known_expire = (SELECT expire FROM lease6 WHERE address = asked_address);
        UPDATE lease6 SET
            address = asked_address, hwaddr = asked_hwaddr, duid = asked_duid,
            valid_lifetime = asked_valid_lifetime, expire = asked_expire,
            subnet_id = asked_subnet_id, fqdn_fwd = asked_fqdn_fwd,
            fqdn_rev = asked_fqdn_rev, hostname = asked_hostname, state = asked_state,
            lease_type = asked_lease_type, iaid = asked_iaid,
            pref_lifetime = asked_pref_lifetime, prefix_len = asked_prefix_len,
            user_context = asked_user_context, hwtype = asked_hwtype,
            hwaddr_source = asked_hwaddr_source, pool_id = asked_pool_id
        WHERE address = asked_address AND expire = known_expire;
    END IF;
END $$

-- RELEASE with lease affinity, and DECLINE: the row stays, in another state.
CREATE PROCEDURE ubench_end6(
    IN asked_address BINARY(16), IN asked_hwaddr VARBINARY(20),
    IN asked_duid VARBINARY(130), IN asked_valid_lifetime INT UNSIGNED,
    IN asked_expire DATETIME, IN asked_subnet_id INT UNSIGNED,
    IN asked_fqdn_fwd BOOLEAN, IN asked_fqdn_rev BOOLEAN,
    IN asked_hostname VARBINARY(255), IN asked_state INT UNSIGNED,
    IN asked_lease_type TINYINT, IN asked_iaid INT UNSIGNED,
    IN asked_pref_lifetime INT UNSIGNED, IN asked_prefix_len TINYINT UNSIGNED,
    IN asked_user_context TEXT, IN asked_hwtype SMALLINT UNSIGNED,
    IN asked_hwaddr_source INT UNSIGNED, IN asked_pool_id INT UNSIGNED)
COMMENT 'ubench_end6 of ubench'
BEGIN
    DECLARE known_expire DATETIME;
    SELECT address, hwaddr, duid, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
           hostname, state, lease_type, iaid, pref_lifetime, prefix_len, user_context,
           hwtype, hwaddr_source, pool_id
    FROM lease6 WHERE address = asked_address AND lease_type = asked_lease_type;
    IF FOUND_ROWS() > 0 THEN
        SET known_expire = (SELECT expire FROM lease6 WHERE address = asked_address);
        UPDATE lease6 SET
            address = asked_address, hwaddr = asked_hwaddr, duid = asked_duid,
            valid_lifetime = asked_valid_lifetime, expire = asked_expire,
            subnet_id = asked_subnet_id, fqdn_fwd = asked_fqdn_fwd,
            fqdn_rev = asked_fqdn_rev, hostname = asked_hostname, state = asked_state,
            lease_type = asked_lease_type, iaid = asked_iaid,
            pref_lifetime = asked_pref_lifetime, prefix_len = asked_prefix_len,
            user_context = asked_user_context, hwtype = asked_hwtype,
            hwaddr_source = asked_hwaddr_source, pool_id = asked_pool_id
        WHERE address = asked_address AND expire = known_expire;
    END IF;
END $$

-- RELEASE without lease affinity: the row goes.
CREATE PROCEDURE ubench_remove6(
    IN asked_address BINARY(16), IN asked_lease_type TINYINT)
COMMENT 'ubench_remove6 of ubench'
BEGIN
    DECLARE known_expire DATETIME;
    SELECT address, hwaddr, duid, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
           hostname, state, lease_type, iaid, pref_lifetime, prefix_len, user_context,
           hwtype, hwaddr_source, pool_id
    FROM lease6 WHERE address = asked_address AND lease_type = asked_lease_type;
    IF FOUND_ROWS() > 0 THEN
        SET known_expire = (SELECT expire FROM lease6 WHERE address = asked_address);
        DELETE FROM lease6 WHERE address = asked_address AND expire = known_expire;
    END IF;
END $$
DELIMITER ;
