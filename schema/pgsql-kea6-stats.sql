-- SPDX-License-Identifier: ISC
--
-- The additions of ubench's schema "kea+stats" for PostgreSQL to "kea": tables
-- that count the leases of a subnet and of a pool by state, and triggers that
-- update them with the same work as Kea's.  Both files are compiled into
-- pgsql_ubench, for --ipv6; to create the tables by hand:
--
--     cat schema/pgsql-kea6.sql schema/pgsql-kea6-stats.sql | psql -1 -f - ubench
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source of the facts: the triggers lease6_AINS, lease6_AUPD and lease6_ADEL
-- of Kea 3.3 (PostgreSQL schema 34.0), which call three functions each.  The
-- names here are ubench's own, to avoid conflicts.

CREATE TABLE ubench_lease6_stat (
    subnet_id BIGINT NOT NULL,
    lease_type SMALLINT NOT NULL,
    state BIGINT NOT NULL,
    leases BIGINT,
    PRIMARY KEY (subnet_id, lease_type, state)
);
COMMENT ON TABLE ubench_lease6_stat IS 'ubench_lease6_stat of ubench';
CREATE TABLE ubench_lease6_pool_stat (
    subnet_id BIGINT NOT NULL,
    pool_id BIGINT NOT NULL,
    lease_type SMALLINT NOT NULL,
    state BIGINT NOT NULL,
    leases BIGINT,
    PRIMARY KEY (subnet_id, pool_id, lease_type, state)
);
COMMENT ON TABLE ubench_lease6_pool_stat IS 'ubench_lease6_pool_stat of ubench';

-- Counts one lease less of the old kind and one more of the new kind; NULL:
-- none.  Only the states 0 (default) and 1 (declined) are counted.

CREATE FUNCTION ubench_lease6_count(
    old_subnet_id BIGINT,
    old_type SMALLINT,
    old_state BIGINT,
    new_subnet_id BIGINT,
    new_type SMALLINT,
    new_state BIGINT) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
    IF old_subnet_id IS DISTINCT FROM new_subnet_id
       OR old_type IS DISTINCT FROM new_type
       OR old_state IS DISTINCT FROM new_state THEN
        IF old_state = 0 OR old_state = 1 THEN
            UPDATE ubench_lease6_stat SET leases = greatest(leases - 1, 0)
            WHERE subnet_id = old_subnet_id
              AND lease_type = old_type
              AND state = old_state;
        END IF;
        IF new_state = 0 OR new_state = 1 THEN
            UPDATE ubench_lease6_stat SET leases = leases + 1
            WHERE subnet_id = new_subnet_id
              AND lease_type = new_type
              AND state = new_state;
            IF NOT FOUND THEN
                INSERT INTO ubench_lease6_stat
                VALUES (new_subnet_id, new_type, new_state, 1);
            END IF;
        END IF;
    END IF;
END $$;
COMMENT ON FUNCTION ubench_lease6_count IS 'ubench_lease6_count of ubench';

CREATE FUNCTION ubench_lease6_pool_count(
    old_subnet_id BIGINT,
    old_pool_id BIGINT,
    old_type SMALLINT,
    old_state BIGINT,
    new_subnet_id BIGINT,
    new_pool_id BIGINT,
    new_type SMALLINT,
    new_state BIGINT) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
    IF old_subnet_id IS DISTINCT FROM new_subnet_id
       OR old_pool_id IS DISTINCT FROM new_pool_id
       OR old_type IS DISTINCT FROM new_type
       OR old_state IS DISTINCT FROM new_state THEN
        IF old_state = 0 OR old_state = 1 THEN
            UPDATE ubench_lease6_pool_stat SET leases = greatest(leases - 1, 0)
            WHERE subnet_id = old_subnet_id AND pool_id = old_pool_id
              AND lease_type = old_type
              AND state = old_state;
        END IF;
        IF new_state = 0 OR new_state = 1 THEN
            UPDATE ubench_lease6_pool_stat SET leases = leases + 1
            WHERE subnet_id = new_subnet_id AND pool_id = new_pool_id
              AND lease_type = new_type
              AND state = new_state;
            IF NOT FOUND THEN
                INSERT INTO ubench_lease6_pool_stat
                VALUES (new_subnet_id, new_pool_id, new_type, new_state, 1);
            END IF;
        END IF;
    END IF;
END $$;
COMMENT ON FUNCTION ubench_lease6_pool_count IS 'ubench_lease6_pool_count of ubench';

-- Kea also counts the leases of client classes, whose names it searches for in
-- the JSON of user_context.  ubench's leases have no user_context, so it finds
-- none.
CREATE FUNCTION ubench_lease6_class_count(
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
COMMENT ON FUNCTION ubench_lease6_class_count IS 'ubench_lease6_class_count of ubench';

CREATE FUNCTION ubench_lease6_inserted() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ubench_lease6_class_count(
        NULL, NULL,
        NEW.state, NEW.user_context);
    PERFORM ubench_lease6_count(
        NULL, NULL, NULL,
        NEW.subnet_id, NEW.lease_type, NEW.state);
    PERFORM ubench_lease6_pool_count(
        NULL, NULL, NULL, NULL,
        NEW.subnet_id, NEW.pool_id, NEW.lease_type, NEW.state);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION ubench_lease6_inserted IS 'ubench_lease6_inserted of ubench';
CREATE TRIGGER ubench_lease6_inserted AFTER INSERT ON lease6
    FOR EACH ROW EXECUTE PROCEDURE ubench_lease6_inserted();
COMMENT ON TRIGGER ubench_lease6_inserted ON lease6 IS 'ubench_lease6_inserted of ubench';

CREATE FUNCTION ubench_lease6_updated() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ubench_lease6_class_count(
        OLD.state, OLD.user_context,
        NEW.state, NEW.user_context);
    PERFORM ubench_lease6_count(
        OLD.subnet_id, OLD.lease_type, OLD.state,
        NEW.subnet_id, NEW.lease_type, NEW.state);
    PERFORM ubench_lease6_pool_count(
        OLD.subnet_id, OLD.pool_id, OLD.lease_type, OLD.state,
        NEW.subnet_id, NEW.pool_id, NEW.lease_type, NEW.state);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION ubench_lease6_updated IS 'ubench_lease6_updated of ubench';
CREATE TRIGGER ubench_lease6_updated AFTER UPDATE ON lease6
    FOR EACH ROW EXECUTE PROCEDURE ubench_lease6_updated();
COMMENT ON TRIGGER ubench_lease6_updated ON lease6 IS 'ubench_lease6_updated of ubench';

CREATE FUNCTION ubench_lease6_deleted() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ubench_lease6_class_count(
        OLD.state, OLD.user_context,
        NULL, NULL);
    PERFORM ubench_lease6_count(
        OLD.subnet_id, OLD.lease_type, OLD.state,
        NULL, NULL, NULL);
    PERFORM ubench_lease6_pool_count(
        OLD.subnet_id, OLD.pool_id, OLD.lease_type, OLD.state,
        NULL, NULL, NULL, NULL);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION ubench_lease6_deleted IS 'ubench_lease6_deleted of ubench';
CREATE TRIGGER ubench_lease6_deleted AFTER DELETE ON lease6
    FOR EACH ROW EXECUTE PROCEDURE ubench_lease6_deleted();
COMMENT ON TRIGGER ubench_lease6_deleted ON lease6 IS 'ubench_lease6_deleted of ubench';
