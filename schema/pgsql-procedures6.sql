-- SPDX-License-Identifier: ISC
--
-- The stored functions of --trips=procedure for PostgreSQL, which answer the packets of
-- DHCP clients with IPv6 leases.  This file is compiled into pgsql_ubench, which runs it after
-- pgsql-kea6.sql or pgsql-kea6-stats.sql.
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
--
-- Each function asks what Kea's statements ask for one packet, in Kea's order, and returns a row
-- for each statement: the lease, or a row of NULL where there is none.  A change returns the
-- lease as it was stored or deleted.  The lease is changed only if its expiry is the one that
-- the function has read, Kea's optimistic lock.

-- SOLICIT: the client's lease, or else whether the advertised address is free.
CREATE FUNCTION ubench_discover6(
    asked_duid BYTEA, asked_iaid INTEGER, asked_lease_type SMALLINT, asked_address INET)
RETURNS TABLE (
    address INET, duid BYTEA, valid_lifetime BIGINT, expire TIMESTAMPTZ,
    subnet_id BIGINT, pref_lifetime BIGINT, lease_type SMALLINT, iaid INTEGER,
    prefix_len SMALLINT, fqdn_fwd BOOLEAN, fqdn_rev BOOLEAN, hostname VARCHAR,
    state BIGINT, hwaddr BYTEA, hwtype SMALLINT, hwaddr_source SMALLINT,
    user_context TEXT, pool_id BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT * FROM lease6
        WHERE duid = asked_duid AND iaid = asked_iaid
          AND lease_type = asked_lease_type;
    IF FOUND THEN RETURN; END IF;
    RETURN NEXT;
    RETURN QUERY SELECT * FROM lease6
        WHERE address = asked_address AND lease_type = asked_lease_type;
    IF NOT FOUND THEN RETURN NEXT; END IF;
END $$;
COMMENT ON FUNCTION ubench_discover6 IS 'ubench_discover6 of ubench';

-- REQUEST of a new client: gives it the address if that is free.
CREATE FUNCTION ubench_request6(
    asked_address INET, asked_hwaddr BYTEA, asked_duid BYTEA,
    asked_valid_lifetime BIGINT, asked_expire TIMESTAMPTZ, asked_subnet_id BIGINT,
    asked_fqdn_fwd BOOLEAN, asked_fqdn_rev BOOLEAN, asked_hostname VARCHAR,
    asked_state BIGINT, asked_lease_type SMALLINT, asked_iaid INTEGER,
    asked_pref_lifetime BIGINT, asked_prefix_len SMALLINT, asked_user_context TEXT,
    asked_hwtype SMALLINT, asked_hwaddr_source SMALLINT, asked_pool_id BIGINT)
RETURNS TABLE (
    address INET, duid BYTEA, valid_lifetime BIGINT, expire TIMESTAMPTZ,
    subnet_id BIGINT, pref_lifetime BIGINT, lease_type SMALLINT, iaid INTEGER,
    prefix_len SMALLINT, fqdn_fwd BOOLEAN, fqdn_rev BOOLEAN, hostname VARCHAR,
    state BIGINT, hwaddr BYTEA, hwtype SMALLINT, hwaddr_source SMALLINT,
    user_context TEXT, pool_id BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT * FROM lease6
        WHERE duid = asked_duid AND iaid = asked_iaid
          AND lease_type = asked_lease_type;
    IF FOUND THEN RETURN; END IF;
    RETURN NEXT;
    RETURN QUERY SELECT * FROM lease6
        WHERE address = asked_address AND lease_type = asked_lease_type;
    IF FOUND THEN RETURN; END IF;
    RETURN NEXT;
    RETURN QUERY INSERT INTO lease6 (
        address, hwaddr, duid, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev,
        hostname, state, lease_type, iaid, pref_lifetime, prefix_len, user_context,
        hwtype, hwaddr_source, pool_id)
        VALUES (
        asked_address, asked_hwaddr, asked_duid, asked_valid_lifetime, asked_expire,
        asked_subnet_id, asked_fqdn_fwd, asked_fqdn_rev, asked_hostname, asked_state,
        asked_lease_type, asked_iaid, asked_pref_lifetime, asked_prefix_len,
        asked_user_context, asked_hwtype, asked_hwaddr_source, asked_pool_id)
        ON CONFLICT (address) DO NOTHING RETURNING *;
    IF NOT FOUND THEN RETURN NEXT; END IF;
END $$;
COMMENT ON FUNCTION ubench_request6 IS 'ubench_request6 of ubench';

-- RENEW: extends the client's lease.
CREATE FUNCTION ubench_renew6(
    asked_address INET, asked_hwaddr BYTEA, asked_duid BYTEA,
    asked_valid_lifetime BIGINT, asked_expire TIMESTAMPTZ, asked_subnet_id BIGINT,
    asked_fqdn_fwd BOOLEAN, asked_fqdn_rev BOOLEAN, asked_hostname VARCHAR,
    asked_state BIGINT, asked_lease_type SMALLINT, asked_iaid INTEGER,
    asked_pref_lifetime BIGINT, asked_prefix_len SMALLINT, asked_user_context TEXT,
    asked_hwtype SMALLINT, asked_hwaddr_source SMALLINT, asked_pool_id BIGINT)
RETURNS TABLE (
    address INET, duid BYTEA, valid_lifetime BIGINT, expire TIMESTAMPTZ,
    subnet_id BIGINT, pref_lifetime BIGINT, lease_type SMALLINT, iaid INTEGER,
    prefix_len SMALLINT, fqdn_fwd BOOLEAN, fqdn_rev BOOLEAN, hostname VARCHAR,
    state BIGINT, hwaddr BYTEA, hwtype SMALLINT, hwaddr_source SMALLINT,
    user_context TEXT, pool_id BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    known lease6%ROWTYPE;
BEGIN
    RETURN QUERY SELECT * FROM lease6
        WHERE duid = asked_duid AND iaid = asked_iaid
          AND lease_type = asked_lease_type AND subnet_id = asked_subnet_id;
    IF NOT FOUND THEN RETURN NEXT; RETURN; END IF;
    SELECT * INTO known FROM lease6 WHERE address = asked_address;
    RETURN QUERY UPDATE lease6 SET
        address = asked_address, hwaddr = asked_hwaddr, duid = asked_duid,
        valid_lifetime = asked_valid_lifetime, expire = asked_expire,
        subnet_id = asked_subnet_id, fqdn_fwd = asked_fqdn_fwd,
        fqdn_rev = asked_fqdn_rev, hostname = asked_hostname, state = asked_state,
        lease_type = asked_lease_type, iaid = asked_iaid,
        pref_lifetime = asked_pref_lifetime, prefix_len = asked_prefix_len,
        user_context = asked_user_context, hwtype = asked_hwtype,
        hwaddr_source = asked_hwaddr_source, pool_id = asked_pool_id
        WHERE address = asked_address AND expire = known.expire RETURNING *;
    IF NOT FOUND THEN RETURN NEXT; END IF;
END $$;
COMMENT ON FUNCTION ubench_renew6 IS 'ubench_renew6 of ubench';

-- RELEASE with lease affinity, and DECLINE: the row stays, in another state.
CREATE FUNCTION ubench_end6(
    asked_address INET, asked_hwaddr BYTEA, asked_duid BYTEA,
    asked_valid_lifetime BIGINT, asked_expire TIMESTAMPTZ, asked_subnet_id BIGINT,
    asked_fqdn_fwd BOOLEAN, asked_fqdn_rev BOOLEAN, asked_hostname VARCHAR,
    asked_state BIGINT, asked_lease_type SMALLINT, asked_iaid INTEGER,
    asked_pref_lifetime BIGINT, asked_prefix_len SMALLINT, asked_user_context TEXT,
    asked_hwtype SMALLINT, asked_hwaddr_source SMALLINT, asked_pool_id BIGINT)
RETURNS TABLE (
    address INET, duid BYTEA, valid_lifetime BIGINT, expire TIMESTAMPTZ,
    subnet_id BIGINT, pref_lifetime BIGINT, lease_type SMALLINT, iaid INTEGER,
    prefix_len SMALLINT, fqdn_fwd BOOLEAN, fqdn_rev BOOLEAN, hostname VARCHAR,
    state BIGINT, hwaddr BYTEA, hwtype SMALLINT, hwaddr_source SMALLINT,
    user_context TEXT, pool_id BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    known lease6%ROWTYPE;
BEGIN
    SELECT * INTO known FROM lease6
        WHERE address = asked_address AND lease_type = asked_lease_type;
    RETURN QUERY SELECT known.*;
    IF known.address IS NULL THEN RETURN; END IF;
    RETURN QUERY UPDATE lease6 SET
        address = asked_address, hwaddr = asked_hwaddr, duid = asked_duid,
        valid_lifetime = asked_valid_lifetime, expire = asked_expire,
        subnet_id = asked_subnet_id, fqdn_fwd = asked_fqdn_fwd,
        fqdn_rev = asked_fqdn_rev, hostname = asked_hostname, state = asked_state,
        lease_type = asked_lease_type, iaid = asked_iaid,
        pref_lifetime = asked_pref_lifetime, prefix_len = asked_prefix_len,
        user_context = asked_user_context, hwtype = asked_hwtype,
        hwaddr_source = asked_hwaddr_source, pool_id = asked_pool_id
        WHERE address = asked_address AND expire = known.expire RETURNING *;
    IF NOT FOUND THEN RETURN NEXT; END IF;
END $$;
COMMENT ON FUNCTION ubench_end6 IS 'ubench_end6 of ubench';

-- RELEASE without lease affinity: the row goes.
CREATE FUNCTION ubench_remove6(
    asked_address INET, asked_lease_type SMALLINT)
RETURNS TABLE (
    address INET, duid BYTEA, valid_lifetime BIGINT, expire TIMESTAMPTZ,
    subnet_id BIGINT, pref_lifetime BIGINT, lease_type SMALLINT, iaid INTEGER,
    prefix_len SMALLINT, fqdn_fwd BOOLEAN, fqdn_rev BOOLEAN, hostname VARCHAR,
    state BIGINT, hwaddr BYTEA, hwtype SMALLINT, hwaddr_source SMALLINT,
    user_context TEXT, pool_id BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    known lease6%ROWTYPE;
BEGIN
    SELECT * INTO known FROM lease6
        WHERE address = asked_address AND lease_type = asked_lease_type;
    RETURN QUERY SELECT known.*;
    IF known.address IS NULL THEN RETURN; END IF;
    RETURN QUERY DELETE FROM lease6
        WHERE address = asked_address AND expire = known.expire RETURNING *;
    IF NOT FOUND THEN RETURN NEXT; END IF;
END $$;
COMMENT ON FUNCTION ubench_remove6 IS 'ubench_remove6 of ubench';
