-- SPDX-License-Identifier: ISC
--
-- The stored functions of --trips=procedure for PostgreSQL with a free list (--allocator=shared-flq
-- or skip-locked): what pgsql-procedures.sql has for new clients, with the pick of an address in
-- it.  This file is compiled into pgsql_ubench, which runs it beside pgsql-flq.sql.
--
-- Safe to run twice: it only creates objects, and fails if one already exists.

-- DISCOVER: the client's lease, or else a free address that is picked for it, and the lease of that
-- address, which another client may have by now.
CREATE FUNCTION ubench_discover_listed4(
    asked_client_id BYTEA, asked_hwaddr BYTEA, pool_start BIGINT, pool_end BIGINT, skips BOOLEAN)
RETURNS TABLE (
    address BIGINT, hwaddr BYTEA, client_id BYTEA, valid_lifetime BIGINT,
    expire TIMESTAMPTZ, subnet_id BIGINT, fqdn_fwd BOOLEAN, fqdn_rev BOOLEAN,
    hostname VARCHAR, state BIGINT, user_context TEXT, relay_id BYTEA, remote_id BYTEA,
    pool_id BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    picked BIGINT;
BEGIN
    RETURN QUERY SELECT * FROM lease4 WHERE client_id = asked_client_id;
    IF FOUND THEN RETURN; END IF;
    RETURN NEXT;
    RETURN QUERY SELECT * FROM lease4 WHERE hwaddr = asked_hwaddr;
    IF FOUND THEN RETURN; END IF;
    RETURN NEXT;
    IF skips THEN
        picked := ubench_flq_pick_skipping(pool_start, pool_end);
    ELSE
        picked := ubench_flq_pick(pool_start, pool_end);
    END IF;
    address := nullif(picked, 0);
    RETURN NEXT;
    IF picked = 0 THEN RETURN; END IF;
    RETURN QUERY SELECT * FROM lease4 WHERE address = picked;
    IF NOT FOUND THEN
        address := NULL;
        RETURN NEXT;
    END IF;
END $$;
COMMENT ON FUNCTION ubench_discover_listed4 IS 'ubench_discover_listed4 of ubench';

-- REQUEST: gives the client the address, which Kea looks up twice, if it is free, and takes it
-- out of the list.
CREATE FUNCTION ubench_request_listed4(
    asked_address BIGINT, asked_hwaddr BYTEA, asked_client_id BYTEA,
    asked_valid_lifetime BIGINT, asked_expire TIMESTAMPTZ, asked_subnet_id BIGINT,
    asked_fqdn_fwd BOOLEAN, asked_fqdn_rev BOOLEAN, asked_hostname VARCHAR,
    asked_state BIGINT, asked_user_context TEXT, asked_relay_id BYTEA,
    asked_remote_id BYTEA, asked_pool_id BIGINT)
RETURNS TABLE (
    address BIGINT, hwaddr BYTEA, client_id BYTEA, valid_lifetime BIGINT,
    expire TIMESTAMPTZ, subnet_id BIGINT, fqdn_fwd BOOLEAN, fqdn_rev BOOLEAN,
    hostname VARCHAR, state BIGINT, user_context TEXT, relay_id BYTEA, remote_id BYTEA,
    pool_id BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT * FROM lease4 WHERE client_id = asked_client_id;
    IF FOUND THEN RETURN; END IF;
    RETURN NEXT;
    RETURN QUERY SELECT * FROM lease4 WHERE hwaddr = asked_hwaddr;
    IF FOUND THEN RETURN; END IF;
    RETURN NEXT;
    RETURN QUERY SELECT * FROM lease4 WHERE address = asked_address;
    IF FOUND THEN RETURN; END IF;
    RETURN NEXT;
    RETURN QUERY SELECT * FROM lease4 WHERE address = asked_address;
    IF FOUND THEN RETURN; END IF;
    RETURN NEXT;
    RETURN QUERY INSERT INTO lease4 (
        address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd,
        fqdn_rev, hostname, state, user_context, relay_id, remote_id, pool_id)
        VALUES (
        asked_address, asked_hwaddr, asked_client_id, asked_valid_lifetime,
        asked_expire, asked_subnet_id, asked_fqdn_fwd, asked_fqdn_rev,
        asked_hostname, asked_state, asked_user_context, asked_relay_id,
        asked_remote_id, asked_pool_id)
        ON CONFLICT (address) DO NOTHING RETURNING *;
    IF FOUND THEN
        DELETE FROM free_lease4 WHERE address = asked_address;
    ELSE
        RETURN NEXT;
    END IF;
END $$;
COMMENT ON FUNCTION ubench_request_listed4 IS 'ubench_request_listed4 of ubench';
