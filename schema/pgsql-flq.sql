-- SPDX-License-Identifier: ISC
--
-- The free lease queue that servers share (--allocator=shared-flq), in addition to
-- ubench's schema "kea" for PostgreSQL: tables and functions that do the work of Kea's.
-- This file is compiled into pgsql_ubench; to create the tables by hand:
--
--     cat schema/pgsql-kea.sql schema/pgsql-flq.sql | psql -1 ubench
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.
--
-- Source of the facts: flq_pool4, free_lease4, sflqCreateFlqPool4, sflqPickFreeLease4,
-- sflqInsertLease4, sflqUpdateLease4 and sflqDeleteLease4 of Kea 3.3 (PostgreSQL schema
-- 34.0).  The names of the functions are ubench's own.

CREATE TABLE flq_pool4 (
    id                    SERIAL PRIMARY KEY,
    start_address         BIGINT NOT NULL,
    end_address           BIGINT NOT NULL,
    last_returned_address BIGINT NOT NULL DEFAULT 0,
    subnet_id             BIGINT NOT NULL,
    created_ts            TIMESTAMPTZ NOT NULL DEFAULT CURRENT_TIMESTAMP,
    modification_ts       TIMESTAMPTZ NOT NULL DEFAULT CURRENT_TIMESTAMP
);
COMMENT ON TABLE flq_pool4 IS 'flq_pool4 of ubench';
CREATE UNIQUE INDEX flq_pool4_by_range ON flq_pool4 (start_address, end_address);
CREATE INDEX flq_pool4_by_subnet_id ON flq_pool4 (subnet_id);

CREATE TABLE free_lease4 (
    address         BIGINT PRIMARY KEY,
    modification_ts TIMESTAMPTZ NOT NULL DEFAULT CURRENT_TIMESTAMP
);
COMMENT ON TABLE free_lease4 IS 'free_lease4 of ubench';

-- Makes a pool, whose queue is empty.
CREATE FUNCTION ubench_flq_create(pool_start BIGINT, pool_end BIGINT) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM flq_pool4;
    INSERT INTO flq_pool4 (start_address, end_address, subnet_id)
    VALUES (pool_start, pool_end, 1);
END $$;
COMMENT ON FUNCTION ubench_flq_create IS 'ubench_flq_create of ubench';

-- Adds those of some addresses to the queue that have no lease, as offered long ago.
CREATE FUNCTION ubench_flq_fill(first BIGINT, last BIGINT) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO free_lease4 (address, modification_ts)
    SELECT one, to_timestamp(1) FROM generate_series(first, last) AS one
    LEFT JOIN lease4 ON lease4.address = one
    WHERE lease4.address IS NULL OR lease4.state = 2;
END $$;
COMMENT ON FUNCTION ubench_flq_fill IS 'ubench_flq_fill of ubench';

-- The free address behind the one that was picked last, or from the beginning; 0: none.
-- As in Kea, the row of the pool is read without a lock before it is updated.
CREATE FUNCTION ubench_flq_pick(pool_start BIGINT, pool_end BIGINT) RETURNS BIGINT
LANGUAGE plpgsql AS $$
DECLARE
    pool BIGINT;
    latest BIGINT;
    picked BIGINT;
BEGIN
    SELECT id, last_returned_address INTO pool, latest FROM flq_pool4
    WHERE start_address = pool_start AND end_address = pool_end;
    IF pool IS NULL THEN
        RETURN 0;
    END IF;
    IF latest < pool_start OR latest >= pool_end THEN
        latest := pool_start - 1;
    END IF;
    SELECT address INTO picked FROM free_lease4
    WHERE address > latest AND address <= pool_end ORDER BY address LIMIT 1;
    IF picked IS NULL THEN
        SELECT address INTO picked FROM free_lease4
        WHERE address >= pool_start AND address <= latest ORDER BY address LIMIT 1;
    END IF;
    picked := coalesce(picked, 0);
    UPDATE flq_pool4 SET last_returned_address = picked WHERE id = pool;
    RETURN picked;
END $$;
COMMENT ON FUNCTION ubench_flq_pick IS 'ubench_flq_pick of ubench';

-- Inserts a lease and takes its address out of the queue.
CREATE FUNCTION ubench_flq_insert(
    new_address BIGINT, new_hwaddr BYTEA, new_client_id BYTEA, new_valid_lifetime BIGINT,
    new_expire TIMESTAMPTZ, new_subnet_id BIGINT, new_fqdn_fwd BOOLEAN, new_fqdn_rev BOOLEAN,
    new_hostname VARCHAR, new_state BIGINT, new_user_context TEXT, new_relay_id BYTEA,
    new_remote_id BYTEA, new_pool_id BIGINT) RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
    inserted INTEGER;
BEGIN
    INSERT INTO lease4 (address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd,
                        fqdn_rev, hostname, state, user_context, relay_id, remote_id, pool_id)
    VALUES (new_address, new_hwaddr, new_client_id, new_valid_lifetime, new_expire, new_subnet_id,
            new_fqdn_fwd, new_fqdn_rev, new_hostname, new_state, new_user_context, new_relay_id,
            new_remote_id, new_pool_id);
    GET DIAGNOSTICS inserted = ROW_COUNT;
    IF inserted > 0 THEN
        IF new_state = 2 THEN
            INSERT INTO free_lease4 (address) VALUES (new_address) ON CONFLICT DO NOTHING;
        ELSE
            DELETE FROM free_lease4 WHERE address = new_address;
        END IF;
    END IF;
    RETURN inserted;
END $$;
COMMENT ON FUNCTION ubench_flq_insert IS 'ubench_flq_insert of ubench';

-- Updates a lease that has the expiry.  The address of a reclaimed one returns to the queue.
CREATE FUNCTION ubench_flq_update(
    new_address BIGINT, new_hwaddr BYTEA, new_client_id BYTEA, new_valid_lifetime BIGINT,
    new_expire TIMESTAMPTZ, new_subnet_id BIGINT, new_fqdn_fwd BOOLEAN, new_fqdn_rev BOOLEAN,
    new_hostname VARCHAR, new_state BIGINT, new_user_context TEXT, new_relay_id BYTEA,
    new_remote_id BYTEA, new_pool_id BIGINT, old_address BIGINT, old_expire TIMESTAMPTZ)
    RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
    updated INTEGER;
BEGIN
    UPDATE lease4 SET
        address = new_address, hwaddr = new_hwaddr, client_id = new_client_id,
        valid_lifetime = new_valid_lifetime, expire = new_expire, subnet_id = new_subnet_id,
        fqdn_fwd = new_fqdn_fwd, fqdn_rev = new_fqdn_rev, hostname = new_hostname,
        state = new_state, user_context = new_user_context, relay_id = new_relay_id,
        remote_id = new_remote_id, pool_id = new_pool_id
    WHERE address = old_address AND expire = old_expire;
    GET DIAGNOSTICS updated = ROW_COUNT;
    IF updated > 0 THEN
        IF new_state = 2 THEN
            INSERT INTO free_lease4 (address) VALUES (new_address) ON CONFLICT DO NOTHING;
        ELSE
            DELETE FROM free_lease4 WHERE address = new_address;
        END IF;
    END IF;
    RETURN updated;
END $$;
COMMENT ON FUNCTION ubench_flq_update IS 'ubench_flq_update of ubench';

-- Deletes a lease that has the expiry; its address returns to the queue.
CREATE FUNCTION ubench_flq_remove(old_address BIGINT, old_expire TIMESTAMPTZ) RETURNS INTEGER
LANGUAGE plpgsql AS $$
DECLARE
    removed INTEGER;
BEGIN
    DELETE FROM lease4 WHERE address = old_address AND expire = old_expire;
    GET DIAGNOSTICS removed = ROW_COUNT;
    IF removed > 0 THEN
        INSERT INTO free_lease4 (address) VALUES (old_address) ON CONFLICT DO NOTHING;
    END IF;
    RETURN removed;
END $$;
COMMENT ON FUNCTION ubench_flq_remove IS 'ubench_flq_remove of ubench';
