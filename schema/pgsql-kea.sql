-- SPDX-License-Identifier: ISC
--
-- The lease table of ubench's schema "kea" for PostgreSQL: the columns, the
-- eight secondary indexes and the foreign key of Kea's lease4 (its schema
-- version 34), without the triggers that count leases.  This file is compiled
-- into pgsql_ubench; to create the table by hand:
--
--     psql -1 -f schema/pgsql-kea.sql ubench
--
-- Safe to run twice: it only creates objects, and fails if one already exists.
-- Runners refuse tables that were created by hand.

CREATE TABLE lease_state (
    state BIGINT PRIMARY KEY,
    name  VARCHAR(64) NOT NULL
);
COMMENT ON TABLE lease_state IS 'lease_state of ubench';
INSERT INTO lease_state (state, name) VALUES
    (0, 'default'),
    (1, 'declined'),
    (2, 'expired-reclaimed'),
    (3, 'released'),
    (4, 'registered');

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
    state          BIGINT DEFAULT 0 REFERENCES lease_state (state),
    user_context   TEXT,                 -- JSON
    relay_id       BYTEA,
    remote_id      BYTEA,
    pool_id        BIGINT NOT NULL DEFAULT 0
);
COMMENT ON TABLE lease4 IS 'lease4 of ubench';
CREATE INDEX lease4_by_hwaddr_subnet_id
    ON lease4 (hwaddr, subnet_id);
CREATE INDEX lease4_by_client_id_subnet_id
    ON lease4 (client_id, subnet_id);
CREATE INDEX lease4_by_subnet_id ON lease4 (subnet_id);
CREATE INDEX lease4_by_hostname
    ON lease4 (lower(hostname)) WHERE hostname IS NOT NULL;
CREATE INDEX lease4_by_state_expire ON lease4 (state, expire);
CREATE INDEX lease4_by_relay_id ON lease4 (relay_id);
CREATE INDEX lease4_by_remote_id ON lease4 (remote_id);
CREATE INDEX lease4_by_state_subnet_id
    ON lease4 (state, subnet_id);
