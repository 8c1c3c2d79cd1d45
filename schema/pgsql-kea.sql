-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "kea" for PostgreSQL: the columns, the
-- eight secondary indexes and the foreign key of Kea's lease4 (its schema
-- version 34), without the triggers that count leases.  pgsql_ubench has this
-- file compiled in; by hand:
--
--     psql -1 -f schema/pgsql-kea.sql ubench
--
-- Safe to run twice: it creates what is missing and drops nothing, and it
-- refuses where there is a lease4 that ubench did not make.

-- ubench_marker is the permission to empty lease4.  Its column says which
-- schema ubench made lease4 with; if it says 'scratch copy', the owner of the
-- database made both, and lease4 is emptied but never altered or dropped.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class
                   WHERE relnamespace = current_schema()::regnamespace
                     AND relname = 'lease4') THEN
        CREATE TABLE IF NOT EXISTS ubench_marker (
            row_id SERIAL PRIMARY KEY,
            lease4 VARCHAR(16));
        IF NOT EXISTS (SELECT FROM pg_attribute
                       WHERE attrelid = 'ubench_marker'::regclass
                         AND attname = 'lease4') THEN
            ALTER TABLE ubench_marker ADD COLUMN lease4 VARCHAR(16);
        END IF;
        INSERT INTO ubench_marker (lease4) SELECT 'kea'
        WHERE NOT EXISTS (SELECT FROM ubench_marker WHERE lease4 = 'kea');
    ELSIF NOT EXISTS (SELECT FROM pg_class
                      WHERE relnamespace = current_schema()::regnamespace
                        AND relname = 'ubench_marker') THEN
        RAISE EXCEPTION 'lease4 is there, and ubench did not make it';
    ELSIF NOT EXISTS (
        SELECT FROM ubench_marker m
        WHERE to_jsonb(m) ->> 'lease4' IN ('lean', 'kea', 'kea+stats')) THEN
        RAISE EXCEPTION 'lease4 is there, and ubench did not make it';
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

CREATE TABLE IF NOT EXISTS lease4 (
    address        BIGINT PRIMARY KEY,   -- IPv4, 1.0.0.0 is 16777216
    hwaddr         BYTEA,
    client_id      BYTEA,
    valid_lifetime BIGINT,               -- seconds
    expire         TIMESTAMPTZ,
    subnet_id      BIGINT,
    fqdn_fwd       BOOLEAN,
    fqdn_rev       BOOLEAN,
    hostname       VARCHAR(255),
    state          BIGINT DEFAULT 0 REFERENCES lease_state (state),
    user_context   TEXT,                 -- JSON
    relay_id       BYTEA,
    remote_id      BYTEA,
    pool_id        BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS lease4_by_hwaddr_subnet_id
    ON lease4 (hwaddr, subnet_id);
CREATE INDEX IF NOT EXISTS lease4_by_client_id_subnet_id
    ON lease4 (client_id, subnet_id);
CREATE INDEX IF NOT EXISTS lease4_by_subnet_id ON lease4 (subnet_id);
CREATE INDEX IF NOT EXISTS lease4_by_hostname
    ON lease4 (lower(hostname)) WHERE hostname IS NOT NULL;
CREATE INDEX IF NOT EXISTS lease4_by_state_expire ON lease4 (state, expire);
CREATE INDEX IF NOT EXISTS lease4_by_relay_id ON lease4 (relay_id);
CREATE INDEX IF NOT EXISTS lease4_by_remote_id ON lease4 (remote_id);
CREATE INDEX IF NOT EXISTS lease4_by_state_subnet_id
    ON lease4 (state, subnet_id);
