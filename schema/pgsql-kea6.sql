-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "kea" for PostgreSQL: the columns, the
-- seven secondary indexes and the foreign keys of Kea's lease6 (its schema
-- version 34), without the triggers that count leases.  pgsql_ubench has this
-- file compiled in and takes it for --ipv6; by hand:
--
--     psql -1 -f schema/pgsql-kea6.sql ubench
--
-- Safe to run twice: it creates what is missing and drops nothing, and it
-- refuses where there is a lease6 that ubench did not make.

-- ubench_marker is the permission to empty lease6.  Its column says which
-- schema ubench made lease6 with; if it says 'scratch copy', the owner of the
-- database made both, and lease6 is emptied but never altered or dropped.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class
                   WHERE relnamespace = current_schema()::regnamespace
                     AND relname = 'lease6') THEN
        CREATE TABLE IF NOT EXISTS ubench_marker (
            row_id SERIAL PRIMARY KEY,
            lease6 VARCHAR(16));
        IF NOT EXISTS (SELECT FROM pg_attribute
                       WHERE attrelid = 'ubench_marker'::regclass
                         AND attname = 'lease6') THEN
            ALTER TABLE ubench_marker ADD COLUMN lease6 VARCHAR(16);
        END IF;
        INSERT INTO ubench_marker (lease6) SELECT 'kea'
        WHERE NOT EXISTS (SELECT FROM ubench_marker WHERE lease6 = 'kea');
    ELSIF NOT EXISTS (SELECT FROM pg_class
                      WHERE relnamespace = current_schema()::regnamespace
                        AND relname = 'ubench_marker') THEN
        RAISE EXCEPTION 'lease6 is there, and ubench did not make it';
    ELSIF NOT EXISTS (
        SELECT FROM ubench_marker m
        WHERE to_jsonb(m) ->> 'lease6' IN ('lean', 'kea', 'kea+stats')) THEN
        RAISE EXCEPTION 'lease6 is there, and ubench did not make it';
    END IF;
END $$;

-- A lease_state of another's gets no rows.
CREATE TABLE IF NOT EXISTS lease_state (
    state BIGINT PRIMARY KEY,
    name  VARCHAR(64) NOT NULL
);
INSERT INTO lease_state (state, name)
SELECT * FROM (VALUES (0, 'default'),
                      (1, 'declined'),
                      (2, 'expired-reclaimed'),
                      (3, 'released'),
                      (4, 'registered')) AS ours
WHERE NOT EXISTS (SELECT FROM lease_state);

CREATE TABLE IF NOT EXISTS lease6_types (
    lease_type SMALLINT PRIMARY KEY,
    name       VARCHAR(5)
);
INSERT INTO lease6_types (lease_type, name)
SELECT * FROM (VALUES (0, 'IA_NA'),
                      (2, 'IA_PD')) AS ours
WHERE NOT EXISTS (SELECT FROM lease6_types);

CREATE TABLE IF NOT EXISTS lease6 (
    address        INET PRIMARY KEY,
    duid           BYTEA,
    valid_lifetime BIGINT,               -- seconds
    expire         TIMESTAMPTZ,
    subnet_id      BIGINT,
    pref_lifetime  BIGINT,               -- seconds
    lease_type     SMALLINT REFERENCES lease6_types (lease_type),
    iaid           INTEGER,              -- its 32 bits, as a signed number
    prefix_len     SMALLINT,
    fqdn_fwd       BOOLEAN,
    fqdn_rev       BOOLEAN,
    hostname       VARCHAR(255),
    state          BIGINT DEFAULT 0 REFERENCES lease_state (state),
    hwaddr         BYTEA,
    hwtype         SMALLINT,
    hwaddr_source  SMALLINT,
    user_context   TEXT,                 -- JSON
    pool_id        BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS lease6_by_duid_iaid_subnet_id
    ON lease6 (duid, iaid, subnet_id);
CREATE INDEX IF NOT EXISTS lease6_by_hostname
    ON lease6 (lower(hostname)) WHERE hostname IS NOT NULL;
CREATE INDEX IF NOT EXISTS lease6_by_hwaddr ON lease6 (hwaddr);
CREATE INDEX IF NOT EXISTS lease6_by_state_subnet_id
    ON lease6 (state, subnet_id);
CREATE INDEX IF NOT EXISTS lease6_by_state_expire ON lease6 (state, expire);
CREATE INDEX IF NOT EXISTS lease6_by_subnet_id_address
    ON lease6 (subnet_id, address);
CREATE INDEX IF NOT EXISTS lease6_by_subnet_id_lease_type
    ON lease6 (subnet_id, lease_type);
