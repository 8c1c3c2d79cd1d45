-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "lean" for PostgreSQL: the main columns of
-- Kea's lease4 and one key, the address, as in the DHCP Performance Guide of
-- 2012.  pgsql_ubench has this file compiled in; by hand:
--
--     psql -1 -f schema/pgsql-lean.sql ubench
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
        INSERT INTO ubench_marker (lease4) SELECT 'lean'
        WHERE NOT EXISTS (SELECT FROM ubench_marker WHERE lease4 = 'lean');
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
    state          BIGINT DEFAULT 0,
    pool_id        BIGINT NOT NULL DEFAULT 0
);
