-- SPDX-License-Identifier: ISC
--
-- The additions of ubench's schema "kea+stats" for MySQL and MariaDB to "kea":
-- tables that count the leases of a subnet and of a pool by state, and
-- triggers that update them with the same work as Kea's.  Both files are
-- compiled into mysql_ubench; to create the tables by hand:
--
--     cat schema/mysql-kea.sql schema/mysql-kea-stats.sql | mysql ubench
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source of the facts: the triggers lease4_AINS, lease4_AUPD and lease4_ADEL
-- of Kea 3.3 (MySQL schema 35.0), which call three procedures each.  The names
-- here are ubench's own, to avoid conflicts.

CREATE TABLE ubench_lease4_stat (
    subnet_id INT UNSIGNED NOT NULL,
    state INT UNSIGNED NOT NULL,
    leases BIGINT,
    PRIMARY KEY (subnet_id, state)
) COMMENT 'ubench_lease4_stat of ubench';
CREATE TABLE ubench_lease4_pool_stat (
    subnet_id INT UNSIGNED NOT NULL,
    pool_id INT UNSIGNED NOT NULL,
    state INT UNSIGNED NOT NULL,
    leases BIGINT,
    PRIMARY KEY (subnet_id, pool_id, state)
) COMMENT 'ubench_lease4_pool_stat of ubench';

-- Counts one lease less of the old kind and one more of the new kind; NULL:
-- none.  Only the states 0 (default) and 1 (declined) are counted.

DELIMITER $$
CREATE PROCEDURE ubench_lease4_count(
    IN old_subnet_id INT UNSIGNED,
    IN old_state INT UNSIGNED,
    IN new_subnet_id INT UNSIGNED,
    IN new_state INT UNSIGNED)
COMMENT 'ubench_lease4_count of ubench'
BEGIN
    IF NOT (old_subnet_id <=> new_subnet_id
            AND old_state <=> new_state) THEN
        IF old_state = 0 OR old_state = 1 THEN
            UPDATE ubench_lease4_stat SET leases = IF(leases > 0, leases - 1, 0)
            WHERE subnet_id = old_subnet_id
              AND state = old_state;
        END IF;
        IF new_state = 0 OR new_state = 1 THEN
            UPDATE ubench_lease4_stat SET leases = leases + 1
            WHERE subnet_id = new_subnet_id
              AND state = new_state;
            IF ROW_COUNT() <= 0 THEN
                INSERT INTO ubench_lease4_stat
                VALUES (new_subnet_id, new_state, 1);
            END IF;
        END IF;
    END IF;
END $$

CREATE PROCEDURE ubench_lease4_pool_count(
    IN old_subnet_id INT UNSIGNED,
    IN old_pool_id INT UNSIGNED,
    IN old_state INT UNSIGNED,
    IN new_subnet_id INT UNSIGNED,
    IN new_pool_id INT UNSIGNED,
    IN new_state INT UNSIGNED)
COMMENT 'ubench_lease4_pool_count of ubench'
BEGIN
    IF NOT (old_subnet_id <=> new_subnet_id AND old_pool_id <=> new_pool_id
            AND old_state <=> new_state) THEN
        IF old_state = 0 OR old_state = 1 THEN
            UPDATE ubench_lease4_pool_stat
            SET leases = IF(leases > 0, leases - 1, 0)
            WHERE subnet_id = old_subnet_id AND pool_id = old_pool_id
              AND state = old_state;
        END IF;
        IF new_state = 0 OR new_state = 1 THEN
            UPDATE ubench_lease4_pool_stat SET leases = leases + 1
            WHERE subnet_id = new_subnet_id AND pool_id = new_pool_id
              AND state = new_state;
            IF ROW_COUNT() <= 0 THEN
                INSERT INTO ubench_lease4_pool_stat
                VALUES (new_subnet_id, new_pool_id, new_state, 1);
            END IF;
        END IF;
    END IF;
END $$

-- Kea also counts the leases of client classes, whose names it searches for in
-- the JSON of user_context.  ubench's leases have no user_context, so it finds
-- none.
CREATE PROCEDURE ubench_lease4_class_count(
    IN old_state INT UNSIGNED, IN old_context TEXT,
    IN new_state INT UNSIGNED, IN new_context TEXT)
COMMENT 'ubench_lease4_class_count of ubench'
BEGIN
    DECLARE old_classes TEXT;
    DECLARE new_classes TEXT;
    DECLARE classes INT;
    IF old_state IS NOT NULL THEN
        SET old_classes = JSON_EXTRACT(old_context, '$."ISC"."client-classes"');
    END IF;
    IF new_state IS NOT NULL THEN
        SET new_classes = JSON_EXTRACT(new_context, '$."ISC"."client-classes"');
    END IF;
    IF NOT (old_state <=> new_state AND old_classes <=> new_classes) THEN
        IF old_state = 0 THEN
            SET classes = JSON_LENGTH(old_classes);
        END IF;
        IF new_state = 0 THEN
            SET classes = JSON_LENGTH(new_classes);
        END IF;
    END IF;
END $$

CREATE TRIGGER ubench_lease4_inserted AFTER INSERT ON lease4 FOR EACH ROW
BEGIN
    CALL ubench_lease4_count(
        NULL, NULL,
        NEW.subnet_id, NEW.state);
    CALL ubench_lease4_pool_count(
        NULL, NULL, NULL,
        NEW.subnet_id, NEW.pool_id, NEW.state);
    CALL ubench_lease4_class_count(
        NULL, NULL,
        NEW.state, NEW.user_context);
END $$

CREATE TRIGGER ubench_lease4_updated AFTER UPDATE ON lease4 FOR EACH ROW
BEGIN
    CALL ubench_lease4_count(
        OLD.subnet_id, OLD.state,
        NEW.subnet_id, NEW.state);
    CALL ubench_lease4_pool_count(
        OLD.subnet_id, OLD.pool_id, OLD.state,
        NEW.subnet_id, NEW.pool_id, NEW.state);
    CALL ubench_lease4_class_count(
        OLD.state, OLD.user_context,
        NEW.state, NEW.user_context);
END $$

CREATE TRIGGER ubench_lease4_deleted AFTER DELETE ON lease4 FOR EACH ROW
BEGIN
    CALL ubench_lease4_count(
        OLD.subnet_id, OLD.state,
        NULL, NULL);
    CALL ubench_lease4_pool_count(
        OLD.subnet_id, OLD.pool_id, OLD.state,
        NULL, NULL, NULL);
    CALL ubench_lease4_class_count(
        OLD.state, OLD.user_context,
        NULL, NULL);
END $$
DELIMITER ;
