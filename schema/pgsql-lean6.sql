-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "lean" for PostgreSQL: the main
-- columns of Kea's lease6 and one key, the address.  This file is compiled
-- into pgsql_ubench, for --ipv6; to create the table by hand:
--
--     psql -1 -f schema/pgsql-lean6.sql ubench
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.

CREATE TABLE lease6 (
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
COMMENT ON TABLE lease6 IS 'lease6 of ubench';
