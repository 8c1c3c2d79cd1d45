-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "lean" for PostgreSQL: the main columns
-- of Kea's lease4 and one key, the address, as in the DHCP Performance Guide
-- of 2012.  This file is compiled into pgsql_ubench; to create the table by
-- hand:
--
--     psql -1 -f schema/pgsql-lean.sql ubench
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.

CREATE TABLE lease4 (
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
COMMENT ON TABLE lease4 IS 'lease4 of ubench';
