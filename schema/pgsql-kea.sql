-- SPDX-License-Identifier: ISC
-- The columns, secondary indexes and the foreign key that Kea's lease4 has in
-- PostgreSQL (its schema version 34), without the triggers that count leases.
-- It can be run by hand, and twice.  pgsql_ubench runs it by itself; it never
-- touches a table that it did not make (see "Nobody's data" in README.md).
CREATE TABLE IF NOT EXISTS lease_state (
    state BIGINT PRIMARY KEY,
    name  VARCHAR(64) NOT NULL
);
INSERT INTO lease_state (state, name)
VALUES (0, 'default'),
       (1, 'declined'),
       (2, 'expired-reclaimed'),
       (3, 'released'),
       (4, 'registered')
ON CONFLICT DO NOTHING;

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
