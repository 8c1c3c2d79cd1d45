-- SPDX-License-Identifier: ISC
--
-- The IPv6 lease table of ubench's schema "kea" for PostgreSQL: the columns,
-- the seven secondary indexes and the foreign keys of Kea's lease6 (its schema
-- version 34), without the triggers that count leases.  This file is compiled
-- into pgsql_ubench, for --ipv6; to create the table by hand:
--
--     psql -1 -f schema/pgsql-kea6.sql ubench
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

CREATE TABLE lease6_types (
    lease_type SMALLINT PRIMARY KEY,
    name       VARCHAR(5)
);
COMMENT ON TABLE lease6_types IS 'lease6_types of ubench';
INSERT INTO lease6_types (lease_type, name) VALUES
    (0, 'IA_NA'),
    (2, 'IA_PD');

CREATE TABLE lease6 (
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
COMMENT ON TABLE lease6 IS 'lease6 of ubench';
CREATE INDEX lease6_by_duid_iaid_subnet_id
    ON lease6 (duid, iaid, subnet_id);
CREATE INDEX lease6_by_hostname
    ON lease6 (lower(hostname)) WHERE hostname IS NOT NULL;
CREATE INDEX lease6_by_hwaddr ON lease6 (hwaddr);
CREATE INDEX lease6_by_state_subnet_id
    ON lease6 (state, subnet_id);
CREATE INDEX lease6_by_state_expire ON lease6 (state, expire);
CREATE INDEX lease6_by_subnet_id_address
    ON lease6 (subnet_id, address);
CREATE INDEX lease6_by_subnet_id_lease_type
    ON lease6 (subnet_id, lease_type);
