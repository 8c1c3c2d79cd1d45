-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "lean" for PostgreSQL: the main
-- columns of Kea's lease6 and one key, the address.  pgsql_ubench has this file
-- compiled in and takes it for --ipv6; by hand:
--
--     psql -1 -f schema/pgsql-lean6.sql ubench
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
        INSERT INTO ubench_marker (lease6) SELECT 'lean'
        WHERE NOT EXISTS (SELECT FROM ubench_marker WHERE lease6 = 'lean');
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

CREATE TABLE IF NOT EXISTS lease6 (
    address        INET PRIMARY KEY,
    duid           BYTEA,
    valid_lifetime BIGINT,               -- seconds
    expire         TIMESTAMPTZ,
    subnet_id      BIGINT,
    pref_lifetime  BIGINT,               -- seconds
    lease_type     SMALLINT,
    iaid           INTEGER,              -- its 32 bits, as a signed number
    prefix_len     SMALLINT,
    fqdn_fwd       BOOLEAN,
    fqdn_rev       BOOLEAN,
    hostname       VARCHAR(255),
    hwaddr         BYTEA,
    state          BIGINT DEFAULT 0,
    pool_id        BIGINT NOT NULL DEFAULT 0
);
