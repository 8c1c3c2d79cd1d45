-- SPDX-License-Identifier: ISC
--
-- What ubench's schema "kea+stats" for PostgreSQL adds to "kea": tables that
-- count the leases of a subnet and of a pool by state, and triggers that keep
-- them, with the work of Kea's.  pgsql_ubench has both files compiled in;
-- by hand:
--
--     cat schema/pgsql-kea.sql schema/pgsql-kea-stats.sql | psql -1 -f - ubench
--
-- Safe to run twice: it makes what is missing and drops nothing but its own
-- triggers, to make them anew.  It refuses where ubench did not make lease4.
--
-- Source of the facts: the triggers lease4_AINS, lease4_AUPD and lease4_ADEL of
-- Kea 3.3 (PostgreSQL schema 34.0), which call three functions each.  The names
-- here are ubench's own, so that they meet no others.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM ubench_marker
                   WHERE lease4 IN ('kea', 'kea+stats')) THEN
        RAISE EXCEPTION 'lease4 is there, and ubench did not make it';
    END IF;
END $$;
UPDATE ubench_marker SET lease4 = 'kea+stats' WHERE lease4 = 'kea';

CREATE TABLE IF NOT EXISTS ubench_lease4_stat (
    subnet_id BIGINT NOT NULL,
    state BIGINT NOT NULL,
    leases BIGINT,
    PRIMARY KEY (subnet_id, state)
);
CREATE TABLE IF NOT EXISTS ubench_lease4_pool_stat (
    subnet_id BIGINT NOT NULL,
    pool_id BIGINT NOT NULL,
    state BIGINT NOT NULL,
    leases BIGINT,
    PRIMARY KEY (subnet_id, pool_id, state)
);

-- One lease less of the old kind and one more of the new one; NULL: none.  Only
-- the states 0 (default) and 1 (declined) are counted.

CREATE OR REPLACE FUNCTION ubench_lease4_count(
    old_subnet_id BIGINT,
    old_state BIGINT,
    new_subnet_id BIGINT,
    new_state BIGINT) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
    IF old_subnet_id IS DISTINCT FROM new_subnet_id
       OR old_state IS DISTINCT FROM new_state THEN
        IF old_state = 0 OR old_state = 1 THEN
            UPDATE ubench_lease4_stat SET leases = greatest(leases - 1, 0)
            WHERE subnet_id = old_subnet_id
              AND state = old_state;
        END IF;
        IF new_state = 0 OR new_state = 1 THEN
            UPDATE ubench_lease4_stat SET leases = leases + 1
            WHERE subnet_id = new_subnet_id
              AND state = new_state;
            IF NOT FOUND THEN
                INSERT INTO ubench_lease4_stat
                VALUES (new_subnet_id, new_state, 1);
            END IF;
        END IF;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION ubench_lease4_pool_count(
    old_subnet_id BIGINT,
    old_pool_id BIGINT,
    old_state BIGINT,
    new_subnet_id BIGINT,
    new_pool_id BIGINT,
    new_state BIGINT) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
    IF old_subnet_id IS DISTINCT FROM new_subnet_id
       OR old_pool_id IS DISTINCT FROM new_pool_id
       OR old_state IS DISTINCT FROM new_state THEN
        IF old_state = 0 OR old_state = 1 THEN
            UPDATE ubench_lease4_pool_stat SET leases = greatest(leases - 1, 0)
            WHERE subnet_id = old_subnet_id AND pool_id = old_pool_id
              AND state = old_state;
        END IF;
        IF new_state = 0 OR new_state = 1 THEN
            UPDATE ubench_lease4_pool_stat SET leases = leases + 1
            WHERE subnet_id = new_subnet_id AND pool_id = new_pool_id
              AND state = new_state;
            IF NOT FOUND THEN
                INSERT INTO ubench_lease4_pool_stat
                VALUES (new_subnet_id, new_pool_id, new_state, 1);
            END IF;
        END IF;
    END IF;
END $$;

-- Kea also counts the leases of client classes, whose names it looks for in
-- the JSON of user_context.  ubench's leases have none, so it looks in vain.
CREATE OR REPLACE FUNCTION ubench_lease4_class_count(
    old_state BIGINT, old_context TEXT,
    new_state BIGINT, new_context TEXT) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    old_classes TEXT;
    new_classes TEXT;
BEGIN
    IF old_state IS NOT NULL THEN
        SELECT old_context::json -> 'ISC' -> 'client-classes' INTO old_classes;
    END IF;
    IF new_state IS NOT NULL THEN
        SELECT new_context::json -> 'ISC' -> 'client-classes' INTO new_classes;
    END IF;
    IF old_state IS DISTINCT FROM new_state
       OR old_classes IS DISTINCT FROM new_classes THEN
        IF old_state = 0 THEN
            PERFORM json_array_elements(old_classes::json);
        END IF;
        IF new_state = 0 THEN
            PERFORM json_array_elements(new_classes::json);
        END IF;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION ubench_lease4_inserted() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ubench_lease4_class_count(
        NULL, NULL,
        NEW.state, NEW.user_context);
    PERFORM ubench_lease4_count(
        NULL, NULL,
        NEW.subnet_id, NEW.state);
    PERFORM ubench_lease4_pool_count(
        NULL, NULL, NULL,
        NEW.subnet_id, NEW.pool_id, NEW.state);
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS ubench_lease4_inserted ON lease4;
CREATE TRIGGER ubench_lease4_inserted AFTER INSERT ON lease4
    FOR EACH ROW EXECUTE PROCEDURE ubench_lease4_inserted();

CREATE OR REPLACE FUNCTION ubench_lease4_updated() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ubench_lease4_class_count(
        OLD.state, OLD.user_context,
        NEW.state, NEW.user_context);
    PERFORM ubench_lease4_count(
        OLD.subnet_id, OLD.state,
        NEW.subnet_id, NEW.state);
    PERFORM ubench_lease4_pool_count(
        OLD.subnet_id, OLD.pool_id, OLD.state,
        NEW.subnet_id, NEW.pool_id, NEW.state);
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS ubench_lease4_updated ON lease4;
CREATE TRIGGER ubench_lease4_updated AFTER UPDATE ON lease4
    FOR EACH ROW EXECUTE PROCEDURE ubench_lease4_updated();

CREATE OR REPLACE FUNCTION ubench_lease4_deleted() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ubench_lease4_class_count(
        OLD.state, OLD.user_context,
        NULL, NULL);
    PERFORM ubench_lease4_count(
        OLD.subnet_id, OLD.state,
        NULL, NULL);
    PERFORM ubench_lease4_pool_count(
        OLD.subnet_id, OLD.pool_id, OLD.state,
        NULL, NULL, NULL);
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS ubench_lease4_deleted ON lease4;
CREATE TRIGGER ubench_lease4_deleted AFTER DELETE ON lease4
    FOR EACH ROW EXECUTE PROCEDURE ubench_lease4_deleted();
