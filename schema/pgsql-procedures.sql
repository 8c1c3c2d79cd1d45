-- SPDX-License-Identifier: ISC
--
-- The stored functions of --trips=procedure for PostgreSQL, which answer the packets of
-- DHCP clients.  This file is compiled into pgsql_ubench, which runs it after
-- pgsql-kea.sql or pgsql-kea-stats.sql.
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
--
-- Each function asks what Kea's statements ask for one packet, in Kea's order, and returns a row
-- for each statement: the lease, or a row of NULL where there is none.  A change returns the
-- lease as it was stored or deleted.  The lease is changed only if its expiry is the one that
-- the function has read, Kea's optimistic lock.

-- DISCOVER: the client's lease, or else whether the offered address is free.
CREATE FUNCTION ubench_discover4(
    asked_client_id BYTEA, asked_hwaddr BYTEA, asked_address BIGINT)
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
    IF NOT FOUND THEN RETURN NEXT; END IF;
END $$;
COMMENT ON FUNCTION ubench_discover4 IS 'ubench_discover4 of ubench';

-- REQUEST: extends the client's lease, or gives it the address if that is free, which Kea looks
-- up twice.
CREATE FUNCTION ubench_request4(
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
DECLARE
    known lease4%ROWTYPE;
    is_known BOOLEAN;
BEGIN
    RETURN QUERY SELECT * FROM lease4 WHERE client_id = asked_client_id;
    is_known := FOUND;
    IF NOT is_known THEN
        RETURN NEXT;
        RETURN QUERY SELECT * FROM lease4 WHERE hwaddr = asked_hwaddr;
        is_known := FOUND;
        IF NOT is_known THEN RETURN NEXT; END IF;
    END IF;
    SELECT * INTO known FROM lease4 WHERE address = asked_address;
    RETURN QUERY SELECT known.*;
    IF is_known THEN
        RETURN QUERY UPDATE lease4 SET
            address = asked_address, hwaddr = asked_hwaddr, client_id = asked_client_id,
            valid_lifetime = asked_valid_lifetime, expire = asked_expire,
            subnet_id = asked_subnet_id, fqdn_fwd = asked_fqdn_fwd,
            fqdn_rev = asked_fqdn_rev, hostname = asked_hostname, state = asked_state,
            user_context = asked_user_context, relay_id = asked_relay_id,
            remote_id = asked_remote_id, pool_id = asked_pool_id
            WHERE address = asked_address AND expire = known.expire RETURNING *;
        IF NOT FOUND THEN RETURN NEXT; END IF;
    ELSIF known.address IS NULL THEN
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
        IF NOT FOUND THEN RETURN NEXT; END IF;
    END IF;
END $$;
COMMENT ON FUNCTION ubench_request4 IS 'ubench_request4 of ubench';

-- REQUEST of a client that was switched on again: Kea first looks whether it has a lease.
CREATE FUNCTION ubench_reboot4(
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
    IF NOT FOUND THEN RETURN NEXT; RETURN; END IF;
    RETURN QUERY SELECT * FROM ubench_request4(
        asked_address, asked_hwaddr, asked_client_id, asked_valid_lifetime,
        asked_expire, asked_subnet_id, asked_fqdn_fwd, asked_fqdn_rev, asked_hostname,
        asked_state, asked_user_context, asked_relay_id, asked_remote_id, asked_pool_id);
END $$;
COMMENT ON FUNCTION ubench_reboot4 IS 'ubench_reboot4 of ubench';

-- RELEASE with lease affinity, and DECLINE: the row stays, in another state.
CREATE FUNCTION ubench_end4(
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
DECLARE
    known lease4%ROWTYPE;
BEGIN
    SELECT * INTO known FROM lease4 WHERE address = asked_address;
    RETURN QUERY SELECT known.*;
    IF known.address IS NULL THEN RETURN; END IF;
    RETURN QUERY UPDATE lease4 SET
        address = asked_address, hwaddr = asked_hwaddr, client_id = asked_client_id,
        valid_lifetime = asked_valid_lifetime, expire = asked_expire,
        subnet_id = asked_subnet_id, fqdn_fwd = asked_fqdn_fwd,
        fqdn_rev = asked_fqdn_rev, hostname = asked_hostname, state = asked_state,
        user_context = asked_user_context, relay_id = asked_relay_id,
        remote_id = asked_remote_id, pool_id = asked_pool_id
        WHERE address = asked_address AND expire = known.expire RETURNING *;
    IF NOT FOUND THEN RETURN NEXT; END IF;
END $$;
COMMENT ON FUNCTION ubench_end4 IS 'ubench_end4 of ubench';

-- RELEASE without lease affinity: the row goes.
CREATE FUNCTION ubench_remove4(
    asked_address BIGINT)
RETURNS TABLE (
    address BIGINT, hwaddr BYTEA, client_id BYTEA, valid_lifetime BIGINT,
    expire TIMESTAMPTZ, subnet_id BIGINT, fqdn_fwd BOOLEAN, fqdn_rev BOOLEAN,
    hostname VARCHAR, state BIGINT, user_context TEXT, relay_id BYTEA, remote_id BYTEA,
    pool_id BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    known lease4%ROWTYPE;
BEGIN
    SELECT * INTO known FROM lease4 WHERE address = asked_address;
    RETURN QUERY SELECT known.*;
    IF known.address IS NULL THEN RETURN; END IF;
    RETURN QUERY DELETE FROM lease4
        WHERE address = asked_address AND expire = known.expire RETURNING *;
    IF NOT FOUND THEN RETURN NEXT; END IF;
END $$;
COMMENT ON FUNCTION ubench_remove4 IS 'ubench_remove4 of ubench';
