-- SPDX-License-Identifier: ISC
-- The lean lease table of ubench for PostgreSQL: Kea's main columns and one
-- key, the address, as in the guide of 2012.  It can be run by hand, and
-- twice.  pgsql_ubench runs it by itself; it never touches a table that it
-- did not make (see "Nobody's data" in README.md).
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
