-- SPDX-License-Identifier: ISC
--
-- The stored procedures of --trips=procedure for MySQL and MariaDB with a free list
-- (--allocator=shared-flq or skip-locked): what mysql-procedures.sql has for new clients, with the
-- pick of an address in it.  This file is compiled into mysql_ubench, which runs it beside
-- mysql-flq.sql.
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
--
-- Each answer is a result set with the columns of lease4.  That of a pick has the address
-- alone, that of an insert the number of rows.

DELIMITER $$
-- DISCOVER: the client's lease, or else a free address that is picked for it, and the lease of that
-- address, which another client may have by now.
CREATE PROCEDURE ubench_discover_listed4(
    IN asked_client_id VARBINARY(255), IN asked_hwaddr VARBINARY(20),
    IN pool_start INT UNSIGNED, IN pool_end INT UNSIGNED, IN skips BOOLEAN)
COMMENT 'ubench_discover_listed4 of ubench'
BEGIN
    DECLARE picked INT UNSIGNED;
    SELECT * FROM lease4 WHERE client_id = asked_client_id;
    IF FOUND_ROWS() = 0 THEN
        SELECT * FROM lease4 WHERE hwaddr = asked_hwaddr;
        IF FOUND_ROWS() = 0 THEN
            IF skips THEN
                CALL ubench_flq_pick_skipping(pool_start, pool_end, picked);
            ELSE
                SET picked = ubench_flq_pick(pool_start, pool_end);
            END IF;
            SELECT picked AS address, NULL AS hwaddr, NULL AS client_id, NULL AS valid_lifetime,
                NULL AS expire, NULL AS subnet_id, NULL AS fqdn_fwd, NULL AS fqdn_rev,
                NULL AS hostname, NULL AS state, NULL AS user_context, NULL AS relay_id,
                NULL AS remote_id, NULL AS pool_id
            FROM DUAL WHERE picked != 0;
            IF picked != 0 THEN
                SELECT * FROM lease4 WHERE address = picked;
            END IF;
        END IF;
    END IF;
END $$

-- REQUEST: gives the client the address, which Kea looks up twice, if it is free, and takes it
-- out of the list.
CREATE PROCEDURE ubench_request_listed4(
    IN asked_address INT UNSIGNED, IN asked_hwaddr VARBINARY(20),
    IN asked_client_id VARBINARY(255), IN asked_valid_lifetime INT UNSIGNED,
    IN asked_expire DATETIME, IN asked_subnet_id INT UNSIGNED,
    IN asked_fqdn_fwd BOOLEAN, IN asked_fqdn_rev BOOLEAN,
    IN asked_hostname VARBINARY(255), IN asked_state INT UNSIGNED,
    IN asked_user_context TEXT, IN asked_relay_id VARBINARY(255),
    IN asked_remote_id VARBINARY(255), IN asked_pool_id INT UNSIGNED)
COMMENT 'ubench_request_listed4 of ubench'
BEGIN
    DECLARE inserted INT;
    SELECT * FROM lease4 WHERE client_id = asked_client_id;
    IF FOUND_ROWS() = 0 THEN
        SELECT * FROM lease4 WHERE hwaddr = asked_hwaddr;
        IF FOUND_ROWS() = 0 THEN
            SELECT * FROM lease4 WHERE address = asked_address;
            IF FOUND_ROWS() = 0 THEN
                SELECT * FROM lease4 WHERE address = asked_address;
                IF FOUND_ROWS() = 0 THEN
                    SET inserted = ubench_flq_insert(
                        asked_address, asked_hwaddr, asked_client_id, asked_valid_lifetime,
                        asked_expire, asked_subnet_id, asked_fqdn_fwd, asked_fqdn_rev,
                        asked_hostname, asked_state, asked_user_context, asked_relay_id,
                        asked_remote_id, asked_pool_id);
                    SELECT inserted AS address, NULL AS hwaddr, NULL AS client_id,
                        NULL AS valid_lifetime, NULL AS expire, NULL AS subnet_id,
                        NULL AS fqdn_fwd, NULL AS fqdn_rev, NULL AS hostname, NULL AS state,
                        NULL AS user_context, NULL AS relay_id, NULL AS remote_id,
                        NULL AS pool_id
                    FROM DUAL WHERE inserted > 0;
                END IF;
            END IF;
        END IF;
    END IF;
END $$
DELIMITER ;
